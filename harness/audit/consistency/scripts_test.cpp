#include "harness/audit/consistency/scripts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/audit/testing/audit_support.h"

namespace nsop::audit {
namespace {

using testing::ElementsAre;

std::vector<std::string> in_root(const std::string& text) {
  std::vector<std::string> out;
  for (const Finding& f : audit(text, NSOP_SOURCE_DIR))
    out.push_back(std::to_string(f.line) + " " + kind_text(f.kind) + " " + f.figure);
  return out;
}

TEST(Scripts, OfCommandsLieInTheFolder) {
  EXPECT_THAT(in_root("Text.\n\n```sh\n# python tools/none.py\ntools/none.py is no command\n"
                      "bash tools/build.sh dev\nbash -e tools/none.sh\n```\n"),
              ElementsAre("6 right tools/build.sh", "7 wrong tools/none.sh"));
  EXPECT_THAT(in_root("```yaml\n- run: |\n    python3 tools/regression_check.py --base x\n```\n"),
              ElementsAre("3 wrong tools/regression_check.py"));
  EXPECT_THAT(in_root("a\n\n    ./tools/build.sh dev\n"), ElementsAre("3 right tools/build.sh"));
}

TEST(Scripts, WhatIsNoPathBelowTheFolder) {
  EXPECT_THAT(in_root("```sh\npython /etc/none.py\npython ../none.py\npython $DIR/none.py\n"
                      "python none.py\npython -c 'print(1)'\npython -m pytest tools/lint\n```\n"),
              ElementsAre());
}

TEST(Scripts, WithoutAFolderAreNotLookedFor) {
  EXPECT_THAT(kinds_of("```sh\nbash tools/none.sh\n```\n"), ElementsAre());
}

}  // namespace
}  // namespace nsop::audit
