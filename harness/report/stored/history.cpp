#include "harness/report/stored/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/judge/builds/commits.h"
#include "harness/report/base/format.h"
#include "harness/report/base/plots/plot_axes.h"
#include "harness/stats/base/robust.h"

namespace nsop::report {
namespace {

using judge::Point;
using judge::RowHistory;

constexpr size_t kMostDates = 6;

std::string date_of(const Point& point) { return point.started_utc.str().substr(0, 10); }

// The points from `first` on.
class HistoryPlot {
 public:
  HistoryPlot(const RowHistory& history, size_t first) : h_(history), first_(first) {}

  Json json() {
    Json out;
    out["schema"] = "nsop.plot/1";
    out["kind"] = "history";
    out["id"] = "history";
    out["title"] = fmt::format("{}, {}", h_.row.case_text, h_.row.variant);
    out["points"] = points(true);
    out["left_out"] = points(false);
    out["failed"] = failures();
    out["levels"] = levels();
    out["changes"] = changes();
    if (out["points"].empty()) {
      throw usage_error(fmt::format("'{}': no night that counts has a time", h_.row.text()));
    }
    out["x_axis"] = axis(on_one_day() ? "commit, all measured on one day" : "night", nights());
    const char* what = h_.row.threads == 1 ? "CPU time of an operation" : "time of an operation";
    out["y_axis"] = axis(what, even_ticks(range_, fine_time_tick));
    return out;
  }

 private:
  static constexpr size_t kFirstPlace = 1;

  double place(size_t i) const { return static_cast<double>(i - first_ + kFirstPlace); }
  bool counts(size_t i) const { return h_.left_out[i].empty(); }

  Json points(bool that_count) {
    Json list = Json::array();
    for (size_t i = first_; i < h_.line.size(); ++i) {
      if (!(h_.line[i].ns > 0) || counts(i) != that_count) continue;
      list.push_back({{"x", place(i)}, {"y", h_.line[i].ns}});
      widen(range_, h_.line[i].ns);
    }
    return list;
  }

  Json failures() const {
    Json list = Json::array();
    for (size_t i = first_; i < h_.line.size(); ++i) {
      if (!(h_.line[i].ns > 0) && counts(i)) list.push_back(place(i));
    }
    return list;
  }

  Json levels() const {
    Json list = Json::array();
    for (const HistoryLevel& level : levels_of(h_, first_)) {
      list.push_back({{"from", place(level.first)}, {"to", place(level.last)}, {"y", level.ns}});
    }
    return list;
  }

  Json changes() const {
    Json list = Json::array();
    for (const stats::ChangePoint& c : h_.changes) {
      if (c.index < first_) continue;
      const Point& point = h_.line[c.index];
      list.push_back(
          {{"x", place(c.index)},
           {"worse", c.ratio > 1},
           {"text", change_text(c)},
           {"commit", fmt::format("{}, {}", judge::short_commit(point.commit), date_of(point))}});
    }
    return list;
  }

  bool on_one_day() const { return date_of(h_.line[first_]) == date_of(h_.line.back()); }

  // Ticks: the dates of nights; of runs of one day their commits.
  Json nights() const {
    Json ticks = Json::array();
    const size_t count = h_.line.size() - first_;
    const size_t shown = std::min(kMostDates, std::max<size_t>(count, 2));
    for (size_t k = 0; k < shown; ++k) {
      const size_t i = count < 2 ? 0 : k * (count - 1) / (shown - 1);
      const double at = count < 2 ? static_cast<double>(k + kFirstPlace) : place(first_ + i);
      const Point& point = h_.line[first_ + i];
      ticks.push_back({{"value", at},
                       {"text", on_one_day() ? judge::short_commit(point.commit).substr(0, 7)
                                             : date_of(point)}});
    }
    return ticks;
  }

  const RowHistory& h_;
  size_t first_;
  Range range_ = kNothing;
};

bool begins_level(const RowHistory& h, size_t i) {
  return std::any_of(h.changes.begin(), h.changes.end(),
                     [&](const stats::ChangePoint& change) { return change.index == i; });
}

}  // namespace

std::string change_text(const stats::ChangePoint& change) {
  return fmt::format("{} [{}, {}]", change_text(change.ratio - 1), change_text(change.lo - 1),
                     change_text(change.hi - 1));
}

std::vector<HistoryLevel> levels_of(const RowHistory& h, size_t first) {
  std::vector<HistoryLevel> levels;
  std::vector<double> values;
  size_t begin = 0, last = 0;
  const auto end_level = [&] {
    if (!values.empty()) levels.push_back({begin, last, stats::median(values)});
    values.clear();
  };
  for (size_t i = first; i < h.line.size(); ++i) {
    if (!(h.line[i].ns > 0) || !h.left_out[i].empty()) continue;
    const bool other_segment = !values.empty() && h.line[i].segment != h.line[last].segment;
    if (begins_level(h, i) || other_segment) end_level();
    if (values.empty()) begin = i;
    values.push_back(h.line[i].ns);
    last = i;
  }
  end_level();
  return levels;
}

Json history_plot(const RowHistory& history, size_t newest) {
  const size_t first = history.line.size() - std::min(newest, history.line.size());
  return HistoryPlot(history, first).json();
}

}  // namespace nsop::report
