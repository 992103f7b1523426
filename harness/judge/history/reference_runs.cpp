#include "harness/judge/history/reference_runs.h"

#include <utility>

#include "harness/core/io/json_field.h"

namespace nsop::judge {
namespace {

constexpr const char* kField = "backfill";
constexpr const char* kOrigin = "confirm";

}  // namespace

void make_reference_run(Run& run, const std::string& reference, const std::string& night) {
  Json plan = parse_json(run.plan_json, "plan of run " + short_id(run.id));
  plan[kField] = {{"reference", reference}, {"night", night}};
  run.plan_json = plan.dump();
  run.origin = kOrigin;
  run.profile = kReferenceProfile;
}

std::vector<ReferenceRun> reference_runs(const store::Store& store, const std::string& host_id) {
  std::vector<ReferenceRun> found;
  for (const std::string& id : store.runs_of(host_id, kReferenceProfile, kOrigin)) {
    const Json plan = parse_json(store.run(id).plan_json, "plan of run " + short_id(id));
    const auto beside = plan.find(kField);
    if (beside == plan.end() || !beside->is_object()) continue;
    found.push_back({id, json_field_or<std::string>(*beside, "reference", ""),
                     json_field_or<std::string>(*beside, "night", "")});
  }
  return found;
}

std::set<std::string> backfilled_runs(const store::Store& store, const std::string& host_id) {
  std::set<std::string> nights;
  for (ReferenceRun& run : reference_runs(store, host_id)) nights.insert(std::move(run.night));
  return nights;
}

}  // namespace nsop::judge
