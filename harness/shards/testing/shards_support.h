// What tests of merging share: a submission's folder, filled with shards of invented numbers.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "harness/core/files.h"
#include "harness/judge/gate/plan.h"
#include "harness/shards/merge.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::shards::test {

inline constexpr const char* kSubmission = "00000000-0000-8000-8000-00000000abcd";

// A shard as a node leaves it.
struct Left {
  std::string node = "n1";
  std::string host_id = "host-a";
  std::string submission = kSubmission;
  bool seal = true;
  double speed = 0;  // of its control, in times of the usual one; 0: it has none
  int number = 1;    // which measurement of the shard this is
  std::string started_utc = "2026-01-01T00:00:00Z", ended_utc = "2026-01-01T00:10:00Z";
};

inline RowKey control() { return judge::control_rows().front(); }

// Ten invocations of the control, each of about a microsecond times `factor`.
inline std::vector<Invocation> control_invocations(const std::string& run_id, double factor) {
  std::mt19937 random(static_cast<unsigned>(std::hash<std::string>{}(run_id)));
  std::normal_distribution<double> noise(0, 0.004);
  std::vector<Invocation> invocations;
  for (int round = 0; round < 10; ++round) {
    Invocation one = store::test::example_invocation(run_id, 100 + round);
    one.row = control();
    one.round = round;
    one.repetitions.clear();
    const auto ns = static_cast<int64_t>(1e6 * factor * std::exp(noise(random)));
    for (int i = 0; i < 5; ++i) one.repetitions.push_back({1000, ns, ns, ns, 0, 0, 0});
    invocations.push_back(one);
  }
  return invocations;
}

class ShardsTest : public testing::Test {
 protected:
  ShardsTest() {
    submission_.id = kSubmission;
    submission_.created_utc = "2026-01-01T00:00:00Z";
    submission_.shards = 3;
    for (const char* host : {"host-a", "host-b"}) {
      write_file_atomically(plan_file(folder_, host), run::plan_to_json(plan({}), {}));
    }
  }

  // The whole plan, or that of a shard.
  static run::Plan plan(const std::optional<run::PlanShard>& shard) {
    run::Plan plan;
    plan.profile = run::profile_named("quick");
    plan.shard = shard;
    return plan;
  }

  void write_shard(int index, const Left& left) {
    store::test::TempDir own;
    store::Store store(own.file("shard.db"));
    nsop::Run run = store::test::example_run(
        fmt::format("0000000{}-000{}-4000-8000-000000000000", index, left.number),
        left.started_utc);
    run.host_id = left.host_id;
    run::Plan of_shard =
        plan(run::PlanShard{index, submission_.shards, left.submission, left.node});
    if (left.speed > 0) of_shard.rows.push_back({control(), 0, "", {}, true});
    run.facts[control().case_text] = {1000, 0, 8000, 8000, 4000};
    run.plan_json = run::plan_to_json(of_shard, {});
    store::test::add_run(store, run, 3, false);
    if (left.speed > 0) {
      for (const Invocation& one : control_invocations(run.id, left.speed)) store.append(one);
    }
    if (left.seal) store.end_run(run.id, RunState::kComplete, left.ended_utc);
    write_file_atomically(shard_file(folder_, index), store::export_run(store, run.id));
  }

  Merged merge() {
    return merge_shards(folder_, submission_, read_shards(folder_, submission_), store_);
  }

  store::test::TempDir temporary_;
  const std::string folder_ = temporary_.path();
  Submission submission_;
  store::Store store_{temporary_.db()};
};

}  // namespace nsop::shards::test
