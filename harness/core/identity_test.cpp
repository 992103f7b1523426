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

}  // namespace
}  // namespace nsop
