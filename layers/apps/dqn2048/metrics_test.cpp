// What the rows of the workload tell beside their time. Nothing here asks how long it took.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/core/metered.h"
#include "harness/core/suite/metric_bound.h"
#include "kernels/runtime/target.h"

namespace nsop::layers {
namespace {

using testing::Contains;
using testing::Key;
using testing::Not;

const std::set<std::string> kOfTraining = {"phase_forward_ns", "phase_backward_ns",
                                           "phase_update_ns"};

class DqnMetrics : public testing::Test {
 protected:
  // The metrics of so many runs, and in wall_ns_ the time around the last of them.
  std::vector<std::map<std::string, double>> told(const std::string& line,
                                                  const std::string& variant, int runs = 1) {
    const Case c = parse_case(line);
    const Op& op = *find_op(c.op());
    auto inputs = make_inputs(op, c, 1);
    std::vector<Tensor> outputs;
    for (const OutputSpec& spec : op.outputs(c)) outputs.emplace_back(spec.shape);
    const std::string target = variant == "batched" ? kernels::targets().front() : "x86-64";
    const auto step = find_variant(c.op(), variant)->prepare({c, inputs, outputs, 1, target});
    const auto& metered = dynamic_cast<const MeteredStep&>(*step);
    std::vector<std::map<std::string, double>> out;
    for (int i = 0; i < runs; ++i) {
      const auto start = std::chrono::steady_clock::now();
      step->run();
      wall_ns_ = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
                     .count();
      out.push_back(metered.metrics());
    }
    return out;
  }

  static std::set<std::string> phases_of(const std::map<std::string, double>& metrics) {
    std::set<std::string> out;
    for (const auto& [name, value] : metrics) {
      if (name.starts_with("phase_")) out.insert(name);
    }
    return out;
  }

  double wall_ns_ = 0;
};

TEST_F(DqnMetrics, EveryVariantDividesItsLoopIntoPhases) {
  std::set<std::string> all = kOfTraining;
  all.insert({"phase_play_ns", "phase_sample_ns"});
  for (const char* variant : {"functional", "pooled", "batched"}) {
    EXPECT_EQ(phases_of(told("dqn_train updates=1 calls=3", variant)[0]), kOfTraining) << variant;
    EXPECT_EQ(phases_of(told("dqn2048 updates=1 episodes=3", variant)[0]), all) << variant;
  }
}

TEST_F(DqnMetrics, PhasesAreOfTheLatestRunAndNoLongerThanIt) {
  for (const char* variant : {"functional", "batched"}) {
    const auto metrics = told("dqn2048 updates=1 episodes=3", variant, 3).back();
    double sum = 0;
    for (const std::string& name : phases_of(metrics)) sum += metrics.at(name);
    EXPECT_GT(sum, 0) << variant;
    EXPECT_LE(sum, wall_ns_) << variant;
  }
}

TEST_F(DqnMetrics, GoalsKnowAllThatIsTold) {
  std::set<std::string> known;
  for (const GoalMetric& one : goal_metrics()) known.insert(one.name);
  const auto metrics = told("dqn2048 updates=1 episodes=3", "pooled").front();
  for (const auto& [name, value] : metrics) {
    EXPECT_TRUE(known.contains(name)) << name;
  }
}

TEST_F(DqnMetrics, OnlyThePoolTellsOfOne) {
  EXPECT_THAT(told("dqn_train updates=1 calls=3", "functional")[0],
              Not(Contains(Key("pool_hits"))));
  EXPECT_THAT(told("dqn_train updates=1 calls=3", "batched")[0], Not(Contains(Key("pool_hits"))));
}

TEST_F(DqnMetrics, APoolThatHasRunOnceMissesLess) {
  const auto runs = told("dqn_train updates=1 calls=3", "pooled", 3);
  EXPECT_GT(runs[0].at("pool_misses"), runs[1].at("pool_misses"));
  EXPECT_EQ(runs[1].at("pool_misses"), runs[2].at("pool_misses"));
  EXPECT_GT(runs[2].at("pool_hits"), 0);
  EXPECT_GT(runs[2].at("pool_retained_bytes"), 0);
  // The same work asks for as many buffers.
  for (const auto& run : runs) {
    EXPECT_EQ(run.at("pool_hits") + run.at("pool_misses"),
              runs[0].at("pool_hits") + runs[0].at("pool_misses"));
  }
}

}  // namespace
}  // namespace nsop::layers
