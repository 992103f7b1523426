// The learning checks: from fixed seeds each task reaches its accuracy, twice with the same bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness/core/error.h"
#include "layers/apps/train/digits.h"
#include "layers/apps/train/trainer.h"
#include "layers/training/model_file.h"

namespace nsop::layers {
namespace {

struct Trained {
  double accuracy = 0;
  double first_loss = 0, last_loss = 0;
  std::vector<float> weights;
};

Trained train(const Task& task, uint64_t seed, int threads) {
  Trainer trainer(task, seed, threads);
  Trained result;
  for (int i = 0; i < task.epochs; ++i) {
    const Epoch epoch = trainer.run_epoch();
    if (i == 0) result.first_loss = epoch.loss;
    result.last_loss = epoch.loss;
    result.accuracy = epoch.accuracy;
  }
  for (const ModelTensor& tensor : tensors_of(trainer.network())) {
    result.weights.insert(result.weights.end(), tensor.value.begin(), tensor.value.end());
  }
  return result;
}

class Learning : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Tasks, Learning, testing::ValuesIn(task_names()),
                         [](const auto& param) { return param.param; });

TEST_P(Learning, ReachesItsGoalFromThreeSeeds) {
  const Task task = make_task(GetParam());
  for (const uint64_t seed : {1, 2, 3}) {
    const Trained result = train(task, seed, 1);
    EXPECT_GE(result.accuracy, task.goal) << "seed " << seed;
    EXPECT_LT(result.last_loss, result.first_loss / 4) << "seed " << seed;
    RecordProperty("accuracy_of_seed_" + std::to_string(seed), std::to_string(result.accuracy));
  }
}

TEST_P(Learning, GivesTheSameBitsTwiceAndOthersFromAnotherSeed) {
  Task task = make_task(GetParam());
  task.epochs = std::max(2, task.epochs / 10);
  for (const int threads : {1, 2}) {
    const Trained once = train(task, 1, threads), again = train(task, 1, threads);
    EXPECT_EQ(once.weights, again.weights) << threads << " threads";
    EXPECT_NE(once.weights, train(task, 2, threads).weights);
  }
}

// An interrupted training that goes on from its checkpoint is, to the last bit, one that never was
// interrupted: dropout, momentum, running statistics and the order of the examples included.
TEST_P(Learning, GoesOnFromACheckpointToTheLastBit) {
  const Task task = make_task(GetParam());
  const std::string path = testing::TempDir() + "/" + task.name + ".checkpoint";
  Trainer whole(task, 1), first(task, 1), second(task, 1);
  for (int i = 0; i < 3; ++i) whole.run_epoch();
  first.run_epoch();
  first.save_checkpoint(path);
  second.resume(path);
  EXPECT_EQ(second.epochs(), 1);
  for (int i = 0; i < 2; ++i) second.run_epoch();
  const auto expected = tensors_of(whole.network(), whole.optimizer());
  const auto found = tensors_of(second.network(), second.optimizer());
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].name, expected[i].name);
    EXPECT_TRUE(std::ranges::equal(found[i].value, expected[i].value)) << found[i].name;
  }
  Trainer other(task, 2);
  try {
    other.resume(path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadData);
    EXPECT_THAT(error.what(), testing::HasSubstr("a checkpoint of seed \"1\", expected 2"));
  }
  EXPECT_EQ(other.epochs(), 0);
}

TEST_P(Learning, DataAreFixed) {
  const Task one = make_task(GetParam()), two = make_task(GetParam());
  EXPECT_EQ(one.train.examples, two.train.examples);
  EXPECT_EQ(one.test.targets, two.test.targets);
  EXPECT_EQ(one.train.size() % one.batch, 0U);
}

TEST(Task, UnknownNameIsAUsageError) {
  try {
    make_task("poetry");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_EQ(std::string(error.what()),
              "unknown task 'poetry', expected one of xor, spirals, digits");
  }
}

TEST(Digits, NoPictureIsTwiceThere) {
  const Dataset train = make_digits(1000, 1), test = make_digits(500, 2);
  std::set<std::vector<float>> seen;
  for (const Dataset* data : {&train, &test}) {
    for (size_t i = 0; i < data->size(); ++i) {
      const auto at = data->examples.begin() + static_cast<std::ptrdiff_t>(i * 64);
      seen.insert({at, at + 64});
    }
  }
  EXPECT_EQ(seen.size(), 1500U);
}

}  // namespace
}  // namespace nsop::layers
