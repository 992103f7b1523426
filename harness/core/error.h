// Errors that a user or the environment causes, and the exit codes of every verb.
#pragma once

#include <stdexcept>
#include <string>

namespace nsop {

// Exit codes of every verb. When several apply, the order of precedence is 2, 5, 4, 1, 3.
enum class ExitCode : int {
  kOk = 0,
  kFailed = 1,        // a worse row, a wrong or failed one of our own variants, a missed goal
  kUsage = 2,         // usage, configuration or suite error
  kInconclusive = 3,  // no baseline, other host, nothing could be decided
  kBadData = 4,       // malformed import, corrupt or newer database
  kEnvironment = 5,   // disk full, lock timeout, permission, a worker can't start
  kInterrupted = 130,
  kTerminated = 143,
};

// A failure with one line for the user (what, where, what to do) and the exit code it deserves.
// Thrown anywhere, caught once in main.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

inline Error usage_error(const std::string& message) { return {ExitCode::kUsage, message}; }
inline Error bad_data(const std::string& message) { return {ExitCode::kBadData, message}; }
inline Error environment_error(const std::string& message) {
  return {ExitCode::kEnvironment, message};
}

}  // namespace nsop
