// How a plan (plan.h) is stored with its run, for --resume.
#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/io/json_field.h"
#include "harness/run/plan/plan.h"

namespace nsop::run {
namespace {

Json profile_to_json(const Profile& p) {
  Json json = {{"name", p.name},
               {"rounds", p.rounds},
               {"row_budget_s", p.row_budget_s},
               {"fewest_rounds", p.fewest_rounds},
               {"total_budget_s", p.total_budget_s},
               {"tag", p.tag},
               {"warmup_ns", p.measure.warmup_ns},
               {"repetitions", p.measure.repetitions},
               {"min_time_ns", p.measure.min_time_ns},
               {"slow_repetitions", p.measure.slow_repetitions}};
  if (p.measure.instructions) json["instructions"] = true;
  return json;
}

Profile profile_from_json(const Json& json) {
  return {field(json, "name"),
          field(json, "rounds"),
          field(json, "row_budget_s"),
          json_field_or(json, "fewest_rounds", 1),
          field(json, "total_budget_s"),
          field(json, "tag"),
          {field(json, "warmup_ns"), field(json, "repetitions"), field(json, "min_time_ns"),
           field(json, "slow_repetitions"), json_field_or(json, "instructions", false)}};
}

Json description_to_json(const CaseDescription& d) {
  Json outputs = Json::array();
  for (size_t i = 0; i < d.outputs.size(); ++i) {
    outputs.push_back({{"name", d.outputs[i].name},
                       {"shape", d.outputs[i].shape},
                       {"absolute", d.tolerances[i].absolute},
                       {"relative", d.tolerances[i].relative}});
  }
  return {{"case", d.text},
          {"outputs", std::move(outputs)},
          {"given_outputs", d.given_outputs},
          {"memory_bytes", d.memory_bytes},
          {"facts",
           {d.facts.flops, d.facts.macs, d.facts.bytes, d.facts.working_set_bytes,
            d.facts.written_bytes}}};
}

CaseDescription description_from_json(const Json& json) {
  CaseDescription d;
  d.text = field(json, "case");
  const bool per_output = !json.contains("absolute");  // older plans: one for all
  for (const Json& o : json.at("outputs")) {
    d.outputs.push_back({field(o, "name"), field(o, "shape")});
    const Json& tolerance = per_output ? o : json;
    d.tolerances.push_back({field(tolerance, "absolute"), field(tolerance, "relative")});
  }
  d.given_outputs = json_field_or(json, "given_outputs", false);
  d.memory_bytes = field(json, "memory_bytes");
  const std::vector<double> facts = field(json, "facts");
  if (facts.size() < 4) throw bad_data("field 'facts' has fewer than 4 numbers");
  d.facts = {facts[0], facts[1], facts[2], facts[3], facts.size() > 4 ? facts[4] : 0};
  return d;
}

constexpr const char* kMalformed = "the run's plan is malformed";

}  // namespace

Json shard_json(const PlanShard& shard) {
  return {{"index", shard.index},
          {"of", shard.of},
          {"submission", shard.submission},
          {"node", shard.node}};
}

PlanShard shard_from_json(const Json& json) {
  return {field(json, "index"), field(json, "of"), field(json, "submission"), field(json, "node")};
}

std::string plan_to_json(const Plan& plan, const std::vector<Worker>& workers) {
  Json rows = Json::array(), cases = Json::array(), programs = Json::array();
  for (const PlanRow& row : plan.rows) {
    rows.push_back({{"case", row.key.case_text},
                    {"variant", row.key.variant},
                    {"target", row.key.target},
                    {"threads", row.key.threads},
                    {"worker", row.worker},
                    {"unsupported", row.unsupported}});
    if (row.most_sd) rows.back()["most_sd"] = *row.most_sd;
    if (row.is_control) rows.back()["control"] = true;
  }
  for (const auto& [text, description] : plan.cases) {
    cases.push_back(description_to_json(description));
  }
  for (const Worker& worker : workers) {
    programs.push_back({{"command", worker.timing.command},
                        {"environment", worker.timing.environment},
                        {"build_id", worker.build.id}});
  }
  Json json = {{"schema", "nsop.plan/1"},
               {"profile", profile_to_json(plan.profile)},
               {"seed", plan.seed},
               {"suites", plan.suites},
               {"rows", std::move(rows)},
               {"cases", std::move(cases)},
               {"workers", std::move(programs)}};
  if (plan.shard) json["shard"] = shard_json(*plan.shard);
  return json.dump();
}

Plan plan_from_json(const std::string& text) {
  const Json json = parse_json(text, "the run's plan");
  if (!has_schema(json, "nsop.plan/1")) throw bad_data("the run's plan has another schema");
  return read_fields(kMalformed, [&] {
    Plan plan{
        profile_from_json(json.at("profile")), field(json, "seed"), field(json, "suites"), {}, {}};
    for (const Json& row : json.at("rows")) {
      plan.rows.push_back(
          {{field(row, "case"), field(row, "variant"), field(row, "target"), field(row, "threads")},
           field(row, "worker"),
           field(row, "unsupported")});
      if (row.contains("most_sd")) plan.rows.back().most_sd = json_field<double>(row, "most_sd");
      plan.rows.back().is_control = json_field_or(row, "control", false);
    }
    for (const Json& one : json.at("cases")) {
      CaseDescription description = description_from_json(one);
      plan.cases[description.text] = std::move(description);
    }
    if (json.contains("shard")) plan.shard = shard_from_json(json.at("shard"));
    return plan;
  });
}

void rebind_workers(Plan& plan, const std::string& plan_json, const std::vector<Worker>& workers) {
  const Json json = parse_json(plan_json, "the run's plan");
  std::vector<int> now;  // by the number that the plan gave it
  read_fields(kMalformed, [&] {
    for (const Json& program : json.at("workers")) {
      const std::vector<std::string> command = field(program, "command");
      const std::vector<std::string> environment = field(program, "environment");
      const auto same = [&](const Worker& w) {
        return w.timing.command == command && w.timing.environment == environment &&
               program.at("build_id") == w.build.id;
      };
      const auto it = std::find_if(workers.begin(), workers.end(), same);
      now.push_back(it == workers.end() ? -1 : static_cast<int>(it - workers.begin()));
    }
  });
  for (PlanRow& row : plan.rows) {
    const bool known = row.worker >= 0 && row.worker < static_cast<int>(now.size());
    const int worker = known ? now.at(row.worker) : -1;
    if (worker < 0) {
      throw usage_error(fmt::format(
          "{} was measured with another build of the worker; start a new run", row.key.variant));
    }
    row.worker = worker;
  }
}

}  // namespace nsop::run
