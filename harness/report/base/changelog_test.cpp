#include "harness/report/base/changelog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nsop::report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kText = R"(# Changelog

Words before - are none.

## [Unreleased]

### Added

- Something
  over two lines.
- Another - with a dash.

Not an item.

### Fixed

* A star.

## [0.2.0] - 2026-02-01

- Without a kind.

## 0.1.0 (first)

- Old.
)";

TEST(Changelog, ItemsStandUnderTheirReleaseAndKind) {
  EXPECT_THAT(changes_of(kText, "Unreleased"),
              ElementsAre("Added: Something over two lines.", "Added: Another - with a dash.",
                          "Fixed: A star."));
  EXPECT_THAT(changes_of(kText, "0.2.0"), ElementsAre("Without a kind."));
}

TEST(Changelog, AVersionMayHaveAV) {
  EXPECT_THAT(changes_of(kText, "v0.2.0"), ElementsAre("Without a kind."));
  EXPECT_THAT(changes_of(kText, "V0.1.0"), ElementsAre("Old."));
  EXPECT_THAT(changes_of("## [v3]\n- x", "3"), ElementsAre("x"));
}

TEST(Changelog, AnUnknownReleaseHasNoChanges) {
  EXPECT_THAT(changes_of(kText, "0.3.0"), IsEmpty());
  EXPECT_THAT(changes_of(kText, ""), IsEmpty());
  EXPECT_THAT(changes_of("", "0.2.0"), IsEmpty());
  EXPECT_THAT(changes_of("## \n- x", "0.2.0"), IsEmpty());
}

}  // namespace
}  // namespace nsop::report
