// The second half of json.h: what a run consists of.
#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/io/json_field.h"
#include "harness/core/sample.h"

namespace nsop {
namespace {

Json facts_to_json(const std::map<std::string, CaseFacts>& facts) {
  Json json = Json::object();
  for (const auto& [text, f] : facts) {
    json[text] = {{"flops", f.flops},
                  {"macs", f.macs},
                  {"bytes", f.bytes},
                  {"working_set_bytes", f.working_set_bytes},
                  {"written_bytes", f.written_bytes}};
  }
  return json;
}

std::map<std::string, CaseFacts> facts_from_json(const Json& json) {
  std::map<std::string, CaseFacts> facts;
  if (!json.is_object()) throw bad_data("field 'facts' must be an object");
  for (const auto& [text, f] : json.items()) {
    facts[text] = {json_field<double>(f, "flops"), json_field<double>(f, "macs"),
                   json_field<double>(f, "bytes"), json_field<double>(f, "working_set_bytes"),
                   f.contains("written_bytes") ? json_field<double>(f, "written_bytes") : 0};
  }
  return facts;
}

Json row_to_json(const RowKey& row) {
  return {{"case", row.case_text},
          {"variant", row.variant},
          {"target", row.target},
          {"threads", row.threads}};
}

}  // namespace

Json to_json(const Conditions& c) {
  return {{"kernel", c.kernel},
          {"os", c.os},
          {"governor", c.governor},
          {"turbo", c.turbo},
          {"aslr", c.aslr},
          {"libc", c.libc},
          {"microcode", c.microcode},
          {"load1", c.load1},
          {"steal_percent", c.steal_percent},
          {"memory_bytes", c.memory_bytes},
          {"memory_available_bytes", c.memory_available_bytes},
          {"allowed_cpus", c.allowed_cpus},
          {"glibc_tunables", c.glibc_tunables}};
}

Conditions conditions_from_json(const Json& json) {
  Conditions c;
  c.kernel = json_field<std::string>(json, "kernel");
  c.os = json_field<std::string>(json, "os");
  c.governor = json_field<std::string>(json, "governor");
  c.turbo = json_field<std::string>(json, "turbo");
  c.aslr = json_field<std::string>(json, "aslr");
  c.libc = json_field<std::string>(json, "libc");
  c.microcode = json_field<std::string>(json, "microcode");
  c.load1 = json_field<double>(json, "load1");
  c.steal_percent = json_field<double>(json, "steal_percent");
  c.memory_bytes = json_field<int64_t>(json, "memory_bytes");
  c.memory_available_bytes = json_field<int64_t>(json, "memory_available_bytes");
  c.allowed_cpus = json_field<std::vector<int>>(json, "allowed_cpus");
  c.glibc_tunables = json_field<std::string>(json, "glibc_tunables");
  return c;
}

Json to_json(const Invocation& i) {
  Json repetitions = Json::array();
  for (const Repetition& r : i.repetitions) repetitions.push_back(to_json(r));
  Json json = {{"id", i.id},
               {"run_id", i.run_id},
               {"phase", i.phase == Phase::kTime ? "time" : "count"},
               {"session", i.session},
               {"round", i.round},
               {"slot", i.slot},
               {"build_id", i.build_id},
               {"row", row_to_json(i.row)},
               {"status", status_text(i.status)},
               {"reason", i.reason},
               {"chose", i.chose},
               {"inputs_sha256", i.inputs_sha256},
               {"check", to_json(i.check)},
               {"repetitions", std::move(repetitions)},
               {"allocs", i.allocs ? to_json(*i.allocs) : Json()}};
  // What isn't known is left out: texts of before it was kept stay as they are.
  if (i.instructions) json["instructions"] = to_json(*i.instructions);
  json["warnings"] = i.warnings;
  json["workspace_bytes"] = i.workspace_bytes;
  json["process_age_s"] = i.process_age_s;
  if (i.first_ns != 0) json["first_ns"] = i.first_ns;
  json["at_utc"] = i.at_utc;
  return json;
}

Invocation invocation_from_json(const Json& json) {
  Invocation i;
  i.id = json_field<std::string>(json, "id");
  i.run_id = json_field<std::string>(json, "run_id");
  const auto phase = json_field<std::string>(json, "phase");
  if (phase != "time" && phase != "count") throw bad_data("unknown phase '" + phase + "'");
  i.phase = phase == "time" ? Phase::kTime : Phase::kCount;
  i.session = json_field<int>(json, "session");
  i.round = json_field<int>(json, "round");
  i.slot = json_field<int>(json, "slot");
  i.build_id = json_field<std::string>(json, "build_id");
  const Json row = json_field<Json>(json, "row");
  i.row = {json_field<std::string>(row, "case"), json_field<std::string>(row, "variant"),
           json_field<std::string>(row, "target"), json_field<int>(row, "threads")};
  i.status = status_from_text(json_field<std::string>(json, "status"));
  i.reason = json_field<std::string>(json, "reason");
  i.chose = json_field<std::string>(json, "chose");
  i.inputs_sha256 = json_field<std::string>(json, "inputs_sha256");
  i.check = check_from_json(json_field<Json>(json, "check"));
  for (const Json& r : json_field<Json>(json, "repetitions")) {
    i.repetitions.push_back(repetition_from_json(r));
  }
  const Json allocs = json_field<Json>(json, "allocs");
  if (!allocs.is_null()) i.allocs = alloc_counts_from_json(allocs);
  if (json.contains("instructions")) {
    i.instructions = instruction_counts_from_json(json["instructions"]);
  }
  i.warnings = json_field<std::vector<std::string>>(json, "warnings");
  i.workspace_bytes = json_field<int64_t>(json, "workspace_bytes");
  i.process_age_s = json_field<double>(json, "process_age_s");
  i.first_ns = json_field_or<int64_t>(json, "first_ns", 0);
  i.at_utc = json_field<std::string>(json, "at_utc");
  return i;
}

Json to_json(const Run& r) {
  return {{"id", r.id},
          {"host_id", r.host_id},
          {"conditions", to_json(r.conditions)},
          {"origin", r.origin},
          {"trust", r.trust},
          {"profile", r.profile},
          {"seed", r.seed},
          {"facts", facts_to_json(r.facts)},
          {"plan", r.plan_json},
          {"invocations_planned", r.invocations_planned},
          {"started_utc", r.started_utc},
          {"ended_utc", r.ended_utc},
          {"state", run_state_text(r.state)},
          {"sha256", r.sha256},
          {"tool_version", r.tool_version}};
}

Run run_from_json(const Json& json) {
  Run r;
  r.id = json_field<std::string>(json, "id");
  r.host_id = json_field<std::string>(json, "host_id");
  r.conditions = conditions_from_json(json_field<Json>(json, "conditions"));
  r.origin = json_field<std::string>(json, "origin");
  r.trust = json_field<std::string>(json, "trust");
  r.profile = json_field<std::string>(json, "profile");
  r.seed = json_field<uint64_t>(json, "seed");
  r.facts = facts_from_json(json_field<Json>(json, "facts"));
  r.plan_json = json_field<std::string>(json, "plan");
  r.invocations_planned = json_field<int64_t>(json, "invocations_planned");
  r.started_utc = json_field<std::string>(json, "started_utc");
  r.ended_utc = json_field<std::string>(json, "ended_utc");
  r.state = run_state_from_text(json_field<std::string>(json, "state"));
  r.sha256 = json_field<std::string>(json, "sha256");
  r.tool_version = json_field<std::string>(json, "tool_version");
  return r;
}

}  // namespace nsop
