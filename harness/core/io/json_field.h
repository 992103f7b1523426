// Fields of JSON, read exactly: nothing is rounded, wrapped or guessed.
#pragma once

#include <fmt/format.h>

#include <string>
#include <type_traits>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/io/json.h"

namespace nsop {

// Is the value a T as it stands: no fraction for an integer, none that wraps, no flag for a number,
// and the same of all that a list or an object holds?
template <typename T>
bool is_exactly(const Json& value) {
  if constexpr (std::is_same_v<T, Json>) {
    return true;
  } else if constexpr (std::is_same_v<T, bool>) {
    return value.is_boolean();
  } else if constexpr (std::is_integral_v<T>) {
    if (value.is_number_unsigned()) return std::in_range<T>(value.get<uint64_t>());
    return value.is_number_integer() && std::in_range<T>(value.get<int64_t>());
  } else if constexpr (std::is_floating_point_v<T>) {
    return value.is_number();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value.is_string();
  } else {  // a list, or an object by name
    constexpr bool kByName = requires { typename T::mapped_type; };
    if (kByName ? !value.is_object() : !value.is_array()) return false;
    for (const Json& one : value) {
      if constexpr (kByName) {
        if (!is_exactly<typename T::mapped_type>(one)) return false;
      } else if (!is_exactly<typename T::value_type>(one)) {
        return false;
      }
    }
    return true;
  }
}

// `json[key]`. Throws Error (bad data) when it is missing or no T.
template <typename T>
T json_field(const Json& json, const char* key) {
  if (json.is_object()) {
    const auto it = json.find(key);
    if (it != json.end() && is_exactly<T>(*it)) return it->template get<T>();
  }
  throw bad_data(fmt::format("field '{}' is missing or has the wrong type", key));
}

// The same, `absent` when it is missing.
template <typename T>
T json_field_or(const Json& json, const char* key, T absent) {
  const bool missing = json.is_object() && !json.contains(key);
  return missing ? absent : json_field<T>(json, key);
}

// What `field` gives: whatever it's assigned to, read by json_field.
class Field {
 public:
  Field(const Json& json, const char* key) : json_(json), key_(key) {}

  template <typename T>
  requires(std::is_arithmetic_v<T> || requires { typename T::allocator_type; }) &&
      (!std::is_same_v<T, char> && !std::is_same_v<T, Json>)operator T()
          const {  // NOLINT(google-explicit-constructor): that is what it is for
    return json_field<T>(json_, key_);
  }

 private:
  const Json& json_;
  const char* key_;
};

// `json[key]` for what it's assigned to: `int n = field(json, "n")` is json_field<int>(json, "n").
inline Field field(const Json& json, const char* key) { return {json, key}; }

// What `read` returns. Throws Error (bad data), which begins with `where`, for what it finds wrong.
template <typename Read>
auto read_fields(const std::string& where, Read&& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    throw bad_data(fmt::format("{}: {}", where, error.what()));
  } catch (const Error& error) {
    throw bad_data(fmt::format("{}: {}", where, error.what()));
  }
}

// Is it JSON of this format?
inline bool has_schema(const Json& json, const char* schema) {
  return json.is_object() && json.contains("schema") && json["schema"] == schema;
}

}  // namespace nsop
