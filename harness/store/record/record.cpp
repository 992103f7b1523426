#include "harness/store/record/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/core/io/json_field.h"
#include "harness/store/record/metrics.h"
#include "harness/store/record/sample_text.h"

namespace nsop::store {
namespace {

constexpr std::array kCheckErrors = {"max_abs_error", "max_rel_error", "worst_over_tolerance"};

void require_finite(const Json& json, const std::string& path) {
  if (json.is_number_float() && !std::isfinite(json.get<double>())) {
    throw bad_data(fmt::format("field '{}' is not a finite number", path));
  }
  if (!json.is_structured()) return;
  for (const auto& [key, value] : json.items()) {
    require_finite(value, path.empty() ? key : path + "." + key);
  }
}

Json parse_body(const std::string& body) {
  Json json = parse_json(body, "stored text");
  if (!json.is_object()) throw bad_data("stored text: expected a JSON object");
  return json;
}

// Takes apart `{"a":[1,2],"b":[3,4]}`: the object of the i-th repetition.
Json nth(const Json& columns, size_t i) {
  Json one = Json::object();
  for (const auto& [key, values] : columns.items()) one[key] = values.at(i);
  return one;
}

// Of a body, with or without what it says of its samples.
Invocation invocation_of(Json json, std::vector<Repetition> repetitions) {
  json.erase("metrics");
  json.erase("samples_sha256");
  if (json.contains("check") && json["check"].is_object()) {
    for (const char* key : kCheckErrors) {
      const auto error = json["check"].find(key);
      if (error != json["check"].end() && error->is_null()) {
        *error = std::numeric_limits<double>::quiet_NaN();
      }
    }
  }
  json["repetitions"] = Json::array();
  Invocation invocation = invocation_from_json(json);
  invocation.repetitions = std::move(repetitions);
  return invocation;
}

}  // namespace

std::string body_text(const Json& json) {
  require_finite(json, "");
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string pack_run(const Run& run) {
  Json json = to_json(run);
  for (const char* key : {"state", "ended_utc", "sha256"}) json.erase(key);
  return body_text(json);
}

Run unpack_run(const std::string& body, const std::string& state, const std::string& ended_utc,
               const std::string& sha256) {
  Json json = parse_body(body);
  json["state"] = state;
  json["ended_utc"] = ended_utc;
  json["sha256"] = sha256;
  return run_from_json(json);
}

InvocationRecord pack(const Invocation& invocation) {
  InvocationRecord record;
  record.samples = pack_samples(invocation.repetitions);
  Json json = to_json(invocation);
  json.erase("repetitions");
  for (const char* key : kCheckErrors) {
    Json& error = json["check"][key];
    if (!std::isfinite(error.get<double>())) error = nullptr;
  }
  json["metrics"] = metrics_of(invocation);
  json["samples_sha256"] = sha256_hex(record.samples);
  record.body = body_text(json);
  return record;
}

Invocation unpack(const InvocationRecord& record) {
  return invocation_of(parse_body(record.body), unpack_samples(record.samples));
}

StatedInvocation read_record(const InvocationRecord& record) {
  return read_record(parse_body(record.body), record.samples);
}

StatedInvocation read_record(Json json, const std::string& samples) {
  return read_record(std::move(json), unpack_samples(samples));
}

StatedInvocation read_record(Json json, std::vector<Repetition> repetitions) {
  StatedInvocation stated;
  stated.samples_sha256 = json_field<std::string>(json, "samples_sha256");
  stated.metrics = json_field<std::map<std::string, double>>(json, "metrics");
  stated.invocation = invocation_of(std::move(json), std::move(repetitions));
  return stated;
}

std::string pack_samples(const std::vector<Repetition>& repetitions) {
  const bool is_plain =
      !repetitions.empty() && std::all_of(repetitions.begin(), repetitions.end(),
                                          [](const Repetition& r) { return r.metrics.empty(); });
  if (is_plain) return sample_text(repetitions);
  Json columns = Json::object();
  for (const Repetition& repetition : repetitions) {
    const Json one = to_json(repetition);  // items() must not outlive it
    for (const auto& [key, value] : one.items()) columns[key].push_back(value);
  }
  return body_text(columns);
}

std::vector<Repetition> unpack_samples(const std::string& samples) {
  std::vector<Repetition> repetitions;
  if (samples.empty()) return repetitions;
  if (auto plain = read_sample_text(samples)) {
    for (const Repetition& r : *plain) {
      const std::string problem = problem_of(r);
      if (!problem.empty()) throw bad_data(problem);
    }
    return std::move(*plain);
  }
  const Json columns = parse_body(samples);
  const size_t count = columns.empty() ? 0 : columns.front().size();
  for (const auto& [key, values] : columns.items()) {
    if (!values.is_array() || values.size() != count) {
      throw bad_data(fmt::format("samples: field '{}' must be a list as long as the others", key));
    }
  }
  for (size_t i = 0; i < count; ++i) repetitions.push_back(repetition_from_json(nth(columns, i)));
  return repetitions;
}

void check_record(const InvocationRecord& record, const StatedInvocation& stated) {
  if (record.samples.empty()) return;  // pruned: the body alone speaks
  if (sha256_hex(record.samples) != stated.samples_sha256) {
    throw bad_data("the samples don't have the SHA-256 stored with them");
  }
  for (const auto& [name, value] : metrics_of(stated.invocation)) {
    const auto it = stated.metrics.find(name);
    if (it != stated.metrics.end() && it->second != value) {
      throw bad_data(fmt::format("metric '{}' doesn't follow from the samples", name));
    }
  }
}

}  // namespace nsop::store
