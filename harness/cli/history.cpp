// nsop history: what every run of a host said of a case, and where its level changed.
#include <fmt/format.h>

#include <algorithm>

#include "harness/cli/past.h"
#include "harness/cli/sparkline.h"
#include "harness/cli/table.h"
#include "harness/core/json.h"
#include "harness/core/util.h"
#include "harness/judge/commits.h"
#include "harness/report/format.h"
#include "harness/stats/change_points.h"

namespace nsop::cli {
namespace {

struct HistoryOptions {
  std::string pattern, variant, host, folder;
  int threads = 0, last = 60;
};

void declare_history(CLI::App& verb, HistoryOptions& o) {
  verb.add_option("case", o.pattern, "Case or pattern, e.g. 'tanh pass=forward n=*'")->required();
  verb.add_option("--variant", o.variant, "Only this one, e.g. hwy or hwy@AVX2");
  verb.add_option("--threads", o.threads, "Only this number of threads")
      ->check(CLI::Range(1, 4096));
  verb.add_option("--host", o.host, "Start of a host's id (default: this one)");
  verb.add_option("--history", o.folder, "Folder of files that `nsop check --history` wrote");
  verb.add_option("--last", o.last, "Newest points that are shown (60)")
      ->check(CLI::Range(1, 100000));
}

// A row's history with the places of its changes, as places in the line. Points from `past` on are
// later than now: the clock was wrong then, and they count for nothing.
struct RowHistory {
  RowKey row;
  judge::Line line;
  size_t past = 0;
  std::vector<stats::ChangePoint> changes;
};

size_t count_until(const judge::Line& line, const std::string& now) {
  return static_cast<size_t>(std::count_if(
      line.begin(), line.end(), [&](const judge::Point& p) { return p.started_utc <= now; }));
}

bool selected(const RowKey& row, const HistoryOptions& o) {
  if (o.threads != 0 && row.threads != o.threads) return false;
  if (!o.variant.empty()) {
    const Selector wanted = Selector::parse(o.variant);
    if (wanted.variant != row.variant) return false;
    if (wanted.target != "best" && wanted.target != row.target) return false;
  }
  return row.case_text == o.pattern || case_matches(row.case_text, o.pattern);
}

[[noreturn]] void throw_nothing(const HistoryOptions& o, const std::vector<RowKey>& rows,
                                const std::string& host_id) {
  std::vector<std::string> cases;
  for (const RowKey& row : rows) cases.push_back(row.case_text);
  const auto hit = nearest(o.pattern, cases);
  throw usage_error(fmt::format("'{}': no run of host {} has such a row{}", o.pattern,
                                short_id(host_id),
                                hit ? fmt::format("; did you mean '{}'?", *hit)
                                    : "; `nsop list cases` shows cases, --host other machines"));
}

std::vector<RowHistory> collect(const Past& past, const HistoryOptions& o,
                                const std::string& host_id) {
  std::vector<RowHistory> found;
  const std::string now = utc_now();
  const std::vector<RowKey> rows = past.rows(host_id);
  for (const RowKey& row : rows) {
    if (!selected(row, o)) continue;
    RowHistory one{row, past.line(row, host_id), 0, {}};
    if (one.line.empty()) continue;
    one.past = count_until(one.line, now);
    const auto end = one.line.begin() + static_cast<std::ptrdiff_t>(one.past);
    const judge::Usable usable = judge::usable_points({one.line.begin(), end});
    one.changes = stats::change_points(usable.points, {});
    for (stats::ChangePoint& change : one.changes) change.index = usable.index[change.index];
    found.push_back(std::move(one));
  }
  if (found.empty()) throw_nothing(o, rows, host_id);
  return found;
}

const stats::ChangePoint* change_at(const RowHistory& h, size_t i) {
  for (const stats::ChangePoint& change : h.changes) {
    if (change.index == i) return &change;
  }
  return nullptr;
}

std::string change_text(const stats::ChangePoint& c) {
  return fmt::format("{} [{}, {}]", report::change_text(c.ratio - 1), report::change_text(c.lo - 1),
                     report::change_text(c.hi - 1));
}

std::string mark_of(const RowHistory& h, size_t i) {
  const judge::Point& p = h.line[i];
  if (i >= h.past) return "left out: later than now";
  if (p.status != Status::kOk) return status_text(p.status);
  if (const stats::ChangePoint* change = change_at(h, i)) {
    return "level changed by " + change_text(*change);
  }
  if (i > 0 && p.segment != h.line[i - 1].segment && h.line[i - 1].ns > 0) {
    return "another toolchain or other inputs: a new segment";
  }
  return {};
}

Json row_json(const RowHistory& h) {
  Json points = Json::array(), changes = Json::array();
  for (size_t i = 0; i < h.line.size(); ++i) {
    const judge::Point& p = h.line[i];
    points.push_back({{"run", p.run_id},
                      {"started", p.started_utc},
                      {"commit", p.commit},
                      {"status", status_text(p.status)},
                      {"ns", p.ns > 0 ? Json(p.ns) : Json()},
                      {"wall_ns", p.wall_ns > 0 ? Json(p.wall_ns) : Json()},
                      {"invocations", p.invocations},
                      {"allocs_per_op", p.allocs ? Json(*p.allocs) : Json()},
                      {"bytes_per_op", p.bytes ? Json(*p.bytes) : Json()},
                      {"left_out", i >= h.past},
                      {"new_segment", i > 0 && p.segment != h.line[i - 1].segment}});
  }
  for (const stats::ChangePoint& c : h.changes) {
    changes.push_back({{"point", c.index}, {"ratio", c.ratio}, {"lo", c.lo}, {"hi", c.hi}});
  }
  return {{"case", h.row.case_text},  {"variant", h.row.variant}, {"target", h.row.target},
          {"threads", h.row.threads}, {"points", points},         {"changes", changes}};
}

std::string line_of_blocks(const RowHistory& h, size_t first) {
  std::vector<double> values;
  for (size_t i = first; i < h.line.size(); ++i) values.push_back(h.line[i].ns);
  return sparkline(values);
}

size_t first_shown(const RowHistory& h, const HistoryOptions& o) {
  const auto last = static_cast<size_t>(o.last);
  return h.line.size() > last ? h.line.size() - last : 0;
}

void print_points(Context& context, const HistoryOptions& o, const RowHistory& h) {
  const size_t first = first_shown(h, o);
  context.out << printable(h.row.text()) << '\n' << line_of_blocks(h, first) << '\n';
  Table table({{"started"},
               {"run"},
               {"commit"},
               {"time/op", true},
               {"invocations", true},
               {"allocs/op", true},
               {"note"}});
  for (size_t i = first; i < h.line.size(); ++i) {
    const judge::Point& p = h.line[i];
    table.add({p.started_utc, short_id(p.run_id), judge::short_commit(p.commit),
               p.ns > 0 ? report::human_time(p.wall_ns) : "-", fmt::format("{}", p.invocations),
               p.allocs ? report::count_text(*p.allocs) : "n/a", mark_of(h, i)});
  }
  table.print(context.out);
  if (first > 0) context.out << fmt::format("{} older runs not shown (--last)\n", first);
}

void print_overview(Context& context, const HistoryOptions& o, const std::vector<RowHistory>& all) {
  Table table({{"case"},
               {"variant"},
               {"threads", true},
               {"runs", true},
               {"history"},
               {"now", true},
               {"last change"}});
  for (const RowHistory& h : all) {
    const judge::Point& now = h.line.back();
    const std::string change =
        h.changes.empty() ? "-"
                          : fmt::format("{} on {}", change_text(h.changes.back()),
                                        h.line[h.changes.back().index].started_utc.substr(0, 10));
    table.add({h.row.case_text, h.row.variant + "@" + h.row.target,
               fmt::format("{}", h.row.threads), fmt::format("{}", h.line.size()),
               line_of_blocks(h, first_shown(h, o)),
               now.ns > 0 ? report::human_time(now.wall_ns) : status_text(now.status), change});
  }
  table.print(context.out);
}

ExitCode history_verb(Context& context, const HistoryOptions& o) {
  const Past past(context.settings, o.folder);
  const std::string host_id = find_host(past, o.host);
  const std::vector<RowHistory> all = collect(past, o, host_id);
  if (context.json) {
    Json rows = Json::array();
    for (const RowHistory& h : all) rows.push_back(row_json(h));
    context.out << Json{{"schema", "nsop.history/1"}, {"host", host_id}, {"rows", rows}}.dump(2)
                << '\n';
    return ExitCode::kOk;
  }
  if (all.size() == 1) {
    print_points(context, o, all[0]);
  } else {
    print_overview(context, o, all);
  }
  const bool short_history = std::all_of(all.begin(), all.end(), [](const RowHistory& h) {
    return h.line.size() < stats::ChangePolicy().fewest;
  });
  if (short_history) {
    context.note(fmt::format("changes of level are looked for from {} runs on",
                             stats::ChangePolicy().fewest));
  }
  return ExitCode::kOk;
}

}  // namespace

void add_history(CLI::App& app, Context& context) {
  add_verb<HistoryOptions>(app, context, "history", "Show a case over all runs of a host",
                           declare_history, history_verb);
}

}  // namespace nsop::cli
