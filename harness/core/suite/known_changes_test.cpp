#include "harness/core/suite/known_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/core/error.h"

namespace nsop {
namespace {

using testing::HasSubstr;

constexpr const char* kGood = R"(
# why we are slower
[[change]]
case = "conv2d pass=backward k=*"
variant = "hwy"
direction = "worse"
at_most_percent = 10
reason = "exact rounding takes a second pass"
commit = "1a2b3c4d"

[[change]]
case = "relu"
direction = "better"
reason = "new tables"
expires = 2026-12-31
)";

const RowKey kConv = {"conv2d pass=backward in=1x1x8x8 out=1 k=3 s=1 p=1 bias=0", "hwy", "AVX2", 1};
const RowKey kRelu = {"relu pass=forward n=1 range=-3:3", "hwy", "AVX2", 1};

std::string message_of(const std::string& text) {
  try {
    parse_known_changes(text, "nsop-known.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "no error";
}

TEST(KnownChanges, ReadsTables) {
  const auto changes = parse_known_changes(kGood, "nsop-known.toml");
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].case_pattern, "conv2d pass=backward k=*");
  EXPECT_EQ(changes[0].variant, "hwy");
  EXPECT_EQ(changes[0].at_most_percent, 10);
  EXPECT_EQ(changes[0].commit, "1a2b3c4d");
  EXPECT_EQ(changes[0].where, "nsop-known.toml:3");
  EXPECT_EQ(changes[1].expires, "2026-12-31");
  EXPECT_TRUE(changes[1].commit.empty());
  EXPECT_TRUE(parse_known_changes("", "x").empty());
  EXPECT_TRUE(load_known_changes("/nowhere/nsop-known.toml").empty());
}

TEST(KnownChanges, MistakesNameFileAndLine) {
  const std::string start = "[[change]]\ncase = \"relu\"\ndirection = \"worse\"\nreason = \"r\"\n";
  EXPECT_THAT(message_of("x = [\n"), HasSubstr("nsop-known.toml:"));
  EXPECT_THAT(message_of("changes = 1"), HasSubstr("nsop-known.toml:1: expected [[change]]"));
  EXPECT_THAT(message_of("change = 1"), HasSubstr("expected [[change]]"));
  EXPECT_THAT(message_of(start), HasSubstr("nsop-known.toml:1: [[change]] needs commit"));
  EXPECT_THAT(message_of(start + "commit = \"main\""), HasSubstr("nsop-known.toml:5: expected"));
  EXPECT_THAT(message_of(start + "expires = \"2026-12-31\""), HasSubstr("without quotes"));
  EXPECT_THAT(message_of(start + "expire = 2026-12-31"), HasSubstr("did you mean 'expires'?"));
  EXPECT_THAT(message_of(start + "at_most_percent = -1"), HasSubstr("toml:5: expected at_most"));
  EXPECT_THAT(message_of("[[change]]\ndirection = \"worse\""), HasSubstr("lacks case"));
  EXPECT_THAT(message_of("[[change]]\ncase = 1"), HasSubstr("toml:2: expected case"));
  EXPECT_THAT(message_of("[[change]]\ncase = \"a\"\nreason = \"r\"\ndirection = \"up\"\n"
                         "expires = 2026-12-31"),
              HasSubstr("toml:4: expected direction"));
}

TEST(KnownChanges, CoversWhatWasMeantOnly) {
  const auto changes = parse_known_changes(kGood, "f");
  const auto found = [&](const FoundChange& change, const std::string& today,
                         const std::string& culprit) {
    return find_known_change(changes, change, today, [&](const std::string& commit) {
      return culprit.starts_with(commit);
    });
  };
  EXPECT_EQ(found({kConv, "worse", 1.05}, "2026-06-01", "1a2b3c4d5e"), changes.data());
  EXPECT_EQ(found({kConv, "worse", 1.05}, "2026-06-01", "ffff"), nullptr);
  EXPECT_EQ(found({kConv, "worse", 1.40}, "2026-06-01", "1a2b3c4d5e"), nullptr);
  EXPECT_EQ(found({kConv, "worse", 1, false}, "2026-06-01", "1a2b3c4d5e"), nullptr);
  EXPECT_EQ(found({kRelu, "better", 1, false}, "2026-12-31", ""), &changes[1]);
  EXPECT_EQ(found({kConv, "better", 0.95}, "2026-06-01", "1a2b3c4d5e"), nullptr);
  EXPECT_EQ(found({kRelu, "better", 0.5}, "2026-12-31", ""), &changes[1]);
  EXPECT_EQ(found({kRelu, "better", 0.5}, "2027-01-01", ""), nullptr);
  RowKey other = kConv;
  other.variant = "direct";
  EXPECT_EQ(found({other, "worse", 1.05}, "2026-06-01", "1a2b3c4d5e"), nullptr);
}

}  // namespace
}  // namespace nsop
