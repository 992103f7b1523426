#include "harness/adapters/discover.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "harness/adapters/program_toml.h"
#include "harness/adapters/testing/script_support.h"
#include "harness/core/files.h"
#include "harness/core/suite/toml_reader.h"

namespace nsop::adapters {
namespace {

namespace fs = std::filesystem;

class DiscoverTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text, bool program = false) {
    const fs::path path = fs::path(folder_.path()) / name;
    fs::create_directories(path.parent_path());
    write_file_atomically(path.string(), text, Durability::kScratch);
    if (program) fs::permissions(path, fs::perms::owner_all);
  }
  std::vector<std::string> found() const {
    std::vector<std::string> texts;
    for (const Discovered& one : discover(folder_.path())) {
      texts.push_back(one.name + " " + one.adapter + " " + one.run);
    }
    return texts;
  }

  ScriptFolder folder_;
};

TEST_F(DiscoverTest, FindsProgramsByTheFlagsInTheirText) {
  const std::string elf =
      "\x7f"
      "ELF";
  write("build/CMakeCache.txt", "");
  write("build/bin/bench one", elf + std::string(100'000, 'x') + "benchmark_list_tests", true);
  write("build/bin/cases", elf + "benchmark-no-analysis", true);
  write("build/bin/plain", elf + "nothing", true);
  write("build/bin/not-executable", elf + "benchmark_list_tests");
  write("build/bin/script", "#!/bin/sh\n# benchmark_list_tests", true);
  write(".git/bench", elf + "benchmark_list_tests", true);
  EXPECT_THAT(found(), testing::ElementsAre("bench-one gbench ./build/bin/bench one",
                                            "cases catch2 ./build/bin/cases"));
  EXPECT_THAT(discover(folder_.path())[0].build, testing::HasSubstr("cmake --build build"));
}

TEST_F(DiscoverTest, FindsBenchmarksOfGoAndPython) {
  write("go.mod", "module x");
  write("sum_test.go", "package x\nfunc BenchmarkSum(b *testing.B) {}\n");
  write("deep/er/other_test.go", "package er\n\nfunc BenchmarkOther(b *testing.B) {}\n");
  write("deep/plain_test.go", "package deep\nfunc TestX(t *testing.T) {}\n");
  write("tests/test_speed.py", "def test_sum(benchmark):\n    benchmark(sum, [1])\n");
  write("tests/test_other.py", "def test_sum():\n    pass\n");
  EXPECT_EQ(discover(folder_.path())[0].folder, "deep/er");
  EXPECT_THAT(found(), testing::ElementsAre("er go ./er.test", "go go ./go.test",
                                            "tests pytest python3 -m pytest"));
}

TEST_F(DiscoverTest, WhatIsWrittenCanBeRead) {
  write("sum_test.go", "package x\nfunc BenchmarkSum(b *testing.B) {}\n");
  const std::string text = starting_toml(discover(folder_.path()));
  const toml::table table = parse_toml(text, "/p/nsop.toml");
  const std::vector<Program> programs = programs_of(table, "/p/nsop.toml");
  ASSERT_EQ(programs.size(), 1u);
  EXPECT_EQ(programs[0].adapter, "go");
  EXPECT_THAT(programs[0].build, testing::ElementsAre("go test -c -o go.test ."));
  const toml::table none = parse_toml(starting_toml({}), "/p/nsop.toml");
  EXPECT_TRUE(programs_of(none, "/p/nsop.toml").empty());
}

}  // namespace
}  // namespace nsop::adapters
