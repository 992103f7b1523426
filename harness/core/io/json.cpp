#include "harness/core/io/json.h"

#include <fmt/format.h>

#include <array>

#include "harness/core/error.h"
#include "harness/core/io/json_field.h"

namespace nsop {
namespace {

constexpr std::array<const char*, 7> kKindNames = {"count", "index", "flag",  "number",
                                                   "shape", "range", "choice"};

// Reads `json[key]` into `value`; an absent key leaves it as it is when `optional`.
template <typename T>
void get(const Json& json, const char* key, T& value, bool optional = false) {
  if (!json.is_object()) throw bad_data(fmt::format("expected an object with '{}'", key));
  const auto it = json.find(key);
  if (it == json.end()) {
    if (optional) return;
    throw bad_data(fmt::format("field '{}' is missing", key));
  }
  if (!is_exactly<T>(*it)) throw bad_data(fmt::format("field '{}' has the wrong type", key));
  it->get_to(value);
}

// nlohmann parses an in-memory array for one object type at a time; this keeps the loops short.
template <typename T, typename F>
std::vector<T> list(const Json& json, const char* key, F from_json) {
  std::vector<T> values;
  const auto it = json.find(key);
  if (it == json.end()) return values;
  if (!it->is_array()) throw bad_data(fmt::format("field '{}' must be a list", key));
  for (const Json& item : *it) values.push_back(from_json(item));
  return values;
}

ParamSpec param_from_json(const Json& json) {
  ParamSpec p;
  std::string kind, absent;
  get(json, "name", p.name);
  get(json, "kind", kind);
  get(json, "choices", p.choices, true);
  get(json, "rank", p.rank, true);
  size_t index = 0;
  while (index < kKindNames.size() && kind != kKindNames[index]) ++index;
  if (index == kKindNames.size()) throw bad_data(fmt::format("unknown kind of key '{}'", kind));
  p.kind = static_cast<ParamKind>(index);
  if (json.contains("absent") && !json["absent"].is_null()) {
    get(json, "absent", absent);
    p.absent = absent;
  }
  return p;
}

}  // namespace

Json to_json(const OpSpec& spec) {
  Json params = Json::array();
  for (const ParamSpec& p : spec.params) {
    Json one = {{"name", p.name}, {"kind", kKindNames[static_cast<size_t>(p.kind)]}};
    if (!p.choices.empty()) one["choices"] = p.choices;
    if (p.rank != 0) one["rank"] = p.rank;
    if (p.absent) one["absent"] = *p.absent;
    params.push_back(std::move(one));
  }
  return {{"name", spec.name}, {"summary", spec.summary}, {"params", std::move(params)}};
}

OpSpec op_spec_from_json(const Json& json) {
  OpSpec spec;
  get(json, "name", spec.name);
  get(json, "summary", spec.summary, true);
  spec.params = list<ParamSpec>(json, "params", param_from_json);
  return spec;
}

Json to_json(const Repetition& r) {
  Json json = {{"iterations", r.iterations},
               {"wall_ns", r.wall_ns},
               {"process_cpu_ns", r.process_cpu_ns},
               {"thread_cpu_ns", r.thread_cpu_ns},
               {"involuntary_switches", r.involuntary_switches},
               {"minor_faults", r.minor_faults},
               {"major_faults", r.major_faults}};
  if (!r.metrics.empty()) json["metrics"] = r.metrics;
  return json;
}

Repetition repetition_from_json(const Json& json) {
  Repetition r;
  get(json, "iterations", r.iterations);
  get(json, "wall_ns", r.wall_ns);
  get(json, "process_cpu_ns", r.process_cpu_ns);
  get(json, "thread_cpu_ns", r.thread_cpu_ns);
  get(json, "involuntary_switches", r.involuntary_switches);
  get(json, "minor_faults", r.minor_faults);
  get(json, "major_faults", r.major_faults);
  get(json, "metrics", r.metrics, true);
  const std::string problem = problem_of(r);
  if (!problem.empty()) throw bad_data(problem);
  return r;
}

Json to_json(const AllocCounts& c) {
  return {{"allocs_per_op", c.allocs_per_op},     {"bytes_per_op", c.bytes_per_op},
          {"one_time_allocs", c.one_time_allocs}, {"one_time_bytes", c.one_time_bytes},
          {"peak_live_bytes", c.peak_live_bytes}, {"steady", c.steady}};
}

AllocCounts alloc_counts_from_json(const Json& json) {
  AllocCounts c;
  get(json, "allocs_per_op", c.allocs_per_op);
  get(json, "bytes_per_op", c.bytes_per_op);
  get(json, "one_time_allocs", c.one_time_allocs);
  get(json, "one_time_bytes", c.one_time_bytes);
  get(json, "peak_live_bytes", c.peak_live_bytes);
  get(json, "steady", c.steady);
  const std::string problem = problem_of(c);
  if (!problem.empty()) throw bad_data(problem);
  return c;
}

Json to_json(const InstructionCounts& c) {
  return {{"per_op", c.per_op},
          {"counted_by", c.counted_by},
          {"target", c.target},
          {"reason", c.reason}};
}

InstructionCounts instruction_counts_from_json(const Json& json) {
  InstructionCounts c;
  get(json, "per_op", c.per_op);
  get(json, "counted_by", c.counted_by);
  get(json, "target", c.target);
  get(json, "reason", c.reason);
  const std::string problem = problem_of(c);
  if (!problem.empty()) throw bad_data(problem);
  return c;
}

Json to_json(const CheckResult& c) {
  return {{"ok", c.ok},
          {"max_abs_error", c.max_abs_error},
          {"max_rel_error", c.max_rel_error},
          {"worst_over_tolerance", c.worst_over_tolerance},
          {"message", c.message}};
}

CheckResult check_from_json(const Json& json) {
  CheckResult c;
  get(json, "ok", c.ok);
  get(json, "max_abs_error", c.max_abs_error);
  get(json, "max_rel_error", c.max_rel_error);
  get(json, "worst_over_tolerance", c.worst_over_tolerance);
  get(json, "message", c.message);
  return c;
}

Json to_json(const Build& b) {
  return {{"id", b.id},
          {"commit", b.commit},
          {"dirty", b.dirty},
          {"compiler", b.compiler},
          {"flags", b.flags},
          {"build_type", b.build_type},
          {"libc", b.libc},
          {"engine", b.engine},
          {"link_seed", b.link_seed},
          {"binary_sha256", b.binary_sha256},
          {"reference_sha256", b.reference_sha256}};
}

Build build_from_json(const Json& json) {
  Build b;
  get(json, "id", b.id, true);
  get(json, "commit", b.commit);
  get(json, "dirty", b.dirty, true);
  get(json, "compiler", b.compiler, true);
  get(json, "flags", b.flags, true);
  get(json, "build_type", b.build_type, true);
  get(json, "libc", b.libc, true);
  get(json, "engine", b.engine, true);
  get(json, "link_seed", b.link_seed, true);
  get(json, "binary_sha256", b.binary_sha256, true);
  get(json, "reference_sha256", b.reference_sha256, true);
  return b;
}

Json to_json(const Host& h) {
  return {{"id", h.id},
          {"cpu_vendor", h.cpu_vendor},
          {"cpu_model", h.cpu_model},
          {"family", h.family},
          {"model", h.model},
          {"stepping", h.stepping},
          {"sockets", h.sockets},
          {"cores", h.cores},
          {"threads", h.threads},
          {"cache_bytes", h.cache_bytes},
          {"isa", h.isa},
          {"hypervisor", h.hypervisor}};
}

Host host_from_json(const Json& json) {
  Host h;
  get(json, "id", h.id);
  get(json, "cpu_vendor", h.cpu_vendor);
  get(json, "cpu_model", h.cpu_model);
  get(json, "family", h.family);
  get(json, "model", h.model);
  get(json, "stepping", h.stepping);
  get(json, "sockets", h.sockets);
  get(json, "cores", h.cores);
  get(json, "threads", h.threads);
  get(json, "cache_bytes", h.cache_bytes);
  get(json, "isa", h.isa);
  get(json, "hypervisor", h.hypervisor);
  return h;
}

Json parse_json(const std::string& text, const std::string& where) {
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    throw bad_data(fmt::format("{}: not JSON at byte {}", where, error.byte));
  } catch (const nlohmann::json::exception& error) {
    throw bad_data(fmt::format("{}: not JSON: {}", where, error.what()));
  }
}

}  // namespace nsop
