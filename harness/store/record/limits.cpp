#include "harness/store/record/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "harness/core/error.h"
#include "harness/core/identity.h"

namespace nsop::store {
namespace {

constexpr std::array<std::string_view, 5> kOrigins = {"measured", "gate", "confirm", "imported",
                                                      "published"};
constexpr std::array<std::string_view, 4> kTrusts = {"local", "ci", "pr", "imported"};

void check_text(const std::string& what, const std::string& text, size_t max) {
  const bool control = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (text.empty() || text.size() > max || control) {
    throw bad_data(fmt::format("{} '{}' must have 1 to {} bytes and no control characters", what,
                               text.substr(0, 40), max));
  }
}

void check_member(const char* what, const std::string& value, const auto& allowed) {
  if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
    throw bad_data(fmt::format("{} '{}' must be one of {}", what, value.substr(0, 40),
                               fmt::join(allowed, ", ")));
  }
}

void check_least(const char* what, int64_t value, int64_t least) {
  if (value < least) throw bad_data(fmt::format("{} is {}, must be >= {}", what, value, least));
}

void check_time(const char* what, const std::string& text) {
  if (utc_seconds(text)) return;
  throw bad_data(
      fmt::format("{} '{}' is no time such as 2026-01-31T12:00:00Z", what, text.substr(0, 40)));
}

}  // namespace

void check_name(const std::string& what, const std::string& name) {
  check_text(what, name, kMaxNameBytes);
}

void check_id(const std::string& what, const std::string& id, size_t max) {
  check_text(what, id, max);
}

void check_run(const Run& run) {
  check_id("run", run.id);
  check_member("origin", run.origin, kOrigins);
  check_member("trust", run.trust, kTrusts);
  check_time("started_utc", run.started_utc);
  if (run.state != RunState::kRunning) check_time("ended_utc", run.ended_utc);
}

void check_invocation(const Invocation& invocation) {
  check_id("invocation", invocation.id);
  check_name("case", invocation.row.case_text);
  check_name("variant", invocation.row.variant);
  if (!invocation.row.target.empty()) check_name("target", invocation.row.target);
  check_least("threads", invocation.row.threads, 1);
  check_least("session", invocation.session, 0);
  check_least("round", invocation.round, 0);
  check_least("slot", invocation.slot, 0);
  check_least("first_ns", invocation.first_ns, 0);
  check_time("at_utc", invocation.at_utc);
}

}  // namespace nsop::store
