#include "harness/report/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/report/base/footer.h"
#include "harness/report/base/format.h"
#include "harness/report/base/goals.h"
#include "harness/report/base/peers.h"
#include "harness/report/base/plots.h"
#include "harness/report/base/table.h"
#include "harness/report/forms/thresholds.h"
#include "harness/report/forms/tracking.h"

namespace nsop::report {
namespace {

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

// Pinned targets that this machine has no row of.
void add_missing_targets(const Context& context, const Section& section, Json& notes) {
  const std::vector<std::string> measured = measured_targets(context, section);
  std::vector<std::string> missing;
  for (const std::string& target : context.suite().targets) {
    if (std::find(measured.begin(), measured.end(), target) == measured.end()) {
      missing.push_back(target);
    }
  }
  if (!missing.empty()) notes.push_back("not measured on this machine: " + join(missing, ", "));
}

std::vector<Section> sections_of(const Context& context) {
  const std::string& name = context.suite().template_name;
  if (name == "sweep") return sweep_sections(context);
  if (name == "threads") return threads_sections(context);
  if (name == "workload") return workload_sections(context);
  return name == "limits" ? limits_sections(context) : table_sections(context);
}

Json tables_of(const Context& context, const Section& section) {
  const std::string& name = context.suite().template_name;
  if (name == "sweep") return sweep_section_json(context, section);
  if (name == "limits") return limits_section_json(context, section);
  if (name == "threads") return threads_section_json(context, section);
  if (name == "peers") return peers_section_json(context, section);
  if (name == "workload") return workload_section_json(context, section);
  return table_section_json(context, section, name == "matched");
}

Json plots_of(const Context& context, const Section& section) {
  const std::string& name = context.suite().template_name;
  Json plots = Json::array();
  const auto add = [&](Json plot) {
    if (!plot.is_null()) plots.push_back(std::move(plot));
  };
  if (name == "sweep") add(sweep_plot(context, section));
  if (name == "limits") add(bandwidth_plot(context, section));
  if (name == "threads") add(sharing_plot(context, section));
  if (name == "before_after" || name == "matched" || name == "workload") {
    add(bars_plot(context, section));
  }
  const bool peers = name == "peers" || !context.suite().peers.empty();
  if (name != "sweep" && name != "limits" && name != "workload" && peers) {
    add(ratio_plot(context, section));
  }
  return plots;
}

Json section_json(const Context& context, const Section& section) {
  const bool sweep = context.suite().template_name == "sweep";
  Json out;
  out["title"] = section.title;
  out["notes"] = suite_notes(section);
  if (sweep) add_missing_targets(context, section, out["notes"]);
  out["tables"] = tables_of(context, section);
  out["plots"] = plots_of(context, section);
  return out;
}

Json all_sections(const Context& context, const std::vector<Release>& releases) {
  if (context.suite().template_name == "tracking") return tracking_sections(context, releases);
  Json out = Json::array();
  for (const Section& section : sections_of(context)) {
    out.push_back(section_json(context, section));
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

Json warnings_json(const Context& context) {
  const Run& run = context.current().run;
  Json out = Json::array();
  if (run.state != RunState::kComplete) {
    out.push_back("the run is " + run_state_text(run.state) + ": rows may be missing");
  }
  if (context.skipped() > 0) {
    out.push_back(
        fmt::format("{} of {} rows of this suite were no part of this run (profile {}) and are "
                    "left out",
                    context.skipped(), context.skipped() + context.rows().size(), run.profile));
  }
  for (const Build& build : context.current().builds) {
    if (build.build_type != "Release") {
      out.push_back("measured with a build of type " + build.build_type + ", not Release");
    }
  }
  return out;
}

void add_metadata(Json& out, const Context& context) {
  const Suite& suite = context.suite();
  const RunData& current = context.current();
  out["schema"] = "nsop.report/1";
  out["name"] = suite.name;
  out["title"] = one_line(suite.title);
  out["about"] = one_line(suite.about);
  out["template"] = suite.template_name;
  out["run"] = run_json(current.run);
  out["previous"] = context.previous() ? run_json(context.previous()->run) : Json(nullptr);
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

void add_thresholds(Json& out, const Context& context) {
  const std::vector<FoundThreshold> found = find_thresholds(context);
  out["thresholds"] = thresholds_json(found);
  Json section = thresholds_section(found);
  if (!section.is_null()) out["sections"].insert(out["sections"].begin(), std::move(section));
}

void check_template(const Suite& suite) {
  constexpr std::array kTemplates{"before_after", "sweep",   "matched",  "peers",
                                  "limits",       "threads", "tracking", "workload"};
  const auto known = std::find(kTemplates.begin(), kTemplates.end(), suite.template_name);
  if (known != kTemplates.end()) return;
  throw usage_error(
      suite.path + ": unknown template `" + suite.template_name +
      "`, expected before_after, sweep, matched, peers, limits, threads, tracking or workload");
}

}  // namespace

Json build_report(const Suite& suite, const RunData& current,
                  const std::optional<RunData>& previous, const std::optional<RunData>& limits,
                  const std::vector<Release>& releases) {
  check_template(suite);
  const Context context(suite, current, previous ? &*previous : nullptr,
                        limits ? &*limits : nullptr);
  Json out;
  add_metadata(out, context);
  out["sections"] = all_sections(context, releases);
  if (suite.template_name == "threads") add_thresholds(out, context);
  const std::vector<GoalRow> goals = judge_goals(context);
  out["summary"] = summary_json(context, out["sections"], goals);
  out["outdated_reasons"] = outdated_reasons(suite, goals);
  for (const Json& section : {means_section(context), goals_section(context, goals)}) {
    if (!section.is_null()) out["sections"].push_back(section);
  }
  for (Json& section : change_sections(releases)) out["sections"].push_back(std::move(section));
  make_plot_ids_unique(out["sections"]);
  out["footer"] = footer_json(context, out["summary"], out["dispatched"]);
  return out;
}

std::string report_text(const Json& report) {
  // Bytes that are no UTF-8 (a crashing worker's message) must not cost the report.
  return report.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace nsop::report
