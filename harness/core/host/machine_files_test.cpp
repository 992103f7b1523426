#include "harness/core/host/machine_files.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace nsop {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(MachineFiles, CpuLists) {
  EXPECT_THAT(parse_cpu_list("0-2,5"), ElementsAre(0, 1, 2, 5));
  EXPECT_THAT(parse_cpu_list("3\n"), ElementsAre(3));
  for (const char* rubbish : {"", "x", "1-", "2-1", "-1", "1-2-3", "1,,2", "0-999999999"}) {
    EXPECT_THAT(parse_cpu_list(rubbish), IsEmpty()) << rubbish;
  }
}

RC_GTEST_PROP(MachineFiles, CpuListsRoundTrip, ()) {
  const auto cpus = *rc::gen::unique<std::vector<int>>(rc::gen::inRange(0, 1000));
  RC_PRE(!cpus.empty());
  std::string text;
  for (const int cpu : cpus) text += (text.empty() ? "" : ",") + std::to_string(cpu);
  RC_ASSERT(parse_cpu_list(text) == cpus);
}

TEST(MachineFiles, Sizes) {
  EXPECT_EQ(parse_size("48K\n"), 48 * 1024);
  EXPECT_EQ(parse_size("2M"), 2 << 20);
  EXPECT_EQ(parse_size("1G"), 1 << 30);
  EXPECT_EQ(parse_size("512"), 512);
  for (const char* rubbish : {"", "K", "-1", "1T", "1KB"}) EXPECT_EQ(parse_size(rubbish), 0);
}

TEST(MachineFiles, KeyValues) {
  EXPECT_THAT(key_values("a: 1\nno separator\n b\t:  two words \n\nc: 3", ':'),
              ElementsAre(Pair("a", "1"), Pair("b", "two words")));
  EXPECT_THAT(key_values("", '='), IsEmpty());
}

TEST(MachineFiles, NumbersAtTheFront) {
  EXPECT_EQ(leading_integer("4000 kB"), 4000);
  EXPECT_EQ(leading_integer("kB"), 0);
  EXPECT_DOUBLE_EQ(leading_number("0.25 1.5"), 0.25);
  EXPECT_DOUBLE_EQ(leading_number(""), 0);
}

TEST(MachineFiles, MissingFileIsEmptyText) {
  EXPECT_EQ(machine_text("/nowhere", "/proc/loadavg"), "");
  EXPECT_NE(machine_text("", "/proc/loadavg"), "");
}

}  // namespace
}  // namespace nsop
