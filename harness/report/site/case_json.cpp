#include "harness/report/site/case_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "harness/core/case.h"
#include "harness/core/text.h"
#include "harness/judge/builds/commits.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/report/base/peers.h"
#include "harness/report/base/plots/plot_axes.h"

namespace nsop::report {
namespace {

constexpr size_t kMostNeighbours = 12;
constexpr const char* kSizeKey = "n";

std::string commit_of_build(const RunData& run, const std::string& build_id) {
  for (const Build& build : run.builds) {
    if (build.id == build_id) return judge::short_commit(build.commit);
  }
  return "";
}

const stats::RowSummary* best_peer_of(const SiteRow& row) {
  if (!row.ours || !row.shown->context->has_peers()) return nullptr;
  return row.shown->context->best_peer(*row.place, row.measured);
}

std::string invocations_text(const stats::RowSummary& row) {
  if (row.wall_values.empty()) return "";
  const auto [lo, hi] = std::minmax_element(row.wall_values.begin(), row.wall_values.end());
  const std::string count =
      fmt::format("{} process{}", row.wall_values.size(), row.wall_values.size() == 1 ? "" : "es");
  return fmt::format("{}, {} to {}", count, human_time(*lo), human_time(*hi));
}

std::string bound_of(const SiteRow& row) {
  const auto roof = row.shown->context->roof(row.measured->row);
  return roof ? roof->text() : "unknown";
}

// The limit that a row can't be faster than; nullopt where none is certain.
std::optional<double> limit_ns(const SiteRow& row) {
  if (!usable(row.measured)) return std::nullopt;
  const auto roof = row.shown->context->roof(row.measured->row);
  const bool certain = roof && roof->certain() && roof->limit_ns > 0 &&
                       !row.shown->context->in_doubt(*roof, row.measured->wall_ns);
  return certain ? std::optional(roof->limit_ns) : std::nullopt;
}

Json notes_of(const stats::RowSummary& row) {
  Json notes = row_notes(row);
  if (!row.chose.empty()) {
    notes.push_back({{"kind", "chose"}, {"who", who(row)}, {"text", row.chose}});
  }
  return notes;
}

// The row of another case that is measured as this one is.
const SiteRow* same_row(const SiteCase& in, const SiteRow& row) {
  for (const SiteRow& one : in.rows) {
    const RowKey &a = one.measured->row, &b = row.measured->row;
    if (one.host_id() == row.host_id() && a.variant == b.variant && a.target == b.target &&
        a.threads == b.threads) {
      return &one;
    }
  }
  return nullptr;
}

struct SweepPoint {
  double size = 0, ns = 0;
  Json json;
};

std::vector<SweepPoint> sweep_points(const std::vector<const SiteCase*>& cases,
                                     const SiteRow& row) {
  std::vector<SweepPoint> points;
  for (const SiteCase* one : cases) {
    const SiteRow* at = same_row(*one, row);
    const double size = element_count_of(one->text);
    if (at == nullptr || !usable(at->measured) || size <= 0) continue;
    const double ns = at->measured->wall_ns;
    const auto limit = limit_ns(*at);
    points.push_back({size, ns,
                      Json::array({size, ns, human_time(ns), one->id, limit ? Json(*limit) : Json(),
                                   count_text(size), limit ? human_time(*limit) : ""})});
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const SweepPoint& a, const SweepPoint& b) { return a.size < b.size; });
  return points;
}

std::map<std::string, size_t> rows_by_suite(const SiteCase& one) {
  std::map<std::string, size_t> rows;
  for (const SiteRow& row : one.rows) {
    for (const std::string& suite : row.suites) ++rows[suite];
  }
  return rows;
}

bool shows_a_row(const ShownSuite& shown, const SiteCase& one) {
  return std::any_of(one.rows.begin(), one.rows.end(), [&](const SiteRow& row) {
    const std::vector<std::string>& names = row.suites;
    return row.host_id() == shown.run->run.host_id &&
           std::find(names.begin(), names.end(), shown.suite.name) != names.end();
  });
}

const ShownSuite* newest_showing(const SiteCase& one, const std::string& suite,
                                 const ShownSuites& shown) {
  const ShownSuite* newest = nullptr;
  for (const std::unique_ptr<ShownSuite>& candidate : shown.suites()) {
    if (candidate->suite.name != suite || !shows_a_row(*candidate, one)) continue;
    const bool newer =
        newest == nullptr || candidate->run->run.started_utc > newest->run->run.started_utc;
    if (newer) newest = candidate.get();
  }
  return newest;
}

// The rows that a sentence speaks of: what ours takes by itself, the first of each host.
std::vector<const SiteRow*> spoken_of(const SiteCase& one) {
  std::vector<const SiteRow*> rows;
  for (const SiteRow& row : one.rows) {
    const bool first = rows.empty() || rows.back()->host_id() != row.host_id();
    if (row.dispatch && first) rows.push_back(&row);
  }
  return rows;
}

std::string sentence_of(const SiteRow& row) {
  const stats::RowSummary& measured = *row.measured;
  const std::string threads =
      fmt::format("{} thread{}", measured.row.threads, measured.row.threads == 1 ? "" : "s");
  if (!usable(&measured)) {
    return fmt::format("{} has no time on {}: {}.", who(measured), threads,
                       status_text(measured.status));
  }
  std::string text = fmt::format("{} takes {} on {}", who(measured),
                                 time_cell(&measured)["text"].get<std::string>(), threads);
  const stats::RowSummary* best = best_peer_of(row);
  const Json peer = peer_cell(row);
  if (best != nullptr && peer["kind"] == "ratio") {
    text += fmt::format("; against {}, the fastest other library: {} ({})",
                        peer_text(*best, row.place->threads), peer["text"].get<std::string>(),
                        peer["verdict"].get<std::string>());
  }
  return text + ".";
}

}  // namespace

std::optional<double> recoverable_ns(const SiteRow& row) {
  const auto limit = limit_ns(row);
  if (!limit) return std::nullopt;
  return std::max(0.0, row.measured->wall_ns - *limit);
}

Json peer_cell(const SiteRow& row) {
  if (!row.ours || !row.shown->context->has_peers()) return nullptr;
  return row.shown->context->best_peer_cell(*row.place, row.measured);
}

std::optional<double> gap_of(const SiteRow& row) {
  const Json cell = peer_cell(row);
  if (!cell.is_object() || cell["kind"] != "ratio") return std::nullopt;
  return 1 / cell["value"].get<double>();
}

Json limit_cell(const SiteRow& row) {
  RowView view;
  view.row = row.place;
  view.after = row.measured;
  return standing_cell(*row.shown->context, view);
}

Json row_json(const SiteRow& row) {
  const stats::RowSummary& measured = *row.measured;
  const RunData& run = *row.shown->run;
  const stats::RowSummary* best = best_peer_of(row);
  const auto gap = gap_of(row);
  const auto recoverable = recoverable_ns(row);
  Json json = {{"id", row_id(row)},
               {"variant", measured.row.variant},
               {"target", measured.row.target},
               {"threads", measured.row.threads},
               {"host", short_id(run.run.host_id)},
               {"who", who(measured)},
               {"ours", row.ours},
               {"suites", row.suites},
               {"status", status_text(measured.status)},
               {"run", short_id(run.run.id)},
               {"commit", commit_of_build(run, measured.build_id)},
               {"utc", minute_text(run.run.started_utc)},
               {"trust", run.run.trust}};
  json["time"] = time_cell(&measured);
  json["peer_name"] = best == nullptr ? "" : peer_text(*best, row.place->threads);
  json["peer"] = peer_cell(row);
  json["limit"] = limit_cell(row);
  json["bound"] = bound_of(row);
  json["allocs"] = allocs_cell(&measured);
  json["bytes"] = alloc_bytes_cell(&measured);
  json["gap"] = gap ? Json(*gap) : Json();
  json["recoverable"] = recoverable ? duration_cell(*recoverable) : Json();
  json["doubts"] = time_doubts(measured);
  json["notes"] = notes_of(measured);
  json["command"] = repro_command(measured);
  json["invocations"] = measured.wall_values;
  json["invocations_text"] = invocations_text(measured);
  json["invocation_texts"] = Json::array();
  for (const double ns : measured.wall_values) json["invocation_texts"].push_back(human_time(ns));
  return json;
}

Json sweep_json(const SiteCase& one, const Neighbours& neighbours) {
  const std::vector<const SiteCase*> cases = neighbours.along(one, kSizeKey);
  Json series = Json::array();
  Range x = kNothing, y = kNothing;
  for (const SiteRow& row : one.rows) {
    if (!row.ours) continue;
    const std::vector<SweepPoint> points = sweep_points(cases, row);
    if (points.size() < 2) continue;
    Json list = Json::array();
    for (const SweepPoint& point : points) {
      widen(x, point.size);
      widen(y, point.ns);
      if (point.json[4].is_number()) widen(y, point.json[4]);
      list.push_back(point.json);
    }
    series.push_back({{"who", who(*row.measured)},
                      {"threads", row.measured->row.threads},
                      {"host", short_id(row.host_id())},
                      {"points", std::move(list)}});
  }
  if (series.empty()) return nullptr;
  const std::string conclusion =
      fmt::format("Measured from {} to {} elements.", count_text(x.first), count_text(x.second));
  return {{"conclusion", conclusion},
          {"label", "elements"},
          {"series", std::move(series)},
          {"x_ticks", tick_pairs(log_ticks(x, number_tick))},
          {"y_ticks", tick_pairs(log_ticks(y, time_tick))}};
}

Json elsewhere_json(const SiteCase& one, const Neighbours& neighbours) {
  Json list = Json::array();
  for (const Neighbour& other : neighbours.of(one)) {
    // What programs of other projects call their benchmarks is no size of them.
    if (other.key == "name" || list.size() == kMostNeighbours) continue;
    list.push_back(
        {{"id", other.of->id},
         {"case", other.of->text},
         {"why", fmt::format("{}={} instead of {}", other.key, other.value, other.own)}});
  }
  return list;
}

Json suites_json(const SiteCase& one, const ShownSuites& shown) {
  Json list = Json::array();
  for (const auto& [name, count] : rows_by_suite(one)) {
    const ShownSuite* newest = newest_showing(one, name, shown);
    if (newest == nullptr) continue;
    const std::string of =
        count == one.rows.size() ? "all" : fmt::format("{} of {}", count, one.rows.size());
    list.push_back(
        {{"name", name},
         {"title", newest->suite.title},
         {"text", fmt::format("{} row{} of this case", of, one.rows.size() == 1 ? "" : "s")},
         {"command", fmt::format("nsop report {} --suite {}", short_id(newest->run->run.id),
                                 shell_word(name))}});
  }
  return list;
}

std::string conclusion_of(const SiteCase& one) {
  std::string text;
  for (const SiteRow* row : spoken_of(one)) {
    const bool several = one.rows.front().host_id() != one.rows.back().host_id();
    text += (text.empty() ? "" : " ") + (several ? "On " + short_id(row->host_id()) + ": " : "");
    text += sentence_of(*row);
  }
  return text.empty() ? "Nothing of ours was measured as it runs by itself." : text;
}

}  // namespace nsop::report
