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

}  // namespace nsop
