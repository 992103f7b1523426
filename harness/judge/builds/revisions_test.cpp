#include "harness/judge/builds/revisions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/identity.h"
#include "harness/judge/builds/build_tree.h"
#include "harness/judge/builds/command.h"

namespace nsop::judge {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A repository whose "worker" is a few lines of C++: the machinery without the minutes.
class RevisionsTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(repository_ + "/kernels");
    git({"init", "-q", "-b", "main"});
    git({"config", "user.email", "t@example.org"});
    git({"config", "user.name", "t"});
    write("CMakePresets.json",
          R"({"version":6,"configurePresets":[{"name":"release","generator":"Ninja",
              "binaryDir":"${sourceDir}/build/release"}]})");
    write("CMakeLists.txt",
          "cmake_minimum_required(VERSION 3.25)\nproject(t LANGUAGES CXX)\n"
          "set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)\n"
          "set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)\n"
          "add_subdirectory(kernels)\n"
          "add_executable(nsop-worker main.cpp $<TARGET_OBJECTS:k>)\n"
          "target_compile_definitions(nsop-worker PRIVATE SEED=\"${NSOP_LINK_SEED}\")\n"
          "add_library(nsop_alloc SHARED alloc.cpp)\n");
    write("kernels/CMakeLists.txt", "add_library(k OBJECT k.cpp)\n");
    write("kernels/k.cpp", "int k() { return 1; }\n");
    write("alloc.cpp", "int a() { return 1; }\n");
    write("main.cpp",
          "#include <cstdio>\nint k();\n"
          "int main() { std::printf(\"%d seed=%s\", k(), SEED); }\n");
    commit("first");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    write_file_atomically(repository_ + "/" + name, text, Durability::kScratch);
  }
  void git(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "git");
    const CommandResult result = run_command(arguments, repository_);
    ASSERT_EQ(result.status, 0) << result.output;
  }
  void commit(const std::string& message) {
    git({"add", "-A"});
    git({"commit", "-q", "-m", message});
  }
  Built build(const std::string& revision, int layouts = 2) {
    return build_revision(place_, revision, layouts,
                          [&](const std::string& note) { notes_.push_back(note); });
  }
  std::string message_of(const std::string& revision, ExitCode code) {
    try {
      build(revision);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      return error.what();
    }
    return "no error";
  }

  std::string folder_ = fs::temp_directory_path() / ("nsop-revisions-" + new_uuid());
  std::string repository_ = folder_ + "/repository";
  BuildPlace place_{repository_, folder_ + "/cache"};
  std::vector<std::string> notes_;
};

TEST(Command, IsGivenItsInputWhole) {
  const std::string text(3 << 20, 'x');  // more than a pipe holds
  EXPECT_EQ(run_command({"cat"}, "/", text).output, text);
  EXPECT_EQ(run_command({"cat"}, "/").output, "");
}

// Of each line by itself its reader would be woken up: 2,000 times for the commits of 2,000 nights.
TEST(Command, GitIsToldToWriteAtOnce) {
  EXPECT_EQ(run_command({"sh", "-c", "echo $GIT_FLUSH"}, "/").output, "0\n");
}

TEST_F(RevisionsTest, TwoCommitsAreBuiltAtOnePathAndKept) {
  write("kernels/k.cpp", "int k() { return 2; }\n");
  commit("second");
  const Built base = build("HEAD~1"), head = build("HEAD");
  EXPECT_EQ(run_command({base.workers[0]}, "/").output, "1 seed=");
  EXPECT_EQ(run_command({base.workers[1]}, "/").output, "1 seed=1");
  EXPECT_EQ(run_command({head.workers[0]}, "/").output, "2 seed=");
  EXPECT_NE(base.objects_sha256, head.objects_sha256);
  EXPECT_EQ(base.commit.size(), 40u);
  EXPECT_TRUE(fs::exists(base.preload));
  const size_t told = notes_.size();
  build("HEAD~1");
  EXPECT_EQ(notes_.size(), told) << "built again";
}

TEST_F(RevisionsTest, CommitsThatDifferInTextsOnlyHaveTheSameObjects) {
  write("README", "new\n");
  commit("text");
  const Built base = build("HEAD~1", 1), head = build("HEAD", 1);
  EXPECT_NE(base.commit, head.commit);
  EXPECT_EQ(base.objects_sha256, head.objects_sha256);
  EXPECT_EQ(base.objects_sha256.size(), 64u);
}

TEST_F(RevisionsTest, ACommitThatDoesNotBuildIsNamedWithItsFirstError) {
  write("kernels/k.cpp", "int k() { return nothing; }\n");
  commit("broken");
  const std::string message = message_of("HEAD", ExitCode::kEnvironment);
  EXPECT_THAT(message, HasSubstr("does not build"));
  EXPECT_THAT(message, HasSubstr("k.cpp:1:18: error: "));
  for (const auto& entry : fs::directory_iterator(place_.cache)) {
    EXPECT_NE(entry.path().extension(), ".incoming");
  }
  EXPECT_EQ(run_command({build("HEAD~1").workers[0]}, "/").output, "1 seed=");
}

TEST_F(RevisionsTest, TheErrorIsNotTheCommandThatFailed) {
  write("kernels/CMakeLists.txt",
        "add_library(k OBJECT k.cpp)\n"
        "target_compile_options(k PRIVATE -Wall -Werror -falign-functions=64)\n");
  write("kernels/k.cpp", "int k() { int unused = 1; return 2; }\n");
  commit("a warning");
  const std::string message = message_of("HEAD", ExitCode::kEnvironment);
  EXPECT_THAT(message, HasSubstr("kernels/k.cpp:1:15: error: "));
  EXPECT_THAT(message, testing::Not(HasSubstr("-falign")));
}

TEST_F(RevisionsTest, DefaultsOfTheCommitBuiltBeforeAreForgotten) {
  const auto with_default = [&](const std::string& word) {
    write("kernels/CMakeLists.txt", "set(WORD " + word +
                                        " CACHE STRING \"\")\nadd_library(k OBJECT k.cpp)\n" +
                                        "target_compile_definitions(k PRIVATE WORD=${WORD})\n");
    write("kernels/k.cpp", "int k() { return WORD; }\n");
    commit("a default of " + word);
  };
  with_default("3");
  with_default("4");
  build("HEAD~1", 1);
  EXPECT_EQ(run_command({build("HEAD", 1).workers[0]}, "/").output, "4 seed=");
}

TEST_F(RevisionsTest, ACommitWithoutAWorkerIsToldFromOneThatDoesNotBuild) {
  write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(t LANGUAGES NONE)\n");
  commit("no worker");
  EXPECT_THROW(build("HEAD"), NoWorker);
  git({"rm", "-q", "CMakePresets.json"});
  commit("nothing to build at all");
  EXPECT_THROW(build("HEAD"), NoWorker);
  EXPECT_THAT(message_of("HEAD", ExitCode::kEnvironment), HasSubstr("has no nsop-worker"));
}

TEST_F(RevisionsTest, AnotherToolchainBuildsAnew) {
  const Built before = build("HEAD", 1);
  const size_t told = notes_.size();
  setenv("CXXFLAGS", "-DOTHER", 1);
  const Built after = build("HEAD", 1);
  unsetenv("CXXFLAGS");
  EXPECT_GT(notes_.size(), told) << "the build of another compiler was taken";
  EXPECT_NE(before.workers, after.workers);
  const std::string cached = read_file(place_.cache + "/tree/build/release/CMakeCache.txt");
  EXPECT_THAT(cached, HasSubstr("CMAKE_CXX_FLAGS:STRING=-DOTHER"));
  EXPECT_EQ(build("HEAD", 1).workers, before.workers);
}

TEST_F(RevisionsTest, BuildsThatNothingUsesAreRemovedByTheNextBuild) {
  const std::string first = build("HEAD", 1).workers[0];
  write("kernels/k.cpp", "int k() { return 2; }\n");
  commit("second");
  const std::string second = build("HEAD", 1).workers[0];
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(24 * (kKeptDays + 1));
  for (const std::string& worker : {first, second}) {
    fs::last_write_time(fs::path(worker).parent_path(), long_ago);
  }
  build("HEAD", 1);  // used: counts from today on
  write("kernels/k.cpp", "int k() { return 3; }\n");
  commit("third");
  build("HEAD", 1);
  EXPECT_FALSE(fs::exists(first));
  EXPECT_TRUE(fs::exists(second));
}

TEST_F(RevisionsTest, UnknownRevisionsAndMissingRepositoriesAreToldApart) {
  EXPECT_THAT(message_of("nosuchbranch", ExitCode::kUsage), HasSubstr("'nosuchbranch'"));
  place_.repository = folder_;
  EXPECT_THAT(message_of("HEAD", ExitCode::kEnvironment), HasSubstr("no git repository"));
}

TEST_F(RevisionsTest, TheMergeBaseIsWhatTwoBranchesHaveInCommon) {
  const std::string first = commit_of(place_, "HEAD");
  git({"checkout", "-q", "-b", "topic"});
  write("README", "topic\n");
  commit("topic");
  git({"checkout", "-q", "main"});
  write("OTHER", "main\n");
  commit("main goes on");
  EXPECT_EQ(merge_base_of(place_, "main", "topic"), first);
  EXPECT_EQ(merge_base_of(place_, "topic", "topic"), commit_of(place_, "topic"));
  git({"checkout", "-q", "--orphan", "island"});
  commit("of its own");
  EXPECT_EQ(merge_base_of(place_, "main", "island"), "");
  EXPECT_THROW(merge_base_of(place_, "main", "nosuchbranch"), Error);
}

TEST_F(RevisionsTest, ChangesThatNoCommitHoldsAreSeen) {
  EXPECT_FALSE(is_dirty(place_));
  write("notes.txt", "no build takes these\n");
  EXPECT_FALSE(is_dirty(place_));
  write("kernels/new.cpp", "int n() { return 1; }\n");
  EXPECT_TRUE(is_dirty(place_));
  fs::remove(repository_ + "/kernels/new.cpp");
  write("main.cpp", "int main() {}\n");
  EXPECT_TRUE(is_dirty(place_));
}

TEST_F(RevisionsTest, ABuildFolderOrAProgramMayBeNamed) {
  const Built base = build("HEAD", 1);
  const Built program = use_program(base.workers[0]);
  EXPECT_EQ(program.workers, base.workers);
  EXPECT_EQ(program.objects_sha256, "");
  const Built folder = use_program(place_.cache + "/tree/build/release");
  EXPECT_EQ(folder.objects_sha256, base.objects_sha256);
  EXPECT_TRUE(fs::exists(folder.preload));
  EXPECT_THROW(use_program(folder_), Error);
}

TEST(BuildTree, AFullDiskIsCalledThat) {
  const std::string folder = fs::temp_directory_path();
  EXPECT_NO_THROW(throw_if_full(folder, "k.cpp:1:18: error: 'nothing' was not declared"));
  EXPECT_THROW(throw_if_full(folder, "as: k.o: No space left on device"), Error);
}

TEST(FirstError, IsWhatACompilerOrLinkerOrCMakeSaysFirst) {
  const std::string command = "/usr/bin/c++ -Wall -Werror -falign-functions=64 -o k.o -c ../k.cpp";
  EXPECT_EQ(first_error("[1/2] Building CXX object k.o\nFAILED: k.o \n" + command +
                        "\nIn file included from a.h:1,\n                 from k.cpp:1:\n"
                        "b.h:7:1: error: 'x' was not declared\nc.h:8:1: error: more\n"
                        "ninja: build stopped: subcommand failed.\n"),
            "b.h:7:1: error: 'x' was not declared");
  EXPECT_EQ(first_error("FAILED: w \n: && " + command +
                        "\n/usr/bin/ld: m.o: in function `main':\n"
                        "m.cpp:(.text+0x5): undefined reference to `k()'\n"
                        "collect2: error: ld returned 1 exit status\n"),
            "m.cpp:(.text+0x5): undefined reference to `k()'");
  EXPECT_EQ(first_error("FAILED: k.o\n" + command + "\nKilled\nninja: build stopped: x\n"),
            "Killed");
  EXPECT_EQ(first_error("CMake Error at CMakeLists.txt:3 (include):\n  not found\n"),
            "CMake Error at CMakeLists.txt:3 (include): not found");
  EXPECT_EQ(first_error("CMake Error at CMakeLists.txt:3 (include):\n"),
            "CMake Error at CMakeLists.txt:3 (include):");
  const std::string silent = "[1/3] Building CXX object j.o\nFAILED: k.o \n" + command + "\n";
  EXPECT_EQ(first_error("old warning\n" + silent + "[2/3] Building CXX object l.o\n" +
                        "ninja: build stopped: x\n"),
            "FAILED: k.o");
  EXPECT_EQ(first_error(silent + "FAILED: l.o\n" + command + "\n"), "FAILED: k.o");
  EXPECT_EQ(first_error("[1/3] Building CXX object j.o\nninja: build stopped: x\n"),
            "ninja: build stopped: x");
  EXPECT_EQ(first_error("ninja: build stopped: x\n"), "ninja: build stopped: x");
  EXPECT_EQ(first_error(""), "");
}

TEST(RunCommand, MessagesAreEnglish) {
  setenv("LC_ALL", "de_DE.UTF-8", 1);
  const std::string said =
      run_command({"sh", "-c", "echo ${LC_ALL-no} $LC_MESSAGES $LANG"}, "/").output;
  unsetenv("LC_ALL");
  EXPECT_EQ(said, "no C de_DE.UTF-8\n");
}

TEST(RunCommand, StatusAndOutputComeBack) {
  const CommandResult result = run_command({"sh", "-c", "echo out; echo err >&2; exit 3"}, "/");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.output, "out\nerr\n");
  EXPECT_EQ(run_command({"sh", "-c", "kill -9 $$"}, "/").status, 137);
  EXPECT_THROW(run_command({"no-such-program-at-all"}, "/"), Error);
  EXPECT_EQ(run_program({"sh", "-c", "echo nobody reads this; exit 3"}, Output::kDiscard), 3);
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}, Output::kDiscard), 137);
  EXPECT_EQ(run_program({"no-such-program-at-all"}, Output::kInherit), 127);
}

}  // namespace
}  // namespace nsop::judge
