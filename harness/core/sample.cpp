#include "harness/core/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "harness/core/error.h"

namespace nsop {
namespace {

constexpr std::array<std::pair<Status, const char*>, 6> kStatusNames{{
    {Status::kOk, "ok"},
    {Status::kWrong, "wrong"},
    {Status::kUnsupported, "unsupported"},
    {Status::kError, "error"},
    {Status::kTimeout, "timeout"},
    {Status::kLost, "lost"},
}};

constexpr std::array<std::pair<RunState, const char*>, 3> kRunStateNames{{
    {RunState::kRunning, "running"},
    {RunState::kComplete, "complete"},
    {RunState::kAborted, "aborted"},
}};

constexpr int64_t kMostCount = int64_t{1} << 53;
constexpr double kMostValue = 1e19;   // of a metric, as the store takes it
constexpr int64_t kMostPerNs = 1000;  // operations

std::string out_of_range(const char* name, int64_t value, int64_t least) {
  if (value >= least && value <= kMostCount) return {};
  return fmt::format("{} is {}, expected {} to 2^53", name, value, least);
}

std::string out_of_range(const char* name, double value) {
  if (value >= 0 && value < kMostValue) return {};
  return fmt::format("{} is {}, expected 0 to {:g}", name, value, kMostValue);
}

// Keeps the first problem.
class FirstProblem {
 public:
  void add(std::string problem) {
    if (text_.empty()) text_ = std::move(problem);
  }
  // Empty, or the problem with what it is one of.
  std::string of(const char* what) const { return text_.empty() ? text_ : what + text_; }

 private:
  std::string text_;
};

template <typename T, size_t n>
std::string name_of(T value, const std::array<std::pair<T, const char*>, n>& names) {
  for (const auto& [v, name] : names) {
    if (v == value) return name;
  }
  return {};
}

template <typename T, size_t n>
T value_of(const std::string& text, const std::array<std::pair<T, const char*>, n>& names,
           const char* what) {
  for (const auto& [v, name] : names) {
    if (text == name) return v;
  }
  throw bad_data(fmt::format("unknown {} '{}'", what, text));
}

}  // namespace

std::string RowKey::text() const {
  return fmt::format("{} | {}@{} | threads={}", case_text, variant, target, threads);
}

std::map<std::string, double> least_metrics(const std::vector<Repetition>& repetitions) {
  std::map<std::string, double> least;
  for (const Repetition& r : repetitions) {
    for (const auto& [name, value] : r.metrics) {
      const auto at = least.emplace(name, value).first;
      at->second = std::min(at->second, value);
    }
  }
  return least;
}

std::string status_text(Status status) { return name_of(status, kStatusNames); }
Status status_from_text(const std::string& text) { return value_of(text, kStatusNames, "status"); }

std::string run_state_text(RunState state) { return name_of(state, kRunStateNames); }
RunState run_state_from_text(const std::string& text) {
  return value_of(text, kRunStateNames, "run state");
}

std::string short_id(const std::string& uuid) { return uuid.substr(0, 8); }

std::string problem_of(const Repetition& r) {
  FirstProblem problem;
  problem.add(out_of_range("iterations", r.iterations, 1));
  problem.add(out_of_range("wall_ns", r.wall_ns, 1));
  problem.add(out_of_range("process_cpu_ns", r.process_cpu_ns, 0));
  problem.add(out_of_range("thread_cpu_ns", r.thread_cpu_ns, 0));
  problem.add(out_of_range("involuntary_switches", r.involuntary_switches, 0));
  problem.add(out_of_range("minor_faults", r.minor_faults, 0));
  problem.add(out_of_range("major_faults", r.major_faults, 0));
  for (const auto& [name, value] : r.metrics) problem.add(out_of_range(name.c_str(), value));
  if (r.iterations / kMostPerNs > r.wall_ns) {
    problem.add(
        fmt::format("{} iterations in {} ns: no processor does that", r.iterations, r.wall_ns));
  }
  return problem.of("a repetition: ");
}

std::string problem_of(const AllocCounts& c) {
  FirstProblem problem;
  problem.add(out_of_range("allocs_per_op", c.allocs_per_op));
  problem.add(out_of_range("bytes_per_op", c.bytes_per_op));
  problem.add(out_of_range("one_time_allocs", c.one_time_allocs, 0));
  problem.add(out_of_range("one_time_bytes", c.one_time_bytes, 0));
  problem.add(out_of_range("peak_live_bytes", c.peak_live_bytes, 0));
  return problem.of("allocations: ");
}

std::string problem_of(const InstructionCounts& c) {
  FirstProblem problem;
  problem.add(out_of_range("per_op", c.per_op));
  if ((c.per_op > 0) != c.reason.empty()) problem.add("either a count or a reason is expected");
  return problem.of("instructions: ");
}

}  // namespace nsop
