#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/audit/consistency/consistency.h"
#include "harness/audit/read/configs.h"
#include "harness/audit/testing/audit_support.h"

namespace nsop::audit {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string kLayers =
    "**Dense:**\n- Input: [1, 1024]\n- Output: [1, 32]\n\n"
    "**Conv2D:**\n- Input: [1, 1, 32, 32] (once)\n- Output: [1, 32, 32, 32] (then pooled)\n"
    "- Kernel: 3x3/5x5, stride: 1x1\n\n";

TEST(Work, OfConfigurations) {
  const std::vector<Config> all = configs_of(read_document(kLayers));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "dense");
  EXPECT_EQ(multiplications(all[0], 0), 32768);
  EXPECT_EQ(multiplications(all[1], 0), 294912);
  EXPECT_EQ(multiplications(all[1], 1), 819200);
  EXPECT_EQ(multiplications(all[1], 2), 0);  // no third kernel
  Config one{"x", 1, 1, {8, 64, 256}, {8, 128, 256}, {{3}}};
  EXPECT_EQ(multiplications(one, 0), 50331648);
  one.kernels = {{3, 3}};
  EXPECT_EQ(multiplications(one, 0), 0);  // of another rank
  one = {"x", 1, 1, {8, 64, 32, 32}, {8, 128, 32, 32}, {{3}}};
  EXPECT_EQ(multiplications(one, 0), 603979776);  // square
  one.output = {8, 128};
  EXPECT_EQ(multiplications(one, 0), 0);
}

TEST(Work, RatiosOfLayersThatDoOtherWork) {
  const auto page = [](const char* more) {
    return kLayers + "|Layer|Time|Speedup vs Dense" + more +
           "|\n|-|-|-|\n|Dense|57.0 us|1.00x (baseline)|\n|Conv2D|570 us|10.0x slower|\n"
           "|Conv2D_Kernel5|1140 us|20.0x slower|\n";
  };
  EXPECT_THAT(kinds_of(page("")), ElementsAre("10 unlike_cases", "13 right", "14 right"));
  EXPECT_THAT(audit(page(""))[0].note,
              HasSubstr("9 to 25 times the 32768 multiplications of 'dense'; for each, 'dense' "
                        "takes 1.74 ns and 'conv2d kernel5' 1.39 ns"));
  // The page says so itself.
  EXPECT_THAT(kinds_of(page(" (per MAC below)")), Not(Contains("10 unlike_cases")));
  // Unknown work accuses nobody.
  EXPECT_THAT(kinds_of("|Layer|Time|Speedup|\n|-|-|-|\n|Dense|57 us|1.00x (baseline)|\n"
                       "|Conv2D|570 us|10x slower|\n"),
              ElementsAre("4 right"));
}

TEST(Work, RatiosOfEqualWork) {
  EXPECT_THAT(
      kinds_of(
          "**A:**\n- Input: [1, 1024]\n- Output: [1, 32]\n\n"
          "**B:**\n- Input: [1, 512]\n- Output: [1, 64]\n\n"
          "|Layer|Time|Speedup|\n|-|-|-|\n|A|10 us|1.00x (baseline)|\n|B|20 us|2.0x slower|\n"),
      ElementsAre("12 right"));
}

TEST(Work, OutputsThatAreSaidToBeOfAnotherSize) {
  EXPECT_THAT(kinds_of(kLayers + "It is small (1\u00d71 output from Conv layers).\n"),
              ElementsAre("10 unlike_cases"));
  EXPECT_THAT(kinds_of(kLayers + "It is small (32x32 output from Conv layers).\n"), ElementsAre());
  EXPECT_THAT(kinds_of(kLayers + "It is small (1x1 output from Pool layers).\n"), ElementsAre());
}

}  // namespace
}  // namespace nsop::audit
