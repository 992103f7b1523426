#include "harness/report/stored/published_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <tuple>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/core/identity.h"
#include "harness/core/io/json.h"
#include "harness/core/io/json_field.h"
#include "harness/core/text.h"
#include "harness/foreign/record.h"
#include "harness/store/record/sealed.h"

namespace nsop::report {
namespace {

constexpr const char* kPublished = "published";  // origin, profile, target, and field of the plan
constexpr size_t kMostBaselineName = 200;        // bytes

Json number_json(const std::optional<double>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json value_json(const Published& one) {
  return {{"system", one.system},
          {"document", one.document},
          {"version", one.version},
          {"machine", one.machine},
          {"case", one.case_text},
          {"role", one.role},
          {"here", one.here},
          {"ns_per_op", number_json(one.ns)},
          {"allocs_per_op", number_json(one.allocs)},
          {"bytes_per_op", number_json(one.bytes)},
          {"metric", one.metric},
          {"value", one.value},
          {"unit", one.unit},
          {"note", one.note}};
}

std::optional<double> number_from(const Json& json, const char* key) {
  const auto at = json.find(key);
  if (at == json.end() || at->is_null()) return std::nullopt;
  return json_field<double>(json, key);
}

Published value_from(const Json& json) {
  const auto text = [&](const char* key) { return json_field<std::string>(json, key); };
  Published one;
  one.system = text("system");
  one.document = text("document");
  one.version = text("version");
  one.machine = text("machine");
  one.case_text = text("case");
  one.role = text("role");
  one.here = text("here");
  one.ns = number_from(json, "ns_per_op");
  one.allocs = number_from(json, "allocs_per_op");
  one.bytes = number_from(json, "bytes_per_op");
  one.metric = text("metric");
  one.value = text("value");
  one.unit = text("unit");
  one.note = text("note");
  return one;
}

// `2026-01-31` in a version; empty: it has none.
std::string day_of(const std::string& version) {
  static const std::regex day(R"((^|[^0-9])([0-9]{4}-[0-9]{2}-[0-9]{2})($|[^0-9]))");
  std::smatch match;
  if (version.size() > 400 || !std::regex_search(version, match, day)) return {};
  const std::string utc = match[2].str() + "T00:00:00Z";
  return utc_seconds(utc) ? utc : std::string();
}

// `Other-v1-2025-11-20`: a baseline's name has neither blanks nor colons.
std::string baseline_of(const Published& one) {
  std::string name = printable(trim(one.system) + " " + trim(one.version));
  for (char& c : name) {
    if (c == ' ' || c == ':') c = '-';
  }
  return name.substr(std::min(name.find_first_not_of("@-"), name.size()));
}

// The source's words are all that is known of the machine.
Host host_of(const std::string& machine) {
  Host host;
  host.id = sha256_hex("published\n" + machine);
  host.cpu_model = printable(machine);
  host.hypervisor = "unknown";
  return host;
}

Build build_of(const Published& one) {
  Build build;
  build.commit = "unknown";
  build.engine = printable(fmt::format("{} {}", one.system, one.version));
  build.id = sha256_hex("published\n" + build.engine);
  return build;
}

Invocation invocation_of(const RowKey& row, const Build& build, const Run& run, int slot) {
  Invocation one;
  one.row = row;
  one.build_id = build.id;
  one.round = 1;
  one.slot = slot;
  one.check.ok = true;  // nothing was compared here
  one.at_utc = run.started_utc;
  return one;
}

// The times, and what was allocated in such an operation.
std::vector<Invocation> invocations_of(const std::vector<const Published*>& values,
                                       const Build& build, const Run& run) {
  std::vector<Invocation> made;
  std::set<RowKey> rows;
  for (const Published* value : values) {
    if (!value->ns) continue;
    const RowKey row{printable(value->case_text), printable(value->role), kPublished, 1};
    if (!rows.insert(row).second) {
      throw bad_data(
          fmt::format("'{}' of {} {} has two times of the role '{}': name the roles apart",
                      row.case_text, value->system, value->version, row.variant));
    }
    const int slot = static_cast<int>(rows.size());
    made.push_back(invocation_of(row, build, run, slot));
    made.back().repetitions = {foreign::repetition_of({.ns = *value->ns})};
    made.back().warnings = {
        fmt::format("published in {}, not measured here", printable(value->document))};
    if (!value->allocs || !value->bytes) continue;
    made.push_back(invocation_of(row, build, run, slot));
    made.back().phase = Phase::kCount;
    made.back().round = 0;
    AllocCounts counts;
    counts.allocs_per_op = *value->allocs;
    counts.bytes_per_op = *value->bytes;
    made.back().allocs = counts;
  }
  return made;
}

PublishedRun run_of(const std::vector<const Published*>& values, const PublishedOptions& options) {
  const Published& first = *values.front();
  PublishedRun result;
  result.baseline = baseline_of(first);
  if (result.baseline.empty() || result.baseline.size() > kMostBaselineName) {
    throw bad_data(fmt::format("system and version '{}' make no name of 1 to {} bytes",
                               result.baseline.substr(0, 40), kMostBaselineName));
  }
  result.host = host_of(first.machine);
  Json list = Json::array();
  std::vector<std::string> documents;
  for (const Published* one : values) {
    list.push_back(value_json(*one));
    ++result.values;
    result.times += one->ns ? 1 : 0;
    if (std::find(documents.begin(), documents.end(), one->document) == documents.end()) {
      documents.push_back(one->document);
    }
  }
  result.documents = join(documents, ", ");
  Run& run = result.run;
  run.plan_json = Json{{kPublished, list}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  run.id = store::uuid_of(std::string(kPublished) + "\n" + run.plan_json);
  run.host_id = result.host.id;
  run.origin = run.profile = kPublished;
  run.trust = "imported";
  run.started_utc = day_of(first.version).empty() ? options.started_utc : day_of(first.version);
  run.ended_utc = run.started_utc;
  run.state = RunState::kComplete;
  run.tool_version = options.tool_version;
  const Build build = build_of(first);
  result.record = store::sealed_record(run, result.host, build, invocations_of(values, build, run));
  return result;
}

}  // namespace

std::vector<PublishedRun> published_runs(const std::vector<Published>& values,
                                         const PublishedOptions& options) {
  using Source = std::tuple<std::string, std::string, std::string>;
  std::map<Source, std::vector<const Published*>> by_source;
  std::vector<Source> order;
  for (const Published& one : values) {
    const Source source{one.system, one.version, one.machine};
    if (!by_source.contains(source)) order.push_back(source);
    by_source[source].push_back(&one);
  }
  std::vector<PublishedRun> runs;
  for (const Source& source : order) runs.push_back(run_of(by_source.at(source), options));
  return runs;
}

std::vector<bool> store_published(store::Store& store, const std::vector<PublishedRun>& runs,
                                  const std::string& where) {
  std::set<std::string> known;
  for (const store::RunSummary& one : store.runs()) known.insert(one.run.id);
  std::set<std::pair<std::string, std::string>> set;  // name and run of the baselines
  for (const store::Baseline& one : store.baselines()) set.emplace(one.name, one.run_id);
  std::vector<bool> are_new;
  for (const PublishedRun& one : runs) {
    are_new.push_back(!known.contains(one.run.id));
    if (are_new.back()) store::import_record(store, one.record, where);
    if (set.contains({one.baseline, one.run.id})) continue;
    store.set_baseline({one.baseline, one.host.id, one.run.id,
                        printable("published in " + one.documents), utc_now()});
  }
  return are_new;
}

std::vector<Published> stored_published(const store::Store& store) {
  std::vector<Published> found;
  for (const store::Baseline& baseline : store.baselines()) {
    const Run run = store.run(baseline.run_id);
    if (run.origin != kPublished) continue;
    const Json plan = parse_json(run.plan_json, "plan of run " + short_id(run.id));
    for (const Json& one : json_field<Json>(plan, kPublished)) found.push_back(value_from(one));
  }
  return found;
}

std::vector<Published> all_published(const store::Store& store, const std::string& folder) {
  std::vector<Published> all = published_in(folder);
  for (Published& one : stored_published(store)) {
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace nsop::report
