#include "harness/adapters/program.h"

#include <algorithm>

#include "harness/core/io/json_field.h"
#include "harness/core/text.h"

namespace nsop::adapters {
Json to_json(const Program& p) {
  Json parameters = Json::array();
  for (const auto& [name, values] : p.parameters) {
    parameters.push_back({{"name", name}, {"values", values}});
  }
  return {{"name", p.name},
          {"adapter", p.adapter},
          {"run", p.run},
          {"build", p.build},
          {"folder", p.folder},
          {"cases", p.cases},
          {"threads", p.threads},
          {"compare", p.compare},
          {"commit", p.commit},
          {"parameters", parameters},
          {"prepare", p.prepare},
          {"conclude", p.conclude},
          {"exit_statuses", p.exit_statuses}};
}

Program program_from_json(const Json& json) {
  using Texts = std::vector<std::string>;
  Program p;
  p.name = json_field<std::string>(json, "name");
  p.adapter = json_field<std::string>(json, "adapter");
  p.run = json_field<Texts>(json, "run");
  p.build = json_field<Texts>(json, "build");
  p.folder = json_field<std::string>(json, "folder");
  p.cases = json_field<Texts>(json, "cases");
  p.threads = json_field<int>(json, "threads");
  p.commit = json_field<std::string>(json, "commit");
  p.compare = json_field<std::string>(json, "compare");
  for (const Json& parameter : json_field<Json>(json, "parameters")) {
    p.parameters.emplace_back(json_field<std::string>(parameter, "name"),
                              json_field<Texts>(parameter, "values"));
  }
  p.prepare = json_field<Texts>(json, "prepare");
  p.conclude = json_field<Texts>(json, "conclude");
  p.exit_statuses = json_field<std::vector<int>>(json, "exit_statuses");
  return p;
}

bool is_chosen(const Program& program, const std::string& name) {
  return program.cases.empty() ||
         std::any_of(program.cases.begin(), program.cases.end(),
                     [&](const std::string& pattern) { return matches_pattern(name, pattern); });
}

}  // namespace nsop::adapters
