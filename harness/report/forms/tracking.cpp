// The form `tracking`, declared in forms.h: a log of releases, each against the first and the one
// before.

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/text.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/data/machine_shift.h"
#include "harness/report/base/footer.h"
#include "harness/report/base/format.h"
#include "harness/report/base/head/previous_line.h"
#include "harness/report/base/metrics/metric_cells.h"
#include "harness/report/base/metrics/metrics.h"
#include "harness/report/base/plots/plot_axes.h"
#include "harness/report/forms/forms.h"
#include "harness/report/forms/release_changes.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;

// A case of a release: a line of the log.
struct Entry {
  const Release* release = nullptr;
  size_t suite_case = 0;  // position among the suite's cases, sweeps and threads expanded
  CaseRow row;
  const Summary* measured = nullptr;  // nullptr: not in the release's run
};

// All entries of a name at a number of threads, oldest release first.
struct Log {
  std::string title;
  std::vector<Entry> entries;
};

std::string title_of(const CaseRow& row) {
  return row.threads == 1 ? row.name() : fmt::format("{}, {} threads", row.name(), row.threads);
}

std::string build_type_of(const Release& release, const Summary& row) {
  for (const Build& build : release.data.builds) {
    if (build.id == row.build_id) return build.build_type;
  }
  return "";
}

// Why two entries of a log must not be compared; empty if they may be.
std::string why_unlike(const Entry& before, const Entry& after) {
  const Summary& a = *before.measured;
  const Summary& b = *after.measured;
  const std::string& name = before.release->name;
  if (a.row.case_text != b.row.case_text) {
    return fmt::format("{} measured another case, {}", name, a.row.case_text);
  }
  if (before.release->data.host.id != after.release->data.host.id) {
    return name + " was measured on another host";
  }
  if (a.row.target != b.row.target) {
    return fmt::format("{} was measured on another target, {}", name, a.row.target);
  }
  const std::string type = build_type_of(*before.release, a);
  if (type != build_type_of(*after.release, b)) {
    return fmt::format("{} is of another build type, {}", name, type);
  }
  if (a.inputs_sha256 != b.inputs_sha256) return name + " had other inputs";
  return "";
}

Json compared(const Context& context, const Entry& before, const Entry& after) {
  const std::string why = why_unlike(before, after);
  if (!why.empty()) return ratio_cell({.verdict = stats::Verdict::kIncomparable, .note = why});
  const stats::Bound bound = context.bound(after.measured->row.case_text);
  // Only of the run and the one before it is known how fast the machine was.
  const bool is_previous = context.previous() != nullptr &&
                           before.release->data.run.id == context.previous()->run.id &&
                           after.release->data.run.id == context.current().run.id;
  Json out = ratio_cell(beside_machine(
      stats::compare_unpaired(*before.measured, *after.measured, bound, context.policy()),
      is_previous ? context.machine() : std::nullopt));
  const bool doubtful =
      !time_doubts(*before.measured).empty() || !time_doubts(*after.measured).empty();
  if (doubtful) mark_doubt(out);
  return out;
}

enum class Against { kFirst, kPrevious };

// The entry that `at` is compared with: of its case the first or the latest before it; without one,
// any entry before it, which is then another case.
const Entry* reference_of(const Log& log, size_t at, Against against) {
  const Entry* same_case = nullptr;
  const Entry* any = nullptr;
  for (size_t i = 0; i < at; ++i) {
    const Entry& entry = log.entries[i];
    if (!usable(entry.measured) || entry.release == log.entries[at].release) continue;
    any = &entry;
    const bool same = entry.suite_case == log.entries[at].suite_case;
    if (same && (against == Against::kPrevious || same_case == nullptr)) same_case = &entry;
  }
  return same_case != nullptr ? same_case : any;
}

Json change_of(const Context& context, const Log& log, size_t at, Against against) {
  const Entry& entry = log.entries[at];
  if (!usable(entry.measured)) return missing_cell("n/a");
  const Entry* reference = reference_of(log, at, against);
  return reference == nullptr ? text_cell("first") : compared(context, *reference, entry);
}

// The place of a row in its log.
size_t place_of(const Log& log, const RowView& view) {
  const auto it = std::find_if(log.entries.begin(), log.entries.end(),
                               [&](const Entry& entry) { return &entry.row == view.row; });
  return static_cast<size_t>(it - log.entries.begin());
}

bool has_several_cases(const Log& log) {
  return std::any_of(log.entries.begin(), log.entries.end(), [&](const Entry& entry) {
    return entry.suite_case != log.entries[0].suite_case;
  });
}

Columns log_columns(const Context& context, const Log& log) {
  const auto release = [&log](const RowView& v) -> const Release& {
    return *log.entries[place_of(log, v)].release;
  };
  const auto change = [&context, &log](Against against) {
    return [&context, &log, against](const RowView& v) {
      return change_of(context, log, place_of(log, v), against);
    };
  };
  Columns columns{
      {"release", "Release", "left", [=](const RowView& v) { return text_cell(release(v).name); }},
      {"date", "Measured", "left",
       [=](const RowView& v) { return text_cell(day_of(release(v).data.run)); }},
  };
  if (has_several_cases(log)) {
    columns.push_back(
        {"case", "Case", "left", [](const RowView& v) { return code_cell(v.row->text); }});
  }
  columns.insert(
      columns.end(),
      {{"time", "Time", "right", [](const RowView& v) { return time_cell(v.after); }},
       {"first", "Time vs first", "right", change(Against::kFirst)},
       {"previous", "Time vs previous", "right", change(Against::kPrevious)},
       {"allocs", "allocs/op", "right", [](const RowView& v) { return allocs_cell(v.after); }},
       {"bytes", "B/op", "right", [](const RowView& v) { return alloc_bytes_cell(v.after); }}});
  return columns;
}

// Does a release of the log tell it?
bool log_tells(const Log& log, const std::string& name) {
  return std::any_of(log.entries.begin(), log.entries.end(),
                     [&](const Entry& entry) { return told(entry.measured, name).has_value(); });
}

// What the rows tell beside their time, a line per release; no columns where they tell nothing.
Columns metric_columns(const Context& context, const Log& log) {
  Columns columns;
  const auto add = [&](const std::string& name, const std::string& label, auto cell) {
    if (!log_tells(log, name)) return;
    columns.push_back({name, label, "right", [cell](const RowView& v) { return cell(v.after); }});
  };
  add("episodes", "Episodes/s", [](auto* row) { return per_second_cell(row, "episodes"); });
  add("moves", "Game moves/s", [](auto* row) { return per_second_cell(row, "moves"); });
  add("train_call_ns", "Per training call",
      [](auto* row) { return metric_time_cell(row, "train_call_ns"); });
  add("peak_rss_bytes", "Peak RSS", rss_cell);
  if (columns.empty()) return columns;
  columns.push_back(
      {"peak", "Peak bytes", "right", [](const RowView& v) { return peak_bytes_cell(v.after); }});
  Columns who = log_columns(context, log);
  std::erase_if(who, [](const Column& column) {
    return column.id != "release" && column.id != "date" && column.id != "case";
  });
  columns.insert(columns.begin(), who.begin(), who.end());
  return columns;
}

// Why cells of such a table are empty; no note where every release told something.
Json notes_of_silent(const Log& log) {
  std::vector<std::string> names;
  for (const Entry& entry : log.entries) {
    const bool tells = told(entry.measured, "episodes") || told(entry.measured, "peak_rss_bytes");
    const bool known = std::find(names.begin(), names.end(), entry.release->name) != names.end();
    if (usable(entry.measured) && !tells && !known) names.push_back(entry.release->name);
  }
  if (names.empty()) return Json::array();
  return Json::array({"Rates and RSS were not told by the programs of " + join(names, ", ") + "."});
}

Log& log_of(std::vector<Log>& logs, const std::string& title) {
  const auto log =
      std::find_if(logs.begin(), logs.end(), [&](auto& l) { return l.title == title; });
  return log != logs.end() ? *log : *logs.insert(logs.end(), Log{title, {}});
}

// Has a release of the log measured this case?
bool was_measured(const Log& log, size_t suite_case) {
  return std::any_of(log.entries.begin(), log.entries.end(), [&](const Entry& entry) {
    return entry.suite_case == suite_case && entry.measured != nullptr;
  });
}

// A line for a case that the release measured, or lost since an earlier one. A release that has
// measured none of the log's cases, nor lost one, has no place in it; the report's own run always
// has, so that a case that nobody measured is not passed over.
void add_entry(Log& log, Entry entry, bool is_own_run) {
  const bool has_line = !log.entries.empty() && log.entries.back().release == entry.release;
  const bool wanted = entry.measured != nullptr || was_measured(log, entry.suite_case);
  if (!wanted && (has_line || !is_own_run)) return;
  const bool says_none = has_line && log.entries.back().measured == nullptr &&
                         !was_measured(log, log.entries.back().suite_case);
  if (says_none) log.entries.pop_back();
  log.entries.push_back(std::move(entry));
}

void add_release(std::vector<Log>& logs, const Release& release, bool is_own_run,
                 const Context& context) {
  const RunIndex index(release.data.rows);
  const std::vector<CaseRow> rows = case_rows(context.suite(), index);
  for (size_t i = 0; i < rows.size(); ++i) {
    for (const Selector& selector : context.ours_of(rows[i])) {
      const bool is_own = !rows[i].from->variants.empty();
      const std::string variant = is_own ? ", " + role_text(selector) : "";
      Entry entry{&release, i, rows[i], index.find(rows[i].text, selector, rows[i].threads)};
      entry.row.differs = release.name;  // names the row in notes
      add_entry(log_of(logs, title_of(rows[i]) + variant), std::move(entry), is_own_run);
    }
  }
}

// The bars of one case, a place for each release.
Json bars_of(const Log& log, size_t suite_case, const std::vector<const Release*>& releases,
             Range& range) {
  Json out;
  out["label"] = "";
  out["values"] = Json::array();
  out["texts"] = Json::array();
  for (const Release* release : releases) {
    const auto it = std::find_if(log.entries.begin(), log.entries.end(), [&](const Entry& entry) {
      return entry.release == release && entry.suite_case == suite_case && usable(entry.measured);
    });
    const bool has = it != log.entries.end();
    out["values"].push_back(has ? Json(it->measured->wall_ns) : Json(nullptr));
    out["texts"].push_back(has ? human_time(it->measured->wall_ns) : "");
    if (has) out["label"] = it->row.text;
    if (has) widen(range, it->measured->wall_ns);
  }
  return out;
}

// Time over releases, a series per case; none without any time.
Json plots_of(const Context& context, const Log& log) {
  std::vector<const Release*> releases;
  std::vector<size_t> cases;
  Json names = Json::array();
  for (const Entry& entry : log.entries) {
    if (std::find(cases.begin(), cases.end(), entry.suite_case) == cases.end()) {
      cases.push_back(entry.suite_case);
    }
    if (!releases.empty() && releases.back() == entry.release) continue;
    releases.push_back(entry.release);
    names.push_back(entry.release->name);
  }
  Range range = kNothing;
  Json series = Json::array();
  for (const size_t suite_case : cases) {
    Json bars = bars_of(log, suite_case, releases, range);
    if (bars["label"] != "") series.push_back(std::move(bars));
  }
  if (series.empty()) return Json::array();
  Json out = plot_head("bars", context, log.title);
  out["x_axis"] =
      axis("time per operation (wall, log scale; left is better)", log_ticks(range, time_tick));
  out["categories"] = std::move(names);
  out["series"] = std::move(series);
  return Json::array({std::move(out)});
}

// What the suite says of the cases of a log, each once.
Json notes_of(const Log& log) {
  Json notes = Json::array();
  for (const Entry& entry : log.entries) {
    std::string note = trim(entry.row.from->note);
    std::replace(note.begin(), note.end(), '\n', ' ');
    const bool known = std::find(notes.begin(), notes.end(), note) != notes.end();
    if (!note.empty() && !known) notes.push_back(note);
  }
  return notes;
}

// Which rows of this run are slower than at the release before that measured them.
Json slower_section(const Context& context, const std::vector<Log>& logs) {
  Json section = plain_section("What is slower, and why", Json());
  section["tables"] = Json::array();
  size_t compared = 0;
  for (const Log& log : logs) {
    for (size_t i = 0; i < log.entries.size(); ++i) {
      const Entry& entry = log.entries[i];
      if (entry.release != &context.releases().back()) continue;
      const Json cell = change_of(context, log, i, Against::kPrevious);
      compared += cell.contains("interval_text") ? 1 : 0;
      if (cell.value("verdict", "") != "worse") continue;
      section["notes"].push_back(
          fmt::format("{}: {} {} than at {}; what this run brings is listed under its changes.",
                      log.title, cell["text"].get<std::string>(), cell.value("interval_text", ""),
                      reference_of(log, i, Against::kPrevious)->release->name));
    }
  }
  if (section["notes"].empty()) {
    section["notes"].push_back(
        compared == 0 ? "Nothing is compared with a release before."
                      : fmt::format("No row is slower than at the release before, of {}.",
                                    counted_rows(compared)));
  }
  return section;
}

// One section per row name, number of threads and (where a case names its own) variant, with a line
// per release and case that it measured or, measured by an earlier one, lost. The last release is
// the report's own run, which has a line in every section. Cases of one name stand in one table but
// are never compared with each other; neither are other hosts, build types, targets or inputs: such
// a cell says `incomparable`, and a note why.
void add_logs(const Context& context, Json& report) {
  const std::span<const Release> releases = context.releases();
  std::vector<Log> logs;
  for (const Release& release : releases) {
    if (release.measured()) add_release(logs, release, &release == &releases.back(), context);
  }
  Json& sections = report["sections"];
  for (const Log& log : logs) {
    std::vector<RowView> rows;
    for (const Entry& entry : log.entries) {
      RowView view;
      view.row = &entry.row;
      view.after = entry.measured;
      add_measured(view, entry.measured);
      rows.push_back(view);
    }
    sections.push_back(plain_section(log.title, main_table("", log_columns(context, log), rows)));
    sections.back()["notes"] = notes_of(log);
    if (const Columns metrics = metric_columns(context, log); !metrics.empty()) {
      sections.back()["tables"].push_back(make_table("Rates and memory", metrics, rows));
      for (const Json& note : notes_of_silent(log)) sections.back()["notes"].push_back(note);
    }
    sections.back()["plots"] = plots_of(context, log);
  }
  sections.push_back(slower_section(context, logs));
}

}  // namespace

constinit const Form kTracking{
    .name = "tracking",
    .about = "a log of releases, each against the first and the one before",
    .needs_before = false,
    .lists_releases = true,
    .complete = add_logs,
    .last_sections = change_sections,
};

}  // namespace nsop::report
