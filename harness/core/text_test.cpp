#include "harness/core/text.h"

#include <gmock/gmock.h>

namespace nsop {
namespace {

TEST(Text, IsSplitJoinedAndTrimmed) {
  EXPECT_THAT(split("a,,b", ','), testing::ElementsAre("a", "", "b"));
  EXPECT_EQ(join(std::vector<std::string>{"a", "b"}, ", "), "a, b");
  EXPECT_EQ(trim(" \ta b\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
}

}  // namespace
}  // namespace nsop
