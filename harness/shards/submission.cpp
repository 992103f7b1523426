#include "harness/shards/submission.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/io/json_field.h"

namespace nsop::shards {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSchema = "nsop.submission/1";

std::string file_of(const std::string& folder) { return folder + "/submission.json"; }

std::string base_away(const std::string& folder, int index, const std::string& why, int number) {
  return fmt::format("{}/shard-{}.{}-{}", folder, index, why, number);
}

}  // namespace

Submission read_submission(const std::string& folder) {
  if (!fs::exists(file_of(folder))) {
    throw usage_error(folder +
                      ": no submission: there is no submission.json; `nsop submit` makes one");
  }
  const std::string where = file_of(folder);
  const Json json = parse_json(read_file(where), where);
  if (!has_schema(json, kSchema)) throw bad_data(where + ": this is no submission of this nsop");
  return read_fields(where + ": the submission is malformed", [&] {
    Submission s{field(json, "id"),
                 field(json, "created"),
                 field(json, "program"),
                 field(json, "project"),
                 field(json, "db"),
                 field(json, "shards"),
                 field(json, "local"),
                 field(json, "arguments"),
                 field(json, "slurm"),
                 field(json, "excluded"),
                 field(json, "jobs"),
                 json_field_or<std::string>(json, "verb", "run"),
                 json_field_or<int>(json, "nodes", 0)};
    if (s.verb != "run" && s.verb != "gate") throw bad_data("field 'verb' must be run or gate");
    if (s.shards < 1) throw bad_data("field 'shards' must be positive");
    if (s.nodes < 0) throw bad_data("field 'nodes' must not be negative");
    return s;
  });
}

void write_submission(const std::string& folder, const Submission& s) {
  const Json json = {{"schema", kSchema},        {"id", s.id},
                     {"created", s.created_utc}, {"program", s.program},
                     {"project", s.project},     {"db", s.db},
                     {"shards", s.shards},       {"local", s.local},
                     {"arguments", s.arguments}, {"slurm", s.slurm},
                     {"excluded", s.excluded},   {"jobs", s.jobs},
                     {"verb", s.verb},           {"nodes", s.nodes}};
  write_file_atomically(file_of(folder), json.dump(2) + "\n");
}

void set_slurm_option(Submission& submission, const std::string& name, const std::string& value) {
  std::erase_if(submission.slurm,
                [&](const std::string& one) { return one.starts_with(name + "="); });
  if (!value.empty()) submission.slurm.push_back(name + "=" + value);
}

std::string shard_file(const std::string& folder, int index) {
  return fmt::format("{}/shard-{}.ndjson", folder, index);
}

std::string shard_database(const std::string& folder, int index) {
  return fmt::format("{}/shard-{}.db", folder, index);
}

std::string plan_file(const std::string& folder, const std::string& host_id) {
  return fmt::format("{}/plan-{}.json", folder, host_id.substr(0, 8));
}

bool was_put_away(const std::string& folder, int index, const std::string& why) {
  const std::string first = base_away(folder, index, why, 1);
  return fs::exists(first + ".db") || fs::exists(first + ".ndjson");
}

void put_away(const std::string& folder, int index, const std::string& why) {
  int number = 1;
  const auto to = [&](const char* ending) {
    return fmt::format("{}.{}", base_away(folder, index, why, number), ending);
  };
  while (fs::exists(to("db")) || fs::exists(to("ndjson"))) ++number;
  for (const char* ending : {"db-wal", "db-shm", "db", "ndjson"}) {
    std::error_code error;
    const std::string from = fmt::format("{}/shard-{}.{}", folder, index, ending);
    if (fs::exists(from)) fs::rename(from, to(ending), error);
    if (error) throw environment_error(fmt::format("{}: {}", from, error.message()));
  }
}

void keep_plan(const std::string& folder, const std::string& host_id, const run::Plan& plan,
               const std::vector<run::Worker>& workers) {
  const std::string path = plan_file(folder, host_id), text = run::plan_to_json(plan, workers);
  if (!fs::exists(path)) return write_file_atomically(path, text);
  if (read_file(path) == text) return;
  throw usage_error(fmt::format(
      "{}: another node of this kind planned something else: both need the same nsop, suites and "
      "peers",
      path));
}

}  // namespace nsop::shards
