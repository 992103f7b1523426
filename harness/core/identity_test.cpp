#include "harness/core/identity.h"

#include <gmock/gmock.h>

#include <set>

namespace nsop {
namespace {

TEST(Identity, UuidsAreVersion4AndDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string uuid = new_uuid();
    EXPECT_THAT(uuid,
                testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-"
                                      "[0-9a-f]{12}"));
    seen.insert(uuid);
  }
  EXPECT_EQ(seen.size(), 100u);
}

TEST(Identity, TimesAreUtcToTheSecond) {
  EXPECT_THAT(utc_now(), testing::MatchesRegex("....-..-..T..:..:..Z"));
}

TEST(Identity, SecondsOfATimeAndBack) {
  EXPECT_EQ(utc_seconds("1970-01-02T00:00:01Z"), 86401);
  EXPECT_EQ(
      utc_seconds("2026-03-01T00:00:00Z").value() - utc_seconds("2026-02-28T00:00:00Z").value(),
      86400);
  EXPECT_EQ(utc_text(*utc_seconds("2026-12-31T23:59:58Z") + 3), "2027-01-01T00:00:01Z");
  EXPECT_TRUE(utc_seconds(utc_now()).has_value());
  for (const char* none : {"", "zzz", "yesterday", "2026-02-30T00:00:00Z", "2026-01-31T24:00:00Z",
                           "2026-01-31T12:60:00Z", "2026-01-31 12:00:00Z", "2026-01-31T12:00:00",
                           "+026-01-31T12:00:00Z", "2026-01- 1T12:00:00Z"}) {
    EXPECT_FALSE(utc_seconds(none).has_value()) << none;
  }
}

}  // namespace
}  // namespace nsop
