#include "harness/worker/protocol/request.h"

#include <fmt/format.h>

namespace nsop::worker {
namespace {

const Json& field(const Json& request, const char* name) {
  const auto it = request.find(name);
  if (it == request.end()) {
    throw Refusal("bad_request", fmt::format("field '{}' is missing", name));
  }
  return *it;
}

[[noreturn]] void wrong(const char* name, const std::string& expected) {
  throw Refusal("bad_request", fmt::format("field '{}': expected {}", name, expected));
}

int64_t as_integer(const Json& value, const char* name, Limits limits) {
  const std::string expected = fmt::format("an integer of {} to {}", limits.least, limits.most);
  if (!value.is_number_integer()) wrong(name, expected);
  const bool too_big =
      value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(limits.most);
  if (too_big || value.get<int64_t>() < limits.least || value.get<int64_t>() > limits.most) {
    wrong(name, expected);
  }
  return value.get<int64_t>();
}

const Json& list_field(const Json& request, const char* name) {
  const Json& value = field(request, name);
  if (!value.is_array()) wrong(name, "a list");
  return value;
}

}  // namespace

std::string text_field(const Json& request, const char* name) {
  const Json& value = field(request, name);
  if (!value.is_string()) wrong(name, "a text");
  return value.get<std::string>();
}

std::vector<std::string> texts_field(const Json& request, const char* name) {
  std::vector<std::string> texts;
  for (const Json& value : list_field(request, name)) {
    if (!value.is_string()) wrong(name, "a list of texts");
    texts.push_back(value.get<std::string>());
  }
  return texts;
}

uint64_t seed_field(const Json& request, const char* name) {
  const Json& value = field(request, name);
  const bool natural =
      value.is_number_unsigned() || (value.is_number_integer() && value.get<int64_t>() >= 0);
  if (!natural) wrong(name, "an integer of 0 to 2^64-1");
  return value.get<uint64_t>();
}

int64_t integer_field(const Json& request, const char* name, Limits limits) {
  return as_integer(field(request, name), name, limits);
}

int64_t integer_field(const Json& request, const char* name, Limits limits, int64_t otherwise) {
  return request.contains(name) ? integer_field(request, name, limits) : otherwise;
}

bool flag_field(const Json& request, const char* name, bool otherwise) {
  if (!request.contains(name)) return otherwise;
  if (!request[name].is_boolean()) wrong(name, "true or false");
  return request[name].get<bool>();
}

std::vector<int64_t> integers_field(const Json& request, const char* name, Limits limits) {
  std::vector<int64_t> values;
  for (const Json& value : list_field(request, name)) {
    values.push_back(as_integer(value, name, limits));
  }
  return values;
}

}  // namespace nsop::worker
