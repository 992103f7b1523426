// The workload's parts against each other and against wrong ones; docs/dqn.md.
#include "layers/apps/dqn2048/dqn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "harness/core/check.h"
#include "harness/core/registry.h"
#include "kernels/runtime/target.h"
#include "layers/activations.h"
#include "layers/apps/dqn2048/loop.h"
#include "layers/core/sequential.h"
#include "layers/dense.h"
#include "layers/training/optimizer.h"

namespace nsop::layers {
namespace {

// A prepared row and what it is checked with.
struct Row {
  Case op_case;
  const Op& op;
  std::vector<Tensor> inputs, outputs;
  std::unique_ptr<Step> step;
};

std::unique_ptr<Row> prepare(const std::string& line, const std::string& variant,
                             const std::string& target = "x86-64") {
  const Case c = parse_case(line);
  auto row = std::make_unique<Row>(Row{c, *find_op(c.op()), {}, {}, nullptr});
  row->inputs = make_inputs(row->op, c, 1);
  for (const OutputSpec& spec : row->op.outputs(c)) row->outputs.emplace_back(spec.shape);
  row->step = find_variant(c.op(), variant)->prepare({c, row->inputs, row->outputs, 1, target});
  return row;
}

CheckResult check(const Row& row) {
  const auto expected = expected_outputs(row.op, row.op_case, row.inputs, row.outputs);
  const auto specs = row.op.outputs(row.op_case);
  const auto tolerances = tolerances_of(row.op, row.op_case);
  CheckResult result = passed();
  for (size_t i = 0; i < specs.size(); ++i) {
    result = merge(result,
                   check_output(specs[i].name, row.outputs[i].data(), expected[i], tolerances[i]));
  }
  return result;
}

enum Output { kScores, kMoves, kLosses, kParameters, kActions };

// A finished run that is right, to be made wrong.
class WrongRun : public testing::Test {
 protected:
  void SetUp() override {
    row_->step->run();
    ASSERT_TRUE(check(*row_).ok) << check(*row_).message;
  }
  std::span<float> output(Output o) { return row_->outputs[o].data(); }
  std::unique_ptr<Row> row_ = prepare("dqn2048 updates=1 episodes=3", "functional");
};

TEST_F(WrongRun, AWrongScoreIsFound) {
  output(kScores)[1] += 4;
  EXPECT_FALSE(check(*row_).ok);
}

TEST_F(WrongRun, AMoveTooManyIsFound) {
  output(kMoves)[0] += 1;
  EXPECT_FALSE(check(*row_).ok);
}

TEST_F(WrongRun, AnotherActionThanTheOneDrawnIsFound) {
  const float right = output(kActions)[0];
  for (const float action : {0.0F, 1.0F, 2.0F, 3.0F, 4.0F, -1.0F, 0.5F}) {
    if (action == right) continue;
    output(kActions)[0] = action;
    EXPECT_FALSE(check(*row_).ok) << action;
  }
}

TEST_F(WrongRun, TrainingThatDoesNotHappenIsFound) {
  std::ranges::copy(row_->inputs[1].data(), output(kParameters).begin());
  EXPECT_FALSE(check(*row_).ok);
}

// A network that learns at half the rate, one that forgets the next states.
TEST_F(WrongRun, TrainingThatIsWrongIsFound) {
  const auto start = row_->inputs[1].data();
  for (size_t i = 0; i < start.size(); ++i) {
    output(kParameters)[i] = (output(kParameters)[i] + start[i]) / 2;
  }
  EXPECT_FALSE(check(*row_).ok);
}

TEST_F(WrongRun, LossesOfOtherBatchesAreFound) {
  std::swap(output(kLosses)[0], output(kLosses)[2]);
  EXPECT_FALSE(check(*row_).ok);
}

// The run of another seed isn't this one's.
TEST_F(WrongRun, AnotherSeedIsFound) {
  row_->inputs[0].data()[0] += 1;
  EXPECT_FALSE(check(*row_).ok);
}

TEST(Dqn, EqualRunsAreEqualToTheLastBit) {
  const std::string best = kernels::targets().front();
  for (const auto& [variant, target] :
       {std::pair("functional", std::string("x86-64")), std::pair("pooled", std::string("x86-64")),
        std::pair("batched", best)}) {
    const auto row = prepare("dqn2048 updates=1 episodes=3", variant, target);
    row->step->run();
    std::vector<std::vector<float>> first;
    for (const Tensor& t : row->outputs) first.emplace_back(t.data().begin(), t.data().end());
    row->step->run();
    for (size_t i = 0; i < first.size(); ++i) {
      EXPECT_TRUE(std::ranges::equal(row->outputs[i].data(), first[i])) << variant << i;
    }
  }
}

// The source system stored the place of an explored action among the legal ones. What is stored
// here is the direction, so that the trained value belongs to the move made.
TEST(Dqn, StoredActionsAreDirections) {
  const auto row = prepare("dqn2048 updates=1 episodes=2", "functional");
  row->step->run();
  std::array<int, kDirections> seen{};
  for (const float action : row->outputs[kActions].data()) {
    if (action >= 0) ++seen[static_cast<size_t>(action)];
  }
  // By place, the last direction would be chosen where all four are legal only: rarely.
  for (const int n : seen) EXPECT_GT(n, 25);
}

// Three networks of the same layers, two for a batch and one for a state, and Adam's moments.
TEST(Dqn, TheWorkspaceHoldsTheMomentsToo) {
  const DenseOptions options = {.bias = true, .out_by_in = false};
  Optimizer adam(Adam{});
  size_t bytes = 0;
  for (const int64_t rows : {32, 32, 1}) {
    Sequential net;
    net.add<Dense>(kCells, kHidden, options).add<ReLU>();
    net.add<Dense>(kHidden, kHidden, options).add<ReLU>();
    net.add<Dense>(kHidden, kDirections, options);
    net.init({rows, kCells});
    bytes += net.memory_bytes();
    if (rows == 1) adam.init(net.parameters());
  }
  EXPECT_GE(adam.memory_bytes(), 2 * kDqnParameters * sizeof(float));
  EXPECT_EQ(make_batched_trainer()->workspace_bytes(), bytes + adam.memory_bytes());
}

TEST(Dqn, PooledDoesWhatFunctionalDoes) {
  const auto a = prepare("dqn_train updates=32 calls=3", "functional");
  const auto b = prepare("dqn_train updates=32 calls=3", "pooled");
  a->step->run();
  b->step->run();
  EXPECT_TRUE(std::ranges::equal(a->outputs[1].data(), b->outputs[1].data()));
}

}  // namespace
}  // namespace nsop::layers
