// What an array task does: measures one shard into the folder of its submission, once.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "harness/run/job.h"
#include "harness/run/measure.h"
#include "harness/shards/submission.h"
#include "harness/store/store.h"

namespace nsop::shards {

// Writes the complete run as the shard's file, whole or not at all.
void publish_shard(const std::string& folder, int index, const store::Store& store,
                   const std::string& run_id);

// Is this shard of a gate measured? One that is complete and has no file gets it. A gate doesn't go
// on where it was stopped: what is half done is put away. Throws Error (usage) where the folder has
// no gate with such a shard.
bool is_gate_measured(const std::string& folder, const ShardNumber& number, const run::Note& note);

class ShardTask {
 public:
  // Throws Error (usage) where the folder has no submission with such a shard.
  ShardTask(std::string folder, const ShardNumber& number);

  // What is left to measure, its run begun or resumed in store(); nothing: the shard is complete.
  // What another node began is put away: the variants of a case are measured on one node.
  // `plan` makes the plan of the whole run, `places` are those of its programs.
  std::optional<run::Job> begin(const run::JobOptions& options, const std::string& tool_version,
                                const std::function<run::Job()>& plan,
                                const std::function<run::ProgramPlaces()>& places,
                                const run::Note& note);

  store::Store& store() { return *store_; }
  void publish(const std::string& run_id);

 private:
  std::optional<run::Job> stored(const std::function<run::ProgramPlaces()>& places,
                                 const run::Note& note);

  std::string folder_;
  ShardNumber number_;
  Submission submission_;
  std::unique_ptr<store::Store> store_;
  bool is_published_ = false;
};

}  // namespace nsop::shards
