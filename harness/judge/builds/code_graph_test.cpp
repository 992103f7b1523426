#include "harness/judge/builds/code_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/identity.h"
#include "harness/judge/builds/command.h"
#include "harness/judge/builds/row_code.h"
#include "harness/judge/gate/identical.h"

namespace nsop::judge {
namespace {

namespace fs = std::filesystem;

// Objects of a few lines: relu calls a helper and an inline function that tanh has, too.
class CodeGraphTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::map<std::string, std::string> sources_ = {
      {"relu",
       "#include \"shared.h\"\nint helper(int);\n"
       "int relu(int x) { return helper(x) + shared(x); }\n"},
      {"helper", "int helper(int x) { return x * 3; }\n"},
      {"tanh", "#include \"shared.h\"\nint tanh_(int x) { return shared(x) - 1; }\n"},
  };
  std::string shared_ = "__attribute__((noinline)) inline int shared(int x) { return x ^ 7; }\n";
  std::map<std::string, std::string> options_;  // of one object

  CodeGraph graph() {
    write_file_atomically(folder_ + "/shared.h", shared_, Durability::kScratch);
    CodeGraph graph;
    for (const auto& [name, text] : sources_) {
      const std::string source = name + ".cpp", object = folder_ + "/" + name + ".o";
      write_file_atomically(folder_ + "/" + source, text, Durability::kScratch);
      const std::string option = options_.contains(name) ? options_[name] : "-O2";
      const CommandResult result =
          run_command({"c++", "-O2", option, "-c", source, "-o", object}, folder_);
      EXPECT_EQ(result.status, 0) << result.output;
      graph.add(name, read_elf(object));
    }
    return graph;
  }
  std::string relu(const std::vector<std::string>& lookups = {}) {
    return graph().identity({"relu"}, lookups).value_or("unknown");
  }

  std::string folder_ = fs::temp_directory_path() / ("nsop-code-" + new_uuid());
};

TEST_F(CodeGraphTest, OnlyWhatCanBeReachedCounts) {
  const std::string before = relu();
  EXPECT_EQ(before.size(), 64u);
  sources_["tanh"] += "int more(int x) { return x + 9; }\n";
  EXPECT_EQ(relu(), before);
  sources_["helper"] = "int helper(int x) { return x * 5; }\n";
  EXPECT_NE(relu(), before);
}

TEST_F(CodeGraphTest, CommentsLinesAndDebugInformationDoNotCount) {
  const std::string before = relu();
  sources_["helper"] = "// A comment.\n\n\n" + sources_["helper"];
  options_["relu"] = "-g";
  EXPECT_EQ(relu(), before);
}

TEST_F(CodeGraphTest, ConstantsAndTextsCount) {
  sources_["helper"] = "int printed(const char*);\nint helper(int) { return printed(\"one\"); }\n";
  const std::string before = relu();
  sources_["helper"] = "int printed(const char*);\nint helper(int) { return printed(\"two\"); }\n";
  EXPECT_NE(relu(), before);
}

TEST_F(CodeGraphTest, EveryVersionOfAnInlineFunctionCounts) {
  const std::string before = relu();
  options_["tanh"] = "-O0";  // the linker may take this one
  const std::string two_versions = relu();
  EXPECT_NE(two_versions, before);
  sources_["new"] = "int new_object(int x) { return x; }\n";  // and now another
  EXPECT_NE(relu(), two_versions);
  options_.clear();
  EXPECT_EQ(relu(), before);
}

TEST_F(CodeGraphTest, TextsInInlineFunctionsCountByWhatTheySay) {
  shared_ =
      "int printed(const char*);\n"
      "__attribute__((noinline)) inline int shared(int) { return printed(\"text\"); }\n";
  const std::string before = relu();
  sources_["tanh"] = "const char* other() { return \"something else\"; }\n" + sources_["tanh"];
  EXPECT_EQ(relu(), before);
  shared_.replace(shared_.find("text"), 4, "more");
  EXPECT_NE(relu(), before);
}

TEST_F(CodeGraphTest, WhatLooksCodeUpOrIsMissingIsUnknown) {
  EXPECT_EQ(relu({"_Z6helperi"}), "unknown");
  EXPECT_EQ(relu({"_Z5otheri"}).size(), 64u);
  EXPECT_FALSE(graph().identity({"nowhere"}, {}));
  EXPECT_FALSE(graph().identity({}, {}));
}

TEST_F(CodeGraphTest, AnObjectIsFoundByAllItsLocalNames) {
  sources_["one"] =
      "static int state; int* a() { return &state; }\n"
      "static int only_one; int* b() { return &only_one; }\n";
  sources_["two"] = "static int state; int* c() { return &state; }\n";
  const CodeGraph found = graph();
  EXPECT_EQ(found.object_with_locals({"_ZL5state", "_ZL8only_one"}), "one");
  EXPECT_EQ(found.object_with_locals({"_ZL5state"}), "");
  EXPECT_EQ(found.object_with_locals({"_ZL7nothing"}), "");
}

TEST_F(CodeGraphTest, FilesThatAreNoObjectsAreRefused) {
  write_file_atomically(folder_ + "/text", std::string(200, 'x'), Durability::kScratch);
  EXPECT_THROW(read_elf(folder_ + "/text"), Error);
  graph();
  write_file_atomically(folder_ + "/cut", read_file(folder_ + "/relu.o").substr(0, 300),
                        Durability::kScratch);
  EXPECT_THROW(read_elf(folder_ + "/cut"), Error);
}

TEST(RowCode, RowsOfTheSameCodeAreSetAsideAndControlsWithThem) {
  const RowKey relu{"relu n=1", "hwy", "AVX2", 1}, tanh{"tanh n=1", "hwy", "AVX2", 1};
  const RowKey control{"matmul m=1", "elementwise", "x86-64", 1};
  const RowCode base = {{"relu hwy", "1"}, {"tanh hwy", "2"}};
  const RowCode head = {{"relu hwy", "1"}, {"tanh hwy", "3"}};
  std::vector<GateRow> rows = {{control, true}, {relu}, {tanh}};
  mark_identical(rows, base, head);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].kind, RowKind::kBoth);
  EXPECT_EQ(rows[1].kind, RowKind::kIdentical);
  EXPECT_EQ(rows[2].kind, RowKind::kBoth);
  mark_identical(rows, base, {});
  EXPECT_EQ(rows[2].kind, RowKind::kBoth) << "what is unknown is timed";
  mark_identical(rows, base, base);
  ASSERT_EQ(rows.size(), 2u) << "nothing is timed: no controls";
  EXPECT_EQ(rows[1].kind, RowKind::kIdentical);
}

TEST(RowCode, IsWrittenAndRead) {
  const RowCode code = {{"relu hwy", "1"}};
  EXPECT_EQ(parse_row_code(row_code_text(code)), code);
  EXPECT_THROW(parse_row_code("[1]"), Error);
}

}  // namespace
}  // namespace nsop::judge
