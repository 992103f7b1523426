#include <gmock/gmock.h>

#include <filesystem>

#include "harness/adapters/adapter.h"
#include "harness/adapters/child.h"
#include "harness/adapters/testing/script_support.h"
#include "harness/core/error.h"
#include "harness/core/files.h"

namespace nsop::adapters {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<std::string> names_of(const Listing& listing) {
  std::vector<std::string> names;
  for (const Found& found : listing.cases) names.push_back(found.name);
  return names;
}

TEST(CommandAdapter, HasACaseForEveryCombinationOfParameters) {
  ScriptFolder folder;
  Program program = folder.program("tool", "command", "");
  EXPECT_THAT(names_of(command_adapter().list(program, folder.path())), ElementsAre("run"));
  program.parameters = {{"n", {"1", "2"}}, {"way", {"a", "b"}}};
  EXPECT_THAT(names_of(command_adapter().list(program, folder.path())),
              ElementsAre("n=1 way=a", "n=1 way=b", "n=2 way=a", "n=2 way=b"));
  program.parameters.assign(5, {"n", std::vector<std::string>(10, "x")});
  EXPECT_THAT([&] { command_adapter().list(program, folder.path()); },
              ThrowsMessage<Error>(HasSubstr("more than 10000 combinations")));
}

TEST(CommandAdapter, TimesTheCommandAloneWithItsParametersFilledIn) {
  ScriptFolder folder;
  Program program = folder.program("tool", "command", "echo tool $1 >> log; echo result");
  program.run.emplace_back("{n}/{n}");
  program.parameters = {{"n", {"7"}}};
  program.prepare = {"sh", "-c", "echo prepare {n} >> log"};
  program.conclude = {"sh", "-c", "echo conclude >> log"};
  program.compare = "stdout";
  const Timed timed = command_adapter().time(program, {"n=7", 2, 1}, folder.path());
  ASSERT_EQ(timed.repetitions.size(), 2u);
  EXPECT_EQ(timed.repetitions[0].iterations, 1);
  EXPECT_GT(timed.repetitions[0].wall_ns, 0);
  EXPECT_EQ(timed.printed, "result\n");
  EXPECT_EQ(read_file(folder.path() + "/log"),
            "prepare 7\ntool 7/7\nconclude\nprepare 7\ntool 7/7\nconclude\n");
}

TEST(CommandAdapter, ACommandThatFailsIsNoTime) {
  ScriptFolder folder;
  Program program = folder.program("tool", "command", "echo why >&2; exit 3");
  const auto time = [&] { command_adapter().time(program, {"run", 1, 1}, folder.path()); };
  EXPECT_THAT(time, ThrowsMessage<Error>(HasSubstr("exit status 3; it printed: why")));
  program.exit_statuses = {0, 3};
  EXPECT_NO_THROW(time());
  program.prepare = {"false"};
  EXPECT_THAT(time, ThrowsMessage<Error>(HasSubstr("prepare: exit status 1")));
  program.prepare = {"no-such-program"};
  EXPECT_THAT(time, ThrowsMessage<Error>(HasSubstr("no program of that name on the PATH")));
  program.prepare.clear();
  program.run = {"./nothing"};
  EXPECT_THAT(time, ThrowsMessage<Error>(HasSubstr("no program that can be started")));
  EXPECT_THAT(
      [&] {
        command_adapter().time(program, {"other", 1, 1}, folder.path());
      },
      ThrowsMessage<Error>(HasSubstr("has no case 'other'")));
}

TEST(Child, InterruptionsCountBeyondTheUsual) {
  EXPECT_THAT(beyond_usual({3, 3, 2, 9, 3, 4}), ElementsAre(0, 0, 0, 6, 0, 1));
  EXPECT_THAT(beyond_usual({0, 5}), ElementsAre(0, 5));
  EXPECT_THAT(beyond_usual({7}), ElementsAre(0));
  EXPECT_TRUE(beyond_usual({}).empty());
}

TEST(Child, HasNoFlagsOfOursNoInputAndEnglishMessages) {
  ScriptFolder folder;
  const Program program = folder.program(
      "tool", "command", "env | grep -c '^BENCHMARK_'; echo $LC_ALL; cat; pwd; exit 4");
  setenv("BENCHMARK_FILTER", "x", 1);
  const ChildResult result = run_child({program.run, program.folder});
  unsetenv("BENCHMARK_FILTER");
  EXPECT_EQ(result.status, 4);
  EXPECT_EQ(result.output, "0\nC\n" + std::filesystem::canonical(folder.path()).string() + "\n");
  EXPECT_GT(result.wall_ns, 0);
}

TEST(Child, ThatPrintsWithoutEndIsEnded) {
  ScriptFolder folder;
  const Program program = folder.program("tool", "command", "exec cat /dev/zero");
  EXPECT_THAT(
      [&] {
        run_child({program.run, program.folder});
      },
      ThrowsMessage<Error>(HasSubstr("prints more than 64 MiB")));
}

}  // namespace
}  // namespace nsop::adapters
