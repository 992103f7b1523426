// Data sets: from files, split, normalised, in batches.
#include "layers/training/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "harness/core/error.h"
#include "harness/core/io/npy.h"
#include "layers/testing/layer_support.h"

namespace nsop::layers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class DatasetFiles : public testing::Test {
 protected:
  DatasetFiles() : folder_(testing::TempDir() + "dataset_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~DatasetFiles() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string csv(const std::string& content) const {
    std::ofstream(path("a.csv")) << content;
    return path("a.csv");
  }
  std::string folder_;
};

// Examples [i, -i] with target i.
Dataset numbered(size_t count) {
  Dataset data{{2}, {}, {}, {}};
  for (size_t i = 0; i < count; ++i) {
    const auto value = static_cast<float>(i);
    data.examples.insert(data.examples.end(), {value, -value});
    data.targets.push_back(value);
  }
  return data;
}

std::string refusal(const std::function<void()>& act, ExitCode code) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "nothing was refused";
}

TEST_F(DatasetFiles, CsvIsReadWithAndWithoutHeader) {
  const Dataset plain = load_csv(csv("1,2.5,0\r\n-3e2, .5 ,1\n\n"));
  EXPECT_EQ(plain.example_shape, Shape{2});
  EXPECT_EQ(plain.target_shape, Shape{});
  EXPECT_THAT(plain.examples, ElementsAre(1, 2.5f, -300, 0.5f));
  EXPECT_THAT(plain.targets, ElementsAre(0, 1));
  CsvOptions options;
  options.header = true;
  options.separator = ';';
  options.targets = 2;
  const Dataset two = load_csv(csv("a;b;c\n1;2;3\n4;5;6"), options);
  EXPECT_EQ(two.size(), 2U);
  EXPECT_EQ(two.target_shape, Shape{2});
  EXPECT_THAT(two.targets, ElementsAre(2, 3, 5, 6));
}

TEST_F(DatasetFiles, CsvErrorsNameFileAndLine) {
  const auto why = [&](const std::string& content) {
    return refusal([&] { load_csv(csv(content)); }, ExitCode::kBadData);
  };
  EXPECT_THAT(why("1,2\n\n1,x7\n"), HasSubstr("a.csv:3: field 2 is \"x7\", expected a finite"));
  EXPECT_THAT(why("1,2\n1,nan\n"), HasSubstr("a.csv:2: field 2 is \"nan\""));
  EXPECT_THAT(why("1,2\n1,1e99\n"), HasSubstr("a.csv:2: field 2 is \"1e99\""));
  EXPECT_THAT(why("1,2\n1,\n"), HasSubstr("a.csv:2: field 2 is \"\""));
  EXPECT_THAT(why("\n1,2\n1,2,3\n"), HasSubstr("a.csv:3: 3 fields, expected 2 as in line 2"));
  EXPECT_THAT(why("1;2\n"), HasSubstr("a.csv:1: with \",\" between fields there are 1, expected "
                                      "more than the 1 of the target"));
  EXPECT_THAT(why("1,2\n+-1,2\n"), HasSubstr("a.csv:2: field 1 is \"+-1\""));
  EXPECT_THAT(why("\xff,2\n"), testing::EndsWith("\"\\ufffd\", expected a finite number"));
  EXPECT_THAT(why("x,y\n1,2\n"),
              HasSubstr("field 1 is \"x\", expected a finite number; a line with names"));
  EXPECT_THAT(why("1,2\n3,\x1b[31m\xff\n"), HasSubstr("field 2 is \"\\u001b[31m\\ufffd\""));
  EXPECT_THAT(why("\n\n"), HasSubstr("a.csv: has no lines of numbers"));
  refusal([&] { load_csv(path("none.csv")); }, ExitCode::kEnvironment);
}

// What programs write that nobody sees: a byte order mark, signs, numbers that float32 rounds to 0.
TEST_F(DatasetFiles, CsvOfSpreadsheetsIsRead) {
  const Dataset data = load_csv(csv("\xEF\xBB\xBF+1.5,1e-60,0\r\n-1e-400,+.5,1"));
  EXPECT_THAT(data.examples, ElementsAre(1.5f, 0, 0, 0.5f));
  EXPECT_THAT(data.targets, ElementsAre(0, 1));
}

TEST_F(DatasetFiles, NpyOfWhatIsNoFiniteNumberIsRefused) {
  const auto why = [&](double value) {
    write_npy(path("x.npy"), TensorF64{{2, 3}, {0, 1, 2, 3, value, 5}});
    write_npy(path("y.npy"), TensorF64{{2}, {0, 1}});
    return refusal([&] { load_npy(path("x.npy"), path("y.npy")); }, ExitCode::kBadData);
  };
  EXPECT_THAT(why(std::nan("")), HasSubstr("x.npy: value 1 of example 1 (both from 0) is nan"));
  EXPECT_THAT(why(1e300), HasSubstr("value 1 of example 1 (both from 0) is inf"));
}

TEST_F(DatasetFiles, NpyNeedsAsManyTargetsAsExamples) {
  const std::vector<float> values = random_values(24, 1);
  write_npy(path("x.npy"), {4, 1, 3, 2}, values);
  write_npy(path("y.npy"), TensorF64{{4}, {0, 1, 2, 3}});
  const Dataset data = load_npy(path("x.npy"), path("y.npy"));
  EXPECT_EQ(data.example_shape, (Shape{1, 3, 2}));
  EXPECT_EQ(data.examples, values);
  EXPECT_THAT(data.targets, ElementsAre(0, 1, 2, 3));
  write_npy(path("y.npy"), TensorF64{{3}, {0, 1, 2}});
  EXPECT_THAT(refusal([&] { load_npy(path("x.npy"), path("y.npy")); }, ExitCode::kBadData),
              HasSubstr("3 targets, but"));
  write_npy(path("y.npy"), TensorF64{{}, {1}});
  EXPECT_THAT(refusal([&] { load_npy(path("x.npy"), path("y.npy")); }, ExitCode::kBadData),
              HasSubstr("no examples along its first axis"));
}

TEST(SplitDataset, PartsHaveNothingInCommonAndMissNothing) {
  const auto [first, rest] = split_dataset(numbered(10), 0.7, 3);
  EXPECT_EQ(first.size(), 7U);
  EXPECT_EQ(rest.size(), 3U);
  std::vector<float> all = first.targets;
  all.insert(all.end(), rest.targets.begin(), rest.targets.end());
  EXPECT_THAT(all, testing::UnorderedElementsAreArray(numbered(10).targets));
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(first.examples[2 * i], first.targets[i]);
    EXPECT_EQ(first.examples[2 * i + 1], -first.targets[i]);
  }
  EXPECT_EQ(split_dataset(numbered(10), 0.7, 3).first.targets, first.targets);
  EXPECT_NE(split_dataset(numbered(10), 0.7, 4).first.targets, first.targets);
  for (const double share : {0.0, 0.01, 0.99, 1.0, -1.0, std::nan("")}) {
    EXPECT_THAT(refusal([&] { split_dataset(numbered(10), share, 3); }, ExitCode::kUsage),
                HasSubstr("without any"));
  }
}

TEST(Normalizer, ShiftsAndScalesByWhatItLearned) {
  Dataset train{{3}, {}, {1, 5, 0.1f, 3, 5, 0.1f}, {0, 0}};
  Dataset test{{3}, {}, {5, 7, 0.1f}, {0}};
  const Normalizer normalizer(train);
  normalizer.apply(train);
  normalizer.apply(test);
  EXPECT_THAT(train.examples, ElementsAre(-1, 0, 0, 1, 0, 0));
  EXPECT_THAT(test.examples, ElementsAre(3, 2, 0));
  Dataset other{{2}, {}, {1, 2}, {0}};
  EXPECT_THAT(refusal([&] { normalizer.apply(other); }, ExitCode::kUsage),
              HasSubstr("expected examples of shape 3, given 2"));
  refusal([] { Normalizer none(Dataset{{2}, {}, {}, {}}); }, ExitCode::kUsage);
}

std::vector<float> epoch_of(DataLoader& loader) {
  std::vector<float> targets;
  size_t count = 0;
  for (Batch batch; loader.next(batch); ++count) {
    EXPECT_EQ(batch.targets.size(), batch.count);
    EXPECT_EQ(batch.examples.size(), 2 * batch.count);
    for (size_t i = 0; i < batch.count; ++i) EXPECT_EQ(batch.examples[2 * i], batch.targets[i]);
    targets.insert(targets.end(), batch.targets.begin(), batch.targets.end());
  }
  EXPECT_EQ(count, loader.batches());
  return targets;
}

TEST(DataLoader, ShufflesEveryEpochAnewAndTheSameFromTheSameSeed) {
  const Dataset data = numbered(20);
  DataLoader one(data, {.batch = 4, .seed = 5}), two(data, {.batch = 4, .seed = 5});
  const std::vector<float> first = epoch_of(one);
  EXPECT_THAT(first, testing::UnorderedElementsAreArray(data.targets));
  one.start_epoch();
  EXPECT_NE(epoch_of(one), first);
  EXPECT_EQ(epoch_of(two), first);
  DataLoader plain(data, {.batch = 4, .shuffle = false});
  EXPECT_EQ(epoch_of(plain), data.targets);
}

TEST(DataLoader, RefusesBatchesThatCantBe) {
  const Dataset data = numbered(3);
  EXPECT_THAT(refusal([&] { DataLoader loader(data, {.batch = 0}); }, ExitCode::kUsage),
              HasSubstr("batches of 0 from 3 examples"));
  EXPECT_THAT(refusal([&] { DataLoader loader(data, {.batch = 4}); }, ExitCode::kUsage),
              HasSubstr("expected 1 to 3"));
  DataLoader partial(data, {.batch = 4, .keep_partial = true});
  EXPECT_EQ(epoch_of(partial).size(), 3U);
  DataLoader all(data, {.batch = SIZE_MAX, .keep_partial = true});
  EXPECT_EQ(all.batches(), 1U);
  EXPECT_EQ(epoch_of(all).size(), 3U);
  const Dataset none{{2}, {}, {}, {}};
  EXPECT_THAT(refusal([&] { DataLoader loader(none, {.keep_partial = true}); }, ExitCode::kUsage),
              HasSubstr("from 0 examples"));
}

RC_GTEST_PROP(DataLoaderProperty, AnEpochHasEachExampleOnceButForAPartialBatch, ()) {
  const Dataset data = numbered(*rc::gen::inRange<size_t>(1, 40));
  LoaderOptions options;
  options.batch = *rc::gen::inRange<size_t>(1, data.size() + 1);
  options.keep_partial = *rc::gen::arbitrary<bool>();
  options.seed = *rc::gen::arbitrary<uint64_t>();
  DataLoader loader(data, options);
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::vector<float> targets = epoch_of(loader);
    std::ranges::sort(targets);
    RC_ASSERT(std::ranges::adjacent_find(targets) == targets.end());
    const size_t whole = data.size() / options.batch * options.batch;
    RC_ASSERT(targets.size() == (options.keep_partial ? data.size() : whole));
    loader.start_epoch();
  }
}

TEST(DataLoader, AllocatesNothing) {
  const Dataset data = numbered(100);
  DataLoader loader(data, {.batch = 7});
  const int64_t before = allocation_count();
  Batch batch;
  for (int epoch = 0; epoch < 3; ++epoch) {
    while (loader.next(batch)) EXPECT_EQ(batch.count, 7U);
    loader.start_epoch();
  }
  EXPECT_EQ(allocation_count(), before);
}

}  // namespace
}  // namespace nsop::layers
