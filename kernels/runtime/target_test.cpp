#include "kernels/runtime/target.h"

#include <gmock/gmock.h>

#include "harness/core/error.h"

namespace nsop::kernels {
namespace {

TEST(Target, ScalarIsTheLastResort) {
  const std::vector<std::string> all = targets();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.back(), "SCALAR");
}

TEST(Target, PinningDecidesWhatIsDispatched) {
  const std::vector<std::string> before = targets();
  for (const std::string& name : before) {
    pin_target(name);
    EXPECT_EQ(current_target(), name);
    EXPECT_EQ(targets(), before);
    EXPECT_EQ(current_target(), name) << "asking for the list took it back";
  }
  pin_target(before.front());
}

TEST(Target, UnknownOneIsAUsageErrorWithTheList) {
  try {
    pin_target("MMX");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_THAT(error.what(), testing::HasSubstr("MMX"));
    EXPECT_THAT(error.what(), testing::HasSubstr("SCALAR"));
  }
}

}  // namespace
}  // namespace nsop::kernels
