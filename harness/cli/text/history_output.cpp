#include "harness/cli/text/history_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "harness/cli/session.h"
#include "harness/cli/text/sparkline.h"
#include "harness/core/text.h"
#include "harness/judge/builds/commits.h"
#include "harness/report/base/format.h"
#include "harness/report/stored/history.h"

namespace nsop::cli {
namespace {

using judge::RowHistory;

// Points that count.
size_t points_of(const RowHistory& h) {
  return static_cast<size_t>(std::count(h.left_out.begin(), h.left_out.end(), std::string_view()));
}

// The newest point that counts; nullptr: there is none.
const judge::Point* newest_of(const RowHistory& h) {
  for (size_t i = h.line.size(); i-- > 0;) {
    if (h.left_out[i].empty()) return &h.line[i];
  }
  return nullptr;
}

const stats::ChangePoint* change_at(const RowHistory& h, size_t i) {
  for (const stats::ChangePoint& change : h.changes) {
    if (change.index == i) return &change;
  }
  return nullptr;
}

// Does a point begin another segment than the newest one with a time before it that counts?
bool begins_segment(const RowHistory& h, size_t i) {
  const auto has_time = [&](size_t k) { return h.left_out[k].empty() && h.line[k].ns > 0; };
  if (!has_time(i)) return false;
  for (size_t k = i; k-- > 0;) {
    if (has_time(k)) return h.line[k].segment != h.line[i].segment;
  }
  return false;
}

std::string mark_of(const RowHistory& h, size_t i) {
  const judge::Point& p = h.line[i];
  if (!h.left_out[i].empty()) return "left out: " + std::string(h.left_out[i]);
  if (p.status != Status::kOk) return status_text(p.status);
  if (const stats::ChangePoint* change = change_at(h, i)) {
    return "level changed by " + report::change_text(*change);
  }
  if (begins_segment(h, i)) return "another toolchain or other inputs: a new segment";
  return p.backfilled ? "measured afterwards" : "";
}

Json point_json(const RowHistory& h, size_t i) {
  const judge::Point& p = h.line[i];
  const std::string_view why = h.left_out[i];
  return {{"run", p.run_id},
          {"started", p.started_utc},
          {"commit", p.commit},
          {"status", status_text(p.status)},
          {"ns", p.ns > 0 ? Json(p.ns) : Json()},
          {"wall_ns", p.wall_ns > 0 ? Json(p.wall_ns) : Json()},
          {"invocations", p.invocations},
          {"excess", p.excess ? Json(*p.excess) : Json()},
          {"first_ns", p.first_ns ? Json(*p.first_ns) : Json()},
          {"allocs_per_op", p.allocs ? Json(*p.allocs) : Json()},
          {"bytes_per_op", p.bytes ? Json(*p.bytes) : Json()},
          {"backfilled", p.backfilled},
          {"left_out", !why.empty()},
          {"left_out_because", why.empty() ? Json() : Json(why)},
          {"new_segment", begins_segment(h, i)}};
}

Json row_json(const RowHistory& h) {
  Json points = Json::array(), changes = Json::array();
  for (size_t i = 0; i < h.line.size(); ++i) points.push_back(point_json(h, i));
  for (const stats::ChangePoint& c : h.changes) {
    changes.push_back({{"point", c.index},
                       {"commit", h.line[c.index].commit},
                       {"ratio", c.ratio},
                       {"lo", c.lo},
                       {"hi", c.hi}});
  }
  return {{"case", h.row.case_text},  {"variant", h.row.variant}, {"target", h.row.target},
          {"threads", h.row.threads}, {"points", points},         {"changes", changes}};
}

std::string line_of_blocks(const RowHistory& h, size_t first) {
  std::vector<double> values;
  for (size_t i = first; i < h.line.size(); ++i) {
    values.push_back(h.left_out[i].empty() ? h.line[i].ns : 0);
  }
  return sparkline(values);
}

size_t first_shown(const RowHistory& h, size_t last) {
  return h.line.size() > last ? h.line.size() - last : 0;
}

void print_points(Context& context, const RowHistory& h, size_t last) {
  const size_t first = first_shown(h, last);
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

std::string last_change(const RowHistory& h) {
  if (h.changes.empty()) return "-";
  const stats::ChangePoint& last = h.changes.back();
  return fmt::format("{} on {}", report::change_text(last),
                     h.line[last.index].started_utc.str().substr(0, 10));
}

constexpr size_t kFewest = stats::ChangePolicy().fewest;

}  // namespace

HistoryOutput::HistoryOutput(Context& context, const std::string& host_id, size_t last)
    : context_(context),
      host_id_(host_id),
      last_(last),
      lines_({{"case"},
              {"variant"},
              {"threads", true},
              {"runs", true},
              {"history"},
              {"now", true},
              {"last change"}}) {}

void HistoryOutput::add(RowHistory&& row) {
  is_short_ = is_short_ && points_of(row) < kFewest;
  if (context_.json) {
    rows_.push_back(row_json(row));
    return;
  }
  add_line(row);
  if (lines_.size() == 1) {
    only_ = std::move(row);
  } else {
    only_.reset();
  }
}

void HistoryOutput::add_line(const RowHistory& h) {
  const judge::Point* newest = newest_of(h);
  const std::string now = newest == nullptr ? "-"
                          : newest->ns > 0  ? report::human_time(newest->wall_ns)
                                            : status_text(newest->status);
  lines_.add({h.row.case_text, h.row.variant + "@" + h.row.target, fmt::format("{}", h.row.threads),
              fmt::format("{}", points_of(h)), line_of_blocks(h, first_shown(h, last_)), now,
              last_change(h)});
}

Json HistoryOutput::view(const std::string& head) {
  assert(!rows_.empty());
  return {{"schema", "nsop.history/1"},
          {"host", host_id_},
          {"head", head.empty() ? Json() : Json(head)},
          {"rows", std::move(rows_)}};
}

ExitCode HistoryOutput::end(const std::string& head) {
  if (context_.json) {
    context_.out << view(head).dump(2) << '\n';
    return ExitCode::kOk;
  }
  assert(lines_.size() > 0);
  if (only_) {
    print_points(context_, *only_, last_);
  } else {
    lines_.print(context_.out);
  }
  if (is_short_) {
    context_.note(fmt::format("changes of level are looked for from {} runs on", kFewest));
  }
  return ExitCode::kOk;
}

}  // namespace nsop::cli
