#include "harness/adapters/program_toml.h"

#include <gmock/gmock.h>

#include "harness/core/error.h"
#include "harness/core/suite/toml_reader.h"

namespace nsop::adapters {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::ThrowsMessage;

std::vector<Program> read(const std::string& text) {
  const toml::table table = parse_toml(text, "/project/nsop.toml");
  return programs_of(table, "/project/nsop.toml");
}

TEST(ProgramToml, SaysHowAProgramIsBuiltStartedAndAsked) {
  const std::vector<Program> programs = read(R"(
[[programs]]
name = "bench"
adapter = "gbench"
build = ["cmake -B build", "cmake --build build"]
run = "build/bench --size 3"
folder = "lib"
cases = ["BM_*", "X"]
threads = 2

[[programs]]
name = "sorting"
adapter = "command"
run = ["sort", "{file}"]
parameters = { file = ["a b", "c"] }
prepare = "rm -f out"
compare = "stdout"
exit_statuses = [0, 1]
)");
  ASSERT_EQ(programs.size(), 2u);
  EXPECT_EQ(programs[0].name, "bench");
  EXPECT_EQ(programs[0].adapter, "gbench");
  EXPECT_THAT(programs[0].build, ElementsAre("cmake -B build", "cmake --build build"));
  EXPECT_THAT(programs[0].run, ElementsAre("build/bench", "--size", "3"));
  EXPECT_EQ(programs[0].folder, "/project/lib");
  EXPECT_EQ(programs[0].threads, 2);
  EXPECT_TRUE(is_chosen(programs[0], "BM_Copy/8"));
  EXPECT_FALSE(is_chosen(programs[0], "XY"));
  EXPECT_EQ(programs[1].folder, "/project/");
  EXPECT_THAT(programs[1].parameters, ElementsAre(Pair("file", ElementsAre("a b", "c"))));
  EXPECT_THAT(programs[1].prepare, ElementsAre("rm", "-f", "out"));
  EXPECT_EQ(programs[1].compare, "stdout");
  EXPECT_THAT(programs[1].exit_statuses, ElementsAre(0, 1));
  EXPECT_TRUE(read("db = \"x.db\"").empty());
}

TEST(ProgramToml, MistakesNameTheLine) {
  const std::string good = "[[programs]]\nname = \"b\"\nadapter = \"gbench\"\nrun = \"b\"\n";
  ASSERT_EQ(read(good).size(), 1u);
  const auto refused = [&](const std::string& text, const std::string& why) {
    EXPECT_THAT([&] { read(text); }, ThrowsMessage<Error>(HasSubstr(why))) << text;
  };
  refused("programs = 3", "nsop.toml:1: expected [[programs]]");
  refused("[[programs]]\nname = \"b\"\nadapter = \"gbench\"", "needs run");
  refused("[[programs]]\nname = \"b c\"\nadapter = \"gbench\"\nrun = \"b\"", "nsop.toml:2: 'b c'");
  refused("[[programs]]\nname = \"b\"\nadapter = \"gbanch\"\nrun = \"b\"",
          "did you mean 'gbench'?");
  refused(good + "colour = \"red\"", "colour");
  refused(good + good, "nsop.toml:5: a second program 'b'");
  refused(good + "compare = \"stdout\"", "only \"stdout\" of the adapter command");
  refused(good + "parameters = { n = [] }", "expected n = ");
  refused(good + "threads = 0", "expected threads = a number from 1 to 4096");
  refused(good + "exit_statuses = [0, 256]", "numbers from 0 to 255");
  refused(good + "exit_statuses = []", "numbers from 0 to 255");
  EXPECT_THAT(read(good + "exit_statuses = 3")[0].exit_statuses, ElementsAre(3));
  refused("[[programs]]\nname = \"b\"\nadapter = \"command\"\nrun = \"b | c\"", "list of words");
}

TEST(ProgramToml, AProgramOfTheCommandLineIsCalledLikeItsFile) {
  const Program program = program_at("/bin/true", "command", "");
  EXPECT_EQ(program.name, "true");
  EXPECT_THAT(program.run, ElementsAre("/bin/true"));
  EXPECT_EQ(program_at("/bin/true", "command", "other").name, "other");
  EXPECT_THAT([] { program_at("/nowhere", "command", ""); },
              ThrowsMessage<Error>(HasSubstr("/nowhere: no program there")));
  EXPECT_THAT([] { program_at("/bin/true", "comand", ""); },
              ThrowsMessage<Error>(HasSubstr("did you mean 'command'?")));
}

TEST(Program, ComesBackFromJson) {
  Program program = program_at("/bin/true", "command", "x");
  program.parameters = {{"n", {"1", "2"}}};
  program.prepare = {"a"};
  program.conclude = {"b", "c"};
  program.exit_statuses = {0, 3};
  program.cases = {"*"};
  program.build = {"make"};
  program.compare = "stdout";
  program.threads = 2;
  EXPECT_EQ(to_json(program_from_json(to_json(program))), to_json(program));
  Json lacking = to_json(program);
  lacking.erase("run");
  EXPECT_THAT([&] { program_from_json(lacking); }, ThrowsMessage<Error>(HasSubstr("'run'")));
}

}  // namespace
}  // namespace nsop::adapters
