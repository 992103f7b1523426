#include "harness/report/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/core/text.h"
#include "harness/report/base/compact.h"
#include "harness/report/base/footer.h"
#include "harness/report/base/format.h"
#include "harness/report/base/goals/goal_reasons.h"
#include "harness/report/base/goals/goal_tables.h"
#include "harness/report/base/goals/slower.h"
#include "harness/report/base/head/head.h"
#include "harness/report/base/head/previous_line.h"
#include "harness/report/base/means.h"
#include "harness/report/base/published/section.h"
#include "harness/report/forms/forms.h"

namespace nsop::report {
namespace {

constexpr const char* kModelSchema = "nsop.report/1";

Json run_json(const Run& run) {
  Json out;
  out["id"] = run.id;
  out["started_utc"] = run.started_utc;
  out["ended_utc"] = run.ended_utc;
  out["state"] = run_state_text(run.state);
  out["profile"] = run.profile;
  out["origin"] = run.origin;
  out["trust"] = run.trust;
  out["tool_version"] = run.tool_version;
  return out;
}

Json commits_json(const RunData& data) {
  Json out = Json::array();
  for (const Build& build : data.builds) {
    const std::string text = build.commit + (build.dirty ? " (dirty)" : "");
    if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(text);
  }
  return out;
}

Json builds_json(const RunData& data) {
  Json out = Json::array();
  for (const Build& build : data.builds) out.push_back(to_json(build));
  return out;
}

Json threads_json(const Context& context) {
  std::vector<int> threads;
  for (const CaseRow& row : context.rows()) threads.push_back(row.threads);
  std::sort(threads.begin(), threads.end());
  threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
  return threads;
}

// Notes of the suite file on the cases of a section, each once.
Json suite_notes(const Section& section) {
  Json notes = Json::array();
  for (const RowView& view : section.rows) {
    const std::string note = one_line(view.row->from->note);
    const bool known = std::find(notes.begin(), notes.end(), note) != notes.end();
    if (!note.empty() && !known) notes.push_back(note);
  }
  return notes;
}

// Above one thread nobody can tell what interruptions cost: said once for all rows of a section.
void add_interruptions(const Section& section, Json& notes) {
  constexpr double kMost = 0.25;  // of the invocations
  std::set<const stats::RowSummary*> several, interrupted;
  for (const RowView& view : section.rows) {
    for (const stats::RowSummary* row : view.measured) {
      if (!usable(row) || row->row.threads < 2) continue;
      several.insert(row);
      if (row->interrupted_share > kMost) interrupted.insert(row);
    }
  }
  if (interrupted.empty()) return;
  notes.push_back(fmt::format(
      "Of {} measurement{} on more than one thread {} {} interrupted in every repetition of more "
      "than a quarter of the invocations; how much time that cost is not known.",
      several.size(), several.size() == 1 ? "" : "s", interrupted.size(),
      interrupted.size() == 1 ? "was" : "were"));
}

// No doubt of a row: what is lost shows in its interval.
void add_no_spare_cpu(const Context& context, const Section& section, Json& notes) {
  const size_t allowed = context.current().run.conditions.allowed_cpus.size();
  int threads = 0;
  for (const RowView& view : section.rows) {
    for (const stats::RowSummary* row : view.measured) {
      if (usable(row)) threads = std::max(threads, row->row.threads);
    }
  }
  if (allowed == 0 || static_cast<size_t>(threads) < allowed) return;
  notes.push_back(fmt::format(
      "{} thread{} take{} every CPU that this run may use: whatever else works there, nsop itself "
      "included, disturbs them.",
      threads, threads == 1 ? "" : "s", threads == 1 ? "s" : ""));
}

Json section_json(const Context& context, const Form& form, const Section& section) {
  Json out;
  out["title"] = section.title;
  out["notes"] = suite_notes(section);
  add_interruptions(section, out["notes"]);
  add_no_spare_cpu(context, section, out["notes"]);
  if (form.add_notes != nullptr) form.add_notes(context, section, out["notes"]);
  out["tables"] = form.tables(context, section);
  out["plots"] = form.plots(context, section);
  return out;
}

Json case_sections(const Context& context, const Form& form) {
  Json out = Json::array();
  if (form.sections == nullptr) return out;
  for (const Section& section : form.sections(context)) {
    out.push_back(section_json(context, form, section));
  }
  return out;
}

// File names are made of the ids: two headings that differ in signs only get a number.
void make_plot_ids_unique(Json& sections) {
  std::vector<std::string> used;
  for (Json& section : sections) {
    for (Json& plot : section["plots"]) {
      const std::string id = plot["id"];
      std::string unique = id;
      for (int i = 2; std::find(used.begin(), used.end(), unique) != used.end(); ++i) {
        unique = fmt::format("{}-{}", id, i);
      }
      used.push_back(unique);
      plot["id"] = unique;
    }
  }
}

// Nobody measured these rows of ours: they have neither a time nor a reason.
size_t unmeasured_rows(const Context& context) {
  const Selector& ours = context.suite().after;
  return static_cast<size_t>(
      std::count_if(context.rows().begin(), context.rows().end(), [&](const CaseRow& row) {
        return !left_out(row, ours) && context.find(row, ours) == nullptr;
      }));
}

// What a reader must know of who measured, and whether it came to an end.
void add_run_warnings(const Context& context, Json& out) {
  const Run& run = context.current().run;
  if (run.state != RunState::kComplete) {
    out.push_back(fmt::format("the run is {}: {} of {} not measured, others in fewer rounds",
                              run_state_text(run.state), unmeasured_rows(context),
                              counted_rows(context.rows().size())));
  }
  if (run.origin == "imported" || run.trust == "imported") {
    out.push_back("the run is imported: another program measured it, in its own way");
  }
  if (run.trust == "pr") out.push_back("a job that ran proposed code wrote these numbers");
  const std::vector<const stats::RowSummary*> shown = context.shown();
  if (!shown.empty() && std::none_of(shown.begin(), shown.end(), usable)) {
    out.push_back("no row has a time: each failed or can't be done here");
  }
}

Json warnings_json(const Context& context) {
  const Run& run = context.current().run;
  Json out = Json::array();
  add_run_warnings(context, out);
  if (context.skipped() > 0) {
    out.push_back(
        fmt::format("{} of {} rows of this suite were no part of this run (profile {}) and are "
                    "left out",
                    context.skipped(), context.skipped() + context.rows().size(), run.profile));
  }
  for (const Build& build : context.current().builds) {
    if (!build.build_type.empty() && build.build_type != "Release") {
      out.push_back("measured with a build of type " + build.build_type + ", not Release");
    }
  }
  return out;
}

void add_metadata(Json& out, const Context& context) {
  const Suite& suite = context.suite();
  const RunData& current = context.current();
  out["schema"] = kModelSchema;
  out["name"] = suite.name;
  out["title"] = one_line(suite.title);
  out["about"] = one_line(suite.about);
  out["form"] = suite.form;
  out["run"] = run_json(current.run);
  out["previous"] = context.previous() ? run_json(context.previous()->run) : Json(nullptr);
  if (const std::string release = previous_release(context); !release.empty()) {
    out["previous"]["release"] = release;
  }
  out["commits"] = commits_json(current);
  out["host"] = to_json(current.host);
  out["conditions"] = to_json(current.run.conditions);
  out["builds"] = builds_json(current);
  out["roles"]["before"] = role_text(suite.before);
  out["roles"]["after"] = role_text(suite.after);
  out["peers"] = suite.peers;
  out["limits"] = context.limits_run() ? run_json(*context.limits_run()) : Json(nullptr);
  out["dispatched"] = dispatched_json(context);
  out["threads"] = threads_json(context);
  out["warnings"] = warnings_json(context);
}

}  // namespace

Json build_report(const Suite& suite, const RunData& current,
                  const std::optional<RunData>& previous, const std::optional<RunData>& limits,
                  const std::vector<Release>& releases, const std::vector<Published>& published) {
  const Form& form = form_of(suite);
  const Context context(suite, current, previous ? &*previous : nullptr,
                        limits ? &*limits : nullptr, releases);
  Json out;
  add_metadata(out, context);
  out["headline"] = "";  // the place among the fields of what is known below
  out["head"] = Json::array();
  out["sections"] = case_sections(context, form);
  if (form.complete != nullptr) form.complete(context, out);
  const std::vector<GoalRow> goals = judge_goals(context);
  out["summary"] = summary_json(context, out["sections"], goals);
  const std::string answer = form.headline != nullptr ? form.headline(context) : "";
  const Head head = head_of(context, goals, form.compares, answer);
  out["headline"] = head.headline;
  out["head"] = head.lines;
  out["outdated_reasons"] = outdated_reasons(suite, goals);
  const auto add = [&](Json section) {
    if (!section.is_null()) out["sections"].push_back(std::move(section));
  };
  Authors authors(suite);
  if (form.compares) add(slower_section(context, goals, authors));
  add(goals_section(context, goals, authors));
  if (form.compares) add(means_section(context));
  if (form.last_sections != nullptr) {
    for (Json& section : form.last_sections(context)) add(std::move(section));
  }
  if (!form.lists_releases) add(published_section(context, published));
  make_plot_ids_unique(out["sections"]);
  out["footer"] = footer_json(context, out);
  return out;
}

std::string report_text(const Json& report) {
  // Down to a line for each row of a table. A gate's report stays as it is built.
  if (report["schema"] == kModelSchema) return lines_of(compacted(report), 6);
  // Bytes that are no UTF-8 (a crashing worker's message) must not cost the report.
  return report.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace nsop::report
