// Reading the fields of a request; whatever is missing or of the wrong type becomes an answer.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/core/io/json.h"

namespace nsop::worker {

// A request that is answered with `"ok": false`; `code` is one of the protocol's.
class Refusal : public std::runtime_error {
 public:
  Refusal(std::string code, const std::string& message)
      : std::runtime_error(message), code_(std::move(code)) {}
  const std::string& code() const { return code_; }

 private:
  std::string code_;
};

// All throw Refusal (bad_request) that names the field.
std::string text_field(const Json& request, const char* name);
std::vector<std::string> texts_field(const Json& request, const char* name);
uint64_t seed_field(const Json& request, const char* name);

struct Limits {
  int64_t least = 0;
  int64_t most = std::numeric_limits<int64_t>::max();
};
int64_t integer_field(const Json& request, const char* name, Limits limits);
// `otherwise` when the field is missing.
int64_t integer_field(const Json& request, const char* name, Limits limits, int64_t otherwise);
// `otherwise` when the field is missing.
bool flag_field(const Json& request, const char* name, bool otherwise);
std::vector<int64_t> integers_field(const Json& request, const char* name, Limits limits);

}  // namespace nsop::worker
