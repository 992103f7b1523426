#include "harness/report/forms/forms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/report/model.h"

namespace nsop::report {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

TEST(Forms, EachHasItsOwnNameAndSaysWhatItShows) {
  std::set<std::string> names;
  for (const Form* form : kForms) {
    EXPECT_TRUE(names.insert(form->name).second) << form->name;
    EXPECT_STRNE(form->about, "") << form->name;
    const bool rows = form->sections != nullptr;
    EXPECT_EQ(rows, form->tables != nullptr) << form->name;
    EXPECT_EQ(rows, form->plots != nullptr) << form->name;
    EXPECT_TRUE(rows || form->complete != nullptr) << form->name;
  }
}

TEST(Forms, EachHasAGoldenReport) {
  for (const Form* form : kForms) {
    const std::string path = std::string(NSOP_GOLDEN_DIR) + "/" + form->name;
    EXPECT_EQ(parse_json(read_file(path + ".json"), path)["form"], form->name);
    EXPECT_TRUE(std::filesystem::exists(path + ".md")) << path;
  }
}

TEST(Forms, TheParserOfSuitesKnowsThemAll) {
  const auto suite = [](const std::string& name) {
    return "[report]\nname = \"a\"\ntitle = \"t\"\nform = \"" + name +
           "\"\nbefore = \"b\"\nafter = \"h\"\n[[cases]]\nlabel = \"A\"\ncase = \"relu\"\n";
  };
  for (const Form* form : kForms) {
    EXPECT_EQ(&form_of(parse_suite(suite(form->name), "x.toml", suite_forms())), form);
  }
  try {
    parse_suite(suite("poem"), "x.toml", suite_forms());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("x.toml:4: unknown form 'poem', expected before_after, "
                                        "sweep, matched, peers, limits, threads, tracking"));
    EXPECT_THAT(error.what(), EndsWith(std::string(" or ") + kForms.back()->name));
  }
}

TEST(Forms, BeforeIsNotForAllOfThem) {
  std::set<std::string> without;
  for (const SuiteForm& form : suite_forms()) {
    if (!form.needs_before) without.insert(form.name);
  }
  EXPECT_THAT(without, testing::IsSupersetOf({"peers", "limits", "tracking"}));
  EXPECT_FALSE(without.contains("before_after"));
}

}  // namespace
}  // namespace nsop::report
