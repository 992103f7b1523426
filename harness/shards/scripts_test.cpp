#include "harness/shards/scripts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/core/error.h"

namespace nsop::shards {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Submission example() {
  Submission s;
  s.program = "/opt/my tools/nsop";
  s.project = "/p";
  s.db = "postgresql://bot@db/perf";
  s.shards = 8;
  s.arguments = {"--suite=conv", "relu n=4 range=-3:3", "it's"};
  return s;
}

TEST(Scripts, PassWhatIsMeasuredAsItIs) {
  const std::string text = shard_script("/f", example());
  EXPECT_THAT(text, HasSubstr("'/opt/my tools/nsop' run --shard \"${1:-$SLURM_ARRAY_TASK_ID}\"/8 "
                              "--into /f --suite=conv 'relu n=4 range=-3:3' "));
  EXPECT_THAT(text, HasSubstr(R"('it'\''s')"));
}

TEST(Scripts, AGateIsAskedForAsAGate) {
  Submission gate = example();
  gate.verb = "gate";
  EXPECT_THAT(shard_script("/f", gate), HasSubstr("nsop' gate --shard "));
}

TEST(Scripts, TheMergeGoesIntoTheSameDatabase) {
  EXPECT_THAT(merge_script("/f", example()), HasSubstr("merge /f --db postgresql://bot@db/perf"));
}

TEST(Scripts, EachSlotHasItsOwnCpusAndLock) {
  const std::string text = local_script("/f", example(), {{0, 1}, {2, 3}});
  EXPECT_THAT(text, HasSubstr("cpus=(0,1 2,3)\n"));
  EXPECT_THAT(text, HasSubstr("NSOP_LOCK=/f/lock.$NSOP_SLOT\n"));
}

TEST(Scripts, CpusAreSharedOutEvenly) {
  EXPECT_THAT(shared_out({0, 1, 2, 3, 4}, 2), ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4)));
  EXPECT_THAT(shared_out({4, 7}, 2), ElementsAre(ElementsAre(4), ElementsAre(7)));
  EXPECT_THROW(shared_out({0, 1}, 3), Error);
}

}  // namespace
}  // namespace nsop::shards
