#include "harness/shards/task.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/host/host.h"

namespace nsop::shards {
namespace {

namespace fs = std::filesystem;

// Why a gate that was begun there doesn't count; empty: it was complete, and is published now.
std::string publish_gate(const std::string& folder, int index) {
  try {
    const store::Store store(shard_database(folder, index));
    const auto runs = store.runs();
    if (runs.empty()) return "it has no run";
    const Run& run = runs.front().run;
    if (run.state != RunState::kComplete) return "it was stopped, and a gate doesn't go on";
    publish_shard(folder, index, store, run.id);
    return "";
  } catch (const Error& error) {
    if (error.code() == ExitCode::kEnvironment) throw;
    return error.what();
  }
}

void note_put_away(int index, const std::string& reason, const run::Note& note) {
  note(fmt::format("shard {} is measured anew: {}; what was stored is kept", index, reason));
}

bool is_published(const std::string& folder, int index, const run::Note& note) {
  const std::string file = shard_file(folder, index);
  if (!fs::exists(file)) return false;
  note(fmt::format("shard {} is measured already: {}", index, file));
  return true;
}

}  // namespace

void publish_shard(const std::string& folder, int index, const store::Store& store,
                   const std::string& run_id) {
  write_file_atomically(shard_file(folder, index), store::export_run(store, run_id));
}

bool is_gate_measured(const std::string& folder, const ShardNumber& number, const run::Note& note) {
  const Submission submission = read_submission(folder);
  if (submission.verb != "gate" || submission.shards != number.of) {
    throw usage_error(fmt::format("{}: the submission is no gate of {} shards", folder, number.of));
  }
  if (is_published(folder, number.index, note)) return true;
  if (!fs::exists(shard_database(folder, number.index))) return false;
  const std::string reason = publish_gate(folder, number.index);
  if (reason.empty()) {
    note(fmt::format("shard {} was measured already, and lacked its file", number.index));
    return true;
  }
  put_away(folder, number.index, "lost");
  note_put_away(number.index, reason, note);
  return false;
}

ShardTask::ShardTask(std::string folder, const ShardNumber& number)
    : folder_(std::move(folder)), number_(number), submission_(read_submission(folder_)) {
  if (number.of == submission_.shards) return;
  throw usage_error(fmt::format("{}: the submission has {} shards, not {}", folder_,
                                submission_.shards, number.of));
}

// The job of a shard that this node has begun. Whatever can't go on is put away.
std::optional<run::Job> ShardTask::stored(const std::function<run::ProgramPlaces()>& places,
                                          const run::Note& note) {
  const std::string path = shard_database(folder_, number_.index);
  if (!fs::exists(path)) return std::nullopt;
  std::string reason;
  try {
    store_ = std::make_unique<store::Store>(path);
    const auto runs = store_->runs();
    if (runs.empty()) {
      reason = "it has no run";
    } else {
      const Run run = store_->run(runs.front().run.id);
      const run::Plan plan = run::plan_from_json(run.plan_json);
      const std::string node = plan.shard ? plan.shard->node : "";
      if (run.state == RunState::kComplete) {
        publish(run.id);
        return std::nullopt;
      }
      if (node == node_name()) {
        run::Job job = run::resumed_job(run.id, *store_, places());
        store_->resume_run(run.id);
        note(fmt::format("shard {} goes on: {} invocations are stored", number_.index,
                         job.done.size()));
        return job;
      }
      reason = fmt::format("node {} began it, this is {}", node, node_name());
    }
  } catch (const Error& error) {
    if (error.code() == ExitCode::kEnvironment) throw;
    reason = error.what();
  }
  store_.reset();
  put_away(folder_, number_.index, "lost");
  note_put_away(number_.index, reason, note);
  return std::nullopt;
}

std::optional<run::Job> ShardTask::begin(const run::JobOptions& options,
                                         const std::string& tool_version,
                                         const std::function<run::Job()>& plan,
                                         const std::function<run::ProgramPlaces()>& places,
                                         const run::Note& note) {
  if (is_published(folder_, number_.index, note)) return std::nullopt;
  if (std::optional<run::Job> job = stored(places, note)) return job;
  if (is_published_) return std::nullopt;
  run::Job job = plan();
  keep_plan(folder_, this_host().id, job.plan, job.programs.workers);
  keep_shard(job.plan, number_);
  job.plan.shard = run::PlanShard{number_.index, number_.of, submission_.id, node_name()};
  add_controls(job);
  store_ = std::make_unique<store::Store>(shard_database(folder_, number_.index));
  run::begin_job(options, tool_version, *store_, job);
  return job;
}

void ShardTask::publish(const std::string& run_id) {
  publish_shard(folder_, number_.index, *store_, run_id);
  is_published_ = true;
}

}  // namespace nsop::shards
