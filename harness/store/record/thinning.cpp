#include "harness/store/record/thinning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/error.h"
#include "harness/store/record/digest.h"

namespace nsop::store {
namespace {

constexpr int kDigits = 4;
constexpr const char* kMark = "thinned";

double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double unit = std::pow(10.0, kDigits - 1 - std::floor(std::log10(std::fabs(value))));
  // A power below 1 is inexact: divide by its inverse instead.
  return unit >= 1 ? std::round(value * unit) / unit : std::round(value * unit) * (1 / unit);
}

int64_t rounded_total(double total) {
  constexpr double kMost = 9.2e18;  // fits
  return std::llround(std::min(rounded(total), kMost));
}

double per_op(const Repetition& r, int64_t Repetition::*total) {
  return static_cast<double>(r.*total) / static_cast<double>(r.iterations);
}

double least(const std::vector<Repetition>& repetitions, int64_t Repetition::*total) {
  double value = per_op(repetitions.front(), total);
  for (const Repetition& r : repetitions) value = std::min(value, per_op(r, total));
  return value;
}

Repetition fastest(const Invocation& invocation) {
  const bool clean_first = invocation.row.threads > 1;
  return *std::min_element(invocation.repetitions.begin(), invocation.repetitions.end(),
                           [&](const Repetition& a, const Repetition& b) {
                             const auto rank = [&](const Repetition& r) {
                               const bool interrupted = r.involuntary_switches > 0;
                               return std::pair(clean_first && interrupted,
                                                per_op(r, &Repetition::wall_ns));
                             };
                             return rank(a) < rank(b);
                           });
}

Repetition representative(const Invocation& invocation) {
  Repetition one = fastest(invocation);
  const auto total = [&](int64_t Repetition::*field) {
    return rounded_total(least(invocation.repetitions, field) *
                         static_cast<double>(one.iterations));
  };
  one.wall_ns = rounded_total(static_cast<double>(one.wall_ns));
  one.process_cpu_ns = total(&Repetition::process_cpu_ns);
  one.thread_cpu_ns = total(&Repetition::thread_cpu_ns);
  one.minor_faults = total(&Repetition::minor_faults);
  one.major_faults = total(&Repetition::major_faults);
  one.involuntary_switches = std::min<int64_t>(one.involuntary_switches, 1);
  one.metrics = least_metrics(invocation.repetitions);
  for (auto& [name, value] : one.metrics) value = rounded(value);
  return one;
}

InvocationRecord thinned_one(const InvocationRecord& record, size_t number, const Run& run) {
  if (record.samples.empty()) {
    throw usage_error(
        fmt::format("run {} can't be thinned: its samples were pruned", short_id(run.id)));
  }
  Invocation one = unpack(record);
  one.id = fmt::format("{}-{:06}", run.id.substr(0, 40), number);
  one.at_utc = run.started_utc;
  one.process_age_s = 0;
  one.first_ns = 0;
  one.check.max_abs_error = rounded(one.check.max_abs_error);
  one.check.max_rel_error = rounded(one.check.max_rel_error);
  one.check.worst_over_tolerance = rounded(one.check.worst_over_tolerance);
  const bool timed = std::all_of(one.repetitions.begin(), one.repetitions.end(),
                                 [](const Repetition& r) { return r.iterations > 0; });
  if (timed && !one.repetitions.empty()) one.repetitions = {representative(one)};
  return pack(one);
}

}  // namespace

RunRecord thinned(const RunRecord& record) {
  const Run run = unpack_run(record.body, record.state, record.ended_utc, record.sha256);
  if (run.state != RunState::kComplete) {
    throw usage_error(fmt::format("run {} is {}: only a complete run can be thinned",
                                  short_id(run.id), run_state_text(run.state)));
  }
  if (is_thinned(record.body)) return record;
  RunRecord out = record;
  Json body = parse_json(record.body, "stored text");
  body[kMark] = true;
  out.body = body_text(body);
  for (size_t i = 0; i < out.invocations.size(); ++i) {
    out.invocations[i] = thinned_one(record.invocations[i], i, run);
  }
  out.sha256 = run_digest(out);
  return out;
}

bool is_thinned(const std::string& run_body) {
  return parse_json(run_body, "stored text").value(kMark, false);
}

InvocationRecord completed(const InvocationRecord& line) { return pack(unpack(line)); }

std::string thin_line(const std::string& body) {
  Json json = parse_json(body, "stored text");
  json.erase("metrics");
  json.erase("samples_sha256");
  return body_text(json);
}

}  // namespace nsop::store
