#include "harness/report/base/data/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/host/caches.h"
#include "harness/report/base/data/lookup.h"

namespace nsop::report {
namespace {

int64_t cache_size(const Host& host, const char* name) {
  const auto it = host.cache_bytes.find(name);
  return it == host.cache_bytes.end() ? 0 : it->second;
}

constexpr double kStillHeld = 2;        // a cache of half the bytes still has some of them
constexpr double kFittingShare = 0.02;  // of written bytes, so near to a pattern's

std::optional<double> inverse(std::optional<double> value) {
  return value ? std::optional(1 / *value) : std::nullopt;
}

template <typename Key>
void keep_larger(std::map<Key, Limit>& limits, const Key& key, const stats::RowSummary& row,
                 double value) {
  Limit& kept = limits[key];
  if (value > kept.value) kept = {value, row.relative_sd <= kMostSdOfALimit};
}

std::optional<double> certain(const Limit& limit) {
  return limit.certain ? std::optional(limit.value) : std::nullopt;
}

template <typename Key>
std::optional<double> value_at(const std::map<Key, Limit>& limits, const Key& key) {
  const auto it = limits.find(key);
  return it == limits.end() ? std::nullopt : certain(it->second);
}

}  // namespace

std::string level_text(Level level) {
  constexpr std::array kNames{"L1", "L2", "L3", "DRAM"};
  return kNames.at(static_cast<size_t>(level));
}

std::string traffic_text(Traffic traffic) {
  constexpr std::array kNames{"read", "triad", "copy", "write"};
  return kNames.at(static_cast<size_t>(traffic));
}

std::string bandwidth_text(const BandwidthKey& key) {
  return fmt::format("{} {} on {} thread{}", level_text(key.level), traffic_text(key.traffic),
                     key.threads, key.threads == 1 ? "" : "s");
}

Level level_of(double bytes, int threads, const Host& host) {
  const double share = bytes / threads;
  if (share <= static_cast<double>(cache_size(host, "L1d"))) return Level::kL1;
  if (share <= static_cast<double>(cache_size(host, "L2"))) return Level::kL2;
  const int64_t common = std::min(cache_size(host, "L3"), kMostOfACache);
  if (bytes <= static_cast<double>(common)) return Level::kL3;
  return Level::kDram;
}

std::string Held::text() const {
  if (certain()) return level_text(to);
  return "between " + level_text(from) + " and " + level_text(to);
}

Held held_by(const CaseFacts& facts, int threads, const Host& host) {
  const double moved = std::min(facts.bytes, facts.working_set_bytes);
  return {level_of(moved / kStillHeld, threads, host),
          level_of(facts.working_set_bytes, threads, host)};
}

Mix traffic_of(const CaseFacts& facts) {
  if (facts.written_bytes <= 0 || facts.bytes <= 0) return {};
  constexpr std::array kShares{0.0, 1.0 / 3, 0.5, 1.0};
  const double share = std::min(1.0, facts.written_bytes / facts.bytes);
  size_t above = 0;
  while (share - kShares.at(above) > kFittingShare) ++above;
  const auto more = static_cast<Traffic>(above);
  if (kShares.at(above) - share <= kFittingShare) return {more, more, 0};
  const double below = kShares.at(above - 1);
  return {static_cast<Traffic>(above - 1), more, (share - below) / (kShares.at(above) - below)};
}

Limits::Limits(const RunData& source) {
  for (const stats::RowSummary& row : source.rows) {
    const auto facts = source.run.facts.find(row.row.case_text);
    if (!usable(&row) || facts == source.run.facts.end()) continue;
    const std::string op = case_op(row.row.case_text);
    if (op == "nop") call_ns_ = row.wall_ns;
    if (op == "peak_flops") {
      keep_larger(peak_, {row.row.target, row.row.threads}, row, facts->second.flops / row.wall_ns);
    }
    if (op == "stream") add_bandwidth(row, facts->second, source.host);
  }
}

void Limits::add_bandwidth(const stats::RowSummary& row, const CaseFacts& facts, const Host& host) {
  const Held held = held_by(facts, row.row.threads, host);
  if (!held.certain()) return;  // the limit of neither
  const std::string kind = param(row.row.case_text, "kind");
  for (const Traffic traffic : {Traffic::kRead, Traffic::kTriad, Traffic::kCopy, Traffic::kWrite}) {
    if (traffic_text(traffic) != kind) continue;
    keep_larger(bandwidth_, {held.to, traffic, row.row.threads}, row, facts.bytes / row.wall_ns);
  }
}

std::optional<double> Limits::peak(int threads) const {
  Limit best;
  for (const auto& [key, limit] : peak_) {
    if (key.second == threads && limit.value > best.value) best = limit;
  }
  return certain(best);
}

std::optional<double> Limits::peak(const std::string& target, int threads) const {
  return value_at(peak_, {target, threads});
}

std::optional<double> Limits::bandwidth(Level level, Traffic traffic, int threads) const {
  const bool common = level == Level::kL3 || level == Level::kDram;
  const auto measured = bandwidth_.find({level, traffic, threads});
  const auto single = value_at(bandwidth_, BandwidthKey{level, traffic, 1});
  if (measured != bandwidth_.end()) {
    const bool fewer_are_faster = threads > 1 && single && *single > measured->second.value;
    return fewer_are_faster ? std::nullopt : certain(measured->second);
  }
  if (common || !single) return std::nullopt;
  return *single * threads;
}

BandwidthKey Limits::measured(Level level, Traffic traffic, int threads) const {
  const BandwidthKey own{level, traffic, threads};
  return bandwidth_.contains(own) ? own : BandwidthKey{level, traffic, 1};
}

bool measured_limits(const Run& run) {
  const auto is_stream = [](const auto& fact) { return fact.first.starts_with("stream "); };
  return run.facts.contains("peak_flops") &&
         std::any_of(run.facts.begin(), run.facts.end(), is_stream);
}

bool Roof::doubted_by(double wall_ns) const {
  constexpr double kMostShare = 1.05;
  return bound == Bound::kMemory && certain() && limit_ns > kMostShare * wall_ns;
}

std::string Roof::text() const {
  if (bound == Bound::kMemory) return held.text();
  return bound == Bound::kCompute ? "compute" : "overhead";
}

std::optional<Roof> roof_of(const CaseFacts& facts, int threads, const Limits& limits,
                            const Host& host) {
  Roof roof;
  roof.held = held_by(facts, threads, host);
  const Level level = roof.held.to;
  const auto peak = limits.peak(threads);
  const Mix mix = traffic_of(facts);
  const auto less = inverse(limits.bandwidth(level, mix.less, threads));
  const auto more = inverse(limits.bandwidth(level, mix.more, threads));
  if (!peak || !less || !more || facts.bytes <= 0) return std::nullopt;
  const double compute_ns = facts.flops / *peak;
  roof.bandwidth = limits.measured(level, mix.less, threads);
  roof.other = limits.measured(level, mix.more, threads);
  roof.memory_ns = facts.bytes * std::lerp(*less, *more, mix.share);
  roof.limit_ns = std::max({compute_ns, roof.memory_ns, limits.call_ns()});
  if (roof.limit_ns == roof.memory_ns) roof.bound = Roof::Bound::kMemory;
  if (roof.limit_ns == limits.call_ns()) roof.bound = Roof::Bound::kOverhead;
  return roof;
}

}  // namespace nsop::report
