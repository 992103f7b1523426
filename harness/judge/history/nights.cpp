#include "harness/judge/history/nights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/error.h"
#include "harness/judge/history/reference_runs.h"
#include "harness/stats/summary.h"

namespace nsop::judge {
namespace {

// Points of one run began at one time.
void insert_sorted(Line& line, Point point) {
  const auto [first, later] = std::equal_range(
      line.begin(), line.end(), point,
      [](const Point& a, const Point& b) { return a.started_utc < b.started_utc; });
  const bool known =
      std::any_of(first, later, [&](const Point& p) { return p.run_id == point.run_id; });
  if (!known) line.insert(later, std::move(point));
}

NightRow row_of(const stats::RowSummary& summary) {
  NightRow row;
  row.row = summary.row;
  row.status = summary.status;
  row.inputs_sha256 = summary.inputs_sha256;
  row.ns = summary.verdict_ns;
  row.wall_ns = summary.wall_ns;
  row.invocations = summary.invocations;
  row.excess = summary.excess;
  row.first_ns = summary.first_ns;
  if (summary.allocs) {
    row.allocs = summary.allocs->allocs_per_op;
    row.bytes = summary.allocs->bytes_per_op;
  }
  return row;
}

}  // namespace

std::string toolchain_of(const Build& build) {
  return fmt::format("{} | {} | {} | {} | {}", build.compiler, build.flags, build.build_type,
                     build.libc, build.engine);
}

Night night_of(const store::Store& store, const std::string& run_id, const std::string& build_id) {
  const Run run = store.run(run_id);
  const Build build = store.build(build_id);
  Night night{run.id,
              run.started_utc,
              run.profile,
              run.tool_version,
              build.commit,
              toolchain_of(build),
              store.host(run.host_id),
              {},
              backfilled_runs(store, run.host_id).contains(run.id)};
  std::vector<Invocation> own;
  for (Invocation& invocation : store.invocations(run_id)) {
    if (invocation.build_id == build_id) own.push_back(std::move(invocation));
  }
  for (const stats::RowSummary& summary : stats::summarize(own)) {
    night.rows.push_back(row_of(summary));
  }
  return night;
}

StoredLines::StoredLines(const store::Store& store, const std::string& host_id, size_t newest)
    : history_(store.history(host_id, newest)), backfilled_(backfilled_runs(store, host_id)) {}

const StoredLines::BuildFacts& StoredLines::build(const SharedText& id) {
  const auto known = builds_.find(&id.str());
  if (known != builds_.end()) return known->second;
  const auto& [commit, made] = history_.builds().at(id.str());  // it has those of its rows
  SharedText& toolchain = toolchains_[made.get()];
  if (toolchain.empty()) toolchain = toolchain_named(toolchain_of(*made));
  return builds_[&id.str()] = {commit, toolchain, made->dirty};
}

SharedText StoredLines::toolchain_named(const std::string& text) const {
  for (const auto& [made, known] : toolchains_) {
    if (known == text) return known;
  }
  return text;
}

const SharedText& StoredLines::segment(const SharedText& toolchain, const SharedText& inputs) {
  SharedText& segment = segments_[{&toolchain.str(), &inputs.str()}];
  if (segment.empty()) segment = toolchain.str() + " | " + inputs.str();
  return segment;
}

Line StoredLines::of(const RowKey& row) {
  Line line;
  const std::vector<store::RowInRun> runs = history_.of(row);
  line.reserve(runs.size());
  for (const store::RowInRun& run : runs) {
    const BuildFacts& facts = build(run.build_id);
    if (facts.dirty) continue;
    Point point{run.run_id,
                run.started_utc,
                facts.commit,
                segment(facts.toolchain, run.inputs_sha256),
                0,
                0,
                run.invocations,
                run.allocs,
                run.bytes,
                run.status,
                std::nullopt,
                std::nullopt,
                backfilled_.contains(run.run_id)};
    if (run.invocations > 0 && run.status != Status::kWrong) {
      point.ns = run.ns;
      point.wall_ns = run.wall_ns;
      point.excess = run.excess;
      point.first_ns = run.first_ns;
      point.status = Status::kOk;
    }
    line.push_back(std::move(point));
  }
  return line;
}

std::set<std::string> StoredLines::commits() const {
  std::set<std::string> commits;
  for (const auto& [id, build] : history_.builds()) commits.insert(build.commit);
  return commits;
}

void add_night(std::map<RowKey, Line>& lines, const Night& night) {
  const SharedText run_id = night.run_id, started = night.started_utc, commit = night.commit;
  std::map<std::string, SharedText> segments;
  for (const NightRow& row : night.rows) {
    SharedText& segment = segments[row.inputs_sha256];
    if (segment.empty()) segment = night.toolchain + " | " + row.inputs_sha256;
    insert_sorted(lines[row.row],
                  {run_id, started, commit, segment, row.ns, row.wall_ns, row.invocations,
                   row.allocs, row.bytes, row.status, row.excess, row.first_ns, night.backfilled});
  }
}

void add_points(Line& line, const Line& more) {
  for (const Point& point : more) insert_sorted(line, point);
}

void end_with(Line& line, const std::string& run_id) {
  const auto own = std::find_if(line.begin(), line.end(),
                                [&](const Point& point) { return point.run_id == run_id; });
  if (own == line.end()) {
    line.clear();
    return;
  }
  Point last = std::move(*own);
  line.erase(own);
  std::erase_if(line, [&](const Point& point) { return point.started_utc > last.started_utc; });
  line.push_back(std::move(last));
}

double value_of(const Point& point, stats::Statistic by) {
  if (!(point.ns > 0)) return 0;  // it failed
  switch (by) {
    case stats::Statistic::kFastest:
      return point.ns;
    case stats::Statistic::kExcess:
      return point.excess ? std::exp(*point.excess) : 0;
    case stats::Statistic::kFirst:
      break;
  }
  return point.first_ns.value_or(0);
}

Usable usable_points(const Line& line, stats::Statistic by) {
  Usable usable;
  for (size_t i = 0; i < line.size(); ++i) {
    const double value = value_of(line[i], by);
    if (!(value > 0)) continue;
    usable.points.push_back({value, line[i].segment});
    usable.index.push_back(i);
  }
  return usable;
}

}  // namespace nsop::judge
