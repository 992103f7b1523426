// The second half of json.h: what a run consists of.
#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/io/json.h"

namespace nsop {
namespace {

template <typename T>
T at(const Json& json, const char* key) {
  try {
    return json.at(key).get<T>();
  } catch (const nlohmann::json::exception&) {
    throw bad_data(fmt::format("field '{}' is missing or has the wrong type", key));
  }
}

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
    facts[text] = {at<double>(f, "flops"), at<double>(f, "macs"), at<double>(f, "bytes"),
                   at<double>(f, "working_set_bytes"),
                   f.contains("written_bytes") ? at<double>(f, "written_bytes") : 0};
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
  c.kernel = at<std::string>(json, "kernel");
  c.os = at<std::string>(json, "os");
  c.governor = at<std::string>(json, "governor");
  c.turbo = at<std::string>(json, "turbo");
  c.aslr = at<std::string>(json, "aslr");
  c.libc = at<std::string>(json, "libc");
  c.microcode = at<std::string>(json, "microcode");
  c.load1 = at<double>(json, "load1");
  c.steal_percent = at<double>(json, "steal_percent");
  c.memory_bytes = at<int64_t>(json, "memory_bytes");
  c.memory_available_bytes = at<int64_t>(json, "memory_available_bytes");
  c.allowed_cpus = at<std::vector<int>>(json, "allowed_cpus");
  c.glibc_tunables = at<std::string>(json, "glibc_tunables");
  return c;
}

Json to_json(const Invocation& i) {
  Json repetitions = Json::array();
  for (const Repetition& r : i.repetitions) repetitions.push_back(to_json(r));
  return {{"id", i.id},
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
          {"allocs", i.allocs ? to_json(*i.allocs) : Json()},
          {"warnings", i.warnings},
          {"workspace_bytes", i.workspace_bytes},
          {"process_age_s", i.process_age_s},
          {"at_utc", i.at_utc}};
}

Invocation invocation_from_json(const Json& json) {
  Invocation i;
  i.id = at<std::string>(json, "id");
  i.run_id = at<std::string>(json, "run_id");
  const auto phase = at<std::string>(json, "phase");
  if (phase != "time" && phase != "count") throw bad_data("unknown phase '" + phase + "'");
  i.phase = phase == "time" ? Phase::kTime : Phase::kCount;
  i.session = at<int>(json, "session");
  i.round = at<int>(json, "round");
  i.slot = at<int>(json, "slot");
  i.build_id = at<std::string>(json, "build_id");
  const Json row = at<Json>(json, "row");
  i.row = {at<std::string>(row, "case"), at<std::string>(row, "variant"),
           at<std::string>(row, "target"), at<int>(row, "threads")};
  i.status = status_from_text(at<std::string>(json, "status"));
  i.reason = at<std::string>(json, "reason");
  i.chose = at<std::string>(json, "chose");
  i.inputs_sha256 = at<std::string>(json, "inputs_sha256");
  i.check = check_from_json(at<Json>(json, "check"));
  for (const Json& r : at<Json>(json, "repetitions")) {
    i.repetitions.push_back(repetition_from_json(r));
  }
  const Json allocs = at<Json>(json, "allocs");
  if (!allocs.is_null()) i.allocs = alloc_counts_from_json(allocs);
  i.warnings = at<std::vector<std::string>>(json, "warnings");
  i.workspace_bytes = at<int64_t>(json, "workspace_bytes");
  i.process_age_s = at<double>(json, "process_age_s");
  i.at_utc = at<std::string>(json, "at_utc");
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
  r.id = at<std::string>(json, "id");
  r.host_id = at<std::string>(json, "host_id");
  r.conditions = conditions_from_json(at<Json>(json, "conditions"));
  r.origin = at<std::string>(json, "origin");
  r.trust = at<std::string>(json, "trust");
  r.profile = at<std::string>(json, "profile");
  r.seed = at<uint64_t>(json, "seed");
  r.facts = facts_from_json(at<Json>(json, "facts"));
  r.plan_json = at<std::string>(json, "plan");
  r.invocations_planned = at<int64_t>(json, "invocations_planned");
  r.started_utc = at<std::string>(json, "started_utc");
  r.ended_utc = at<std::string>(json, "ended_utc");
  r.state = run_state_from_text(at<std::string>(json, "state"));
  r.sha256 = at<std::string>(json, "sha256");
  r.tool_version = at<std::string>(json, "tool_version");
  return r;
}

}  // namespace nsop
