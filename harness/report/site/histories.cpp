#include "harness/report/site/histories.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/core/identity.h"
#include "harness/core/text.h"
#include "harness/judge/builds/commits.h"
#include "harness/report/base/format.h"
#include "harness/report/stored/history.h"

namespace nsop::report {
namespace {

using judge::Point;
using judge::RowHistory;

constexpr size_t kMostPoints = 200;
constexpr size_t kFewest = stats::ChangePolicy().fewest;

Json point_json(const Point& point, std::string_view left_out) {
  const std::string why = !left_out.empty()             ? std::string(left_out)
                          : point.status != Status::kOk ? status_text(point.status)
                                                        : "";
  const bool timed = point.ns > 0;
  return Json::array({utc_seconds(point.started_utc.str()).value_or(0),
                      timed ? Json(point.ns) : Json(), timed ? human_time(point.ns) : "",
                      short_id(point.run_id), judge::short_commit(point.commit), why});
}

// The commit before the change, of the newest point before it that counts; empty: there is none.
std::string commit_before(const RowHistory& h, size_t index) {
  for (size_t i = index; i-- > 0;) {
    if (h.left_out[i].empty() && h.line[i].ns > 0) return h.line[i].commit;
  }
  return "";
}

Json change_json(const RowHistory& h, const stats::ChangePoint& change, size_t first) {
  const std::string commit = h.line[change.index].commit;
  const std::string before = commit_before(h, change.index);
  const std::string command =
      before.empty() || before == commit
          ? ""
          : fmt::format("nsop bisect {} --variant {} --threads {} --good {} --bad {}",
                        shell_word(h.row.case_text), shell_word(h.row.variant + "@" + h.row.target),
                        h.row.threads, judge::short_commit(before), judge::short_commit(commit));
  return {{"at", change.index - first},
          {"text", change_text(change)},
          {"verdict", change.ratio > 1 ? "worse" : "better"},
          {"commit", judge::short_commit(commit)},
          {"command", command}};
}

size_t counted_runs(const RowHistory& h) {
  return static_cast<size_t>(std::count(h.left_out.begin(), h.left_out.end(), std::string_view()));
}

std::string conclusion_of(const RowHistory& h) {
  const size_t counted = counted_runs(h);
  const std::string runs = fmt::format("{} run{}", counted, counted == 1 ? "" : "s");
  if (counted < kFewest) {
    return fmt::format("{}: changes of level are looked for from {} runs on.", runs, kFewest);
  }
  if (h.changes.empty()) return fmt::format("No change of its level in {}.", runs);
  const stats::ChangePoint& last = h.changes.back();
  const Point& point = h.line[last.index];
  return fmt::format("Its level changed {} in {}, last by {} with commit {} on {}.",
                     h.changes.size() == 1 ? "once" : fmt::format("{} times", h.changes.size()),
                     runs, change_text(last), judge::short_commit(point.commit),
                     point.started_utc.str().substr(0, 10));
}

}  // namespace

Json history_json(const RowHistory& h) {
  const size_t first = h.line.size() - std::min(kMostPoints, h.line.size());
  Json points = Json::array(), changes = Json::array(), levels = Json::array();
  for (size_t i = first; i < h.line.size(); ++i) {
    points.push_back(point_json(h.line[i], h.left_out[i]));
  }
  for (const stats::ChangePoint& change : h.changes) {
    if (change.index >= first) changes.push_back(change_json(h, change, first));
  }
  for (const HistoryLevel& level : levels_of(h, first)) {
    levels.push_back(Json::array({level.first - first, level.last - first, level.ns}));
  }
  return {{"conclusion", conclusion_of(h)},
          {"points", std::move(points)},
          {"changes", std::move(changes)},
          {"levels", std::move(levels)}};
}

Histories::Histories(const judge::Past& past, judge::BuildPlace place, std::string newest)
    : past_(past), place_(std::move(place)), newest_(std::move(newest)) {}

Json Histories::of(const SiteRow& row) {
  ++asked_;
  const std::string& host_id = row.host_id();
  auto branch = branches_.find(host_id);
  if (branch == branches_.end()) {
    branch = branches_
                 .emplace(std::piecewise_construct, std::forward_as_tuple(host_id),
                          std::forward_as_tuple(place_, "HEAD", newest_, past_.commits(host_id)))
                 .first;
  }
  RowHistory history{row.measured->row, past_.line(row.measured->row, host_id), {}, {}};
  if (history.line.empty()) return nullptr;
  branch->second.follow(history);
  looked_at_ += counted_runs(history) < kFewest ? 0 : 1;
  return history_json(history);
}

}  // namespace nsop::report
