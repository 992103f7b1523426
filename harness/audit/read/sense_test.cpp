#include "harness/audit/read/sense.h"

#include <gtest/gtest.h>

#include <string>

namespace nsop::audit {
namespace {

TEST(Sense, WordsAroundAFigure) {
  EXPECT_EQ(sense_of("performance improvement"), Sense::kBetter);
  EXPECT_EQ(sense_of("less time"), Sense::kLess);
  EXPECT_EQ(sense_of("nevertheless"), Sense::kNone);
  EXPECT_EQ(sense_of("threads"), Sense::kNone);
  const std::string text = "a speedup of 3x, 10 % slower";
  EXPECT_EQ(sense_around(text, 13, 15), Sense::kBetter);
  EXPECT_EQ(sense_around(text, 17, 21), Sense::kWorse);
}

}  // namespace
}  // namespace nsop::audit
