#include <gmock/gmock.h>

#include "harness/adapters/adapter.h"
#include "harness/adapters/testing/script_support.h"
#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/text.h"

namespace nsop::adapters {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::string row(const std::string& name, int index, const std::string& more = "") {
  return R"({"name": ")" + name + R"(", "run_name": ")" + name +
         R"(", "run_type": "iteration", "repetition_index": )" + std::to_string(index) +
         R"(, "iterations": 1000, "real_time": 2.5, "cpu_time": 2.25, "time_unit": "us")" + more +
         "}";
}

std::string document(const std::string& rows) { return R"({"benchmarks": [)" + rows + "]}"; }

class GoogleBenchmarkTest : public testing::Test {
 protected:
  Program program(const std::string& json, const std::string& names = "BM_A\nBM_B/8") {
    return folder_.program("bench", "gbench", gbench_script(names, json));
  }
  Timed time(const Program& program, const std::string& name, int repetitions = 2) {
    return gbench_adapter().time(program, {name, repetitions, 2'000'000}, folder_.path());
  }
  std::string why_not(const std::string& json, const std::string& name = "BM_A") {
    try {
      time(program(json), name);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was wrong";
  }

  ScriptFolder folder_;
};

TEST_F(GoogleBenchmarkTest, ListsWhatTheProgramLists) {
  const Program bench = program("{}", "BM_A\nBM_B<int>/8/threads:2\nBM_C/real_time\r");
  const Listing listing = gbench_adapter().list(bench, folder_.path());
  ASSERT_EQ(listing.cases.size(), 3u);
  EXPECT_EQ(listing.cases[1].name, "BM_B<int>/8/threads:2");
  EXPECT_EQ(listing.cases[1].threads, 2);
  EXPECT_EQ(listing.cases[2].name, "BM_C/real_time");
  EXPECT_EQ(listing.cases[2].threads, 1);
  EXPECT_THAT([&] { gbench_adapter().list(program("{}", ""), folder_.path()); },
              ThrowsMessage<Error>(HasSubstr("lists no benchmark")));
  const Program crashing = folder_.program("bench", "gbench", "kill -SEGV $$");
  EXPECT_THAT([&] { gbench_adapter().list(crashing, folder_.path()); },
              ThrowsMessage<Error>(HasSubstr("ended by signal 11")));
}

TEST_F(GoogleBenchmarkTest, ANameThatIsListedTwiceIsLeftOut) {
  const Program bench = program("{}", "BM_A\nBM_B\nBM_A");
  const Listing listing = chosen(bench, gbench_adapter().list(bench, folder_.path()));
  ASSERT_EQ(listing.cases.size(), 1u);
  EXPECT_EQ(listing.cases[0].name, "BM_B");
  ASSERT_EQ(listing.left_out.size(), 1u);
  EXPECT_EQ(listing.left_out[0].name, "BM_A");
}

TEST_F(GoogleBenchmarkTest, AsksForOneBenchmarkAndReadsItsRepetitions) {
  const Program bench = program(document(row("BM_B<int>/8", 0) + "," + row("BM_B<int>/8", 1)));
  const Timed timed = time(bench, "BM_B<int>/8");
  ASSERT_EQ(timed.repetitions.size(), 2u);
  EXPECT_EQ(timed.repetitions[0].iterations, 1000);
  EXPECT_EQ(timed.repetitions[0].wall_ns, 2'500'000);
  EXPECT_EQ(timed.repetitions[0].process_cpu_ns, 2'250'000);
  EXPECT_EQ(timed.note, "");
  const auto asked = split(read_file(folder_.path() + "/asked"), '\n');
  EXPECT_THAT(asked, Contains("--benchmark_filter=^BM_B<int>/8$")) << "no \\< and no \\>";
  EXPECT_THAT(asked, Contains("--benchmark_min_time=0.002000000"));
  EXPECT_THAT(asked, Contains("--benchmark_repetitions=2"));
  time(program(document(row("a.b[1]", 0))), "a.b[1]");
  EXPECT_THAT(split(read_file(folder_.path() + "/asked"), '\n'),
              Contains("--benchmark_filter=^a\\.b\\[1\\]$"));
}

TEST_F(GoogleBenchmarkTest, AuthorsThatJudgeByWallTimeAreFollowed) {
  for (const char* name : {"BM_A/real_time", "BM_A/manual_time", "BM_A/threads:2"}) {
    EXPECT_EQ(time(program(document(row(name, 0))), name).repetitions[0].process_cpu_ns, 0) << name;
  }
}

TEST_F(GoogleBenchmarkTest, AggregatesAreNoRepetitions) {
  const std::string median = row("BM_A", 0, R"(, "aggregate_name": "median")");
  std::string aggregate = median;
  aggregate.replace(aggregate.find("iteration\""), 10, "aggregate\"");
  EXPECT_EQ(time(program(document(row("BM_A", 0) + "," + aggregate)), "BM_A").repetitions.size(),
            1u);
  const Timed alone = time(program(document(aggregate)), "BM_A");
  ASSERT_EQ(alone.repetitions.size(), 1u);
  EXPECT_THAT(alone.note, HasSubstr("median of 1000 repetitions"));
  EXPECT_DOUBLE_EQ(static_cast<double>(alone.repetitions[0].wall_ns) /
                       static_cast<double>(alone.repetitions[0].iterations),
                   2500.0);
}

TEST_F(GoogleBenchmarkTest, NothingElseBecomesATime) {
  EXPECT_THAT(why_not("{"), HasSubstr("truncated: it ends in the middle"));
  EXPECT_THAT(why_not("{}"), HasSubstr("0 rows were read"));
  EXPECT_THAT(why_not(document("")), HasSubstr("0 rows were read"));
  EXPECT_THAT(why_not(document(row("BM_B", 0))), HasSubstr("asked for 'BM_A', it ran 'BM_B'"));
  EXPECT_THAT(why_not(document(row("BM_A", 0, R"(, "error_occurred": true,
                                                 "error_message": "no device")"))),
              HasSubstr("BM_A: no device"));
  EXPECT_THAT(why_not(document(row("BM_A", 0, R"(, "skipped": true,
                                                 "skip_message": "too large")"))),
              HasSubstr("BM_A: too large"));
  std::string none = row("BM_A", 0);
  none.replace(none.find("2.5"), 3, "0.0");
  EXPECT_THAT(why_not(document(none)), HasSubstr("the time is 0: nothing was measured"));
  std::string unit = row("BM_A", 0);
  unit.replace(unit.find("\"us\""), 4, "\"fortnight\"");
  EXPECT_THAT(why_not(document(unit)), HasSubstr("its time unit is unknown"));
}

TEST_F(GoogleBenchmarkTest, AProgramThatFailsSaysHow) {
  const Program failing = folder_.program("bench", "gbench", "echo sorry >&2; exit 3");
  EXPECT_THAT([&] { time(failing, "BM_A"); },
              ThrowsMessage<Error>(HasSubstr("exit status 3; it printed: sorry")));
  const Program silent = folder_.program("bench", "gbench", "exit 0");
  EXPECT_THAT([&] { time(silent, "BM_A"); },
              ThrowsMessage<Error>(HasSubstr("has no benchmark 'BM_A'")));
}

}  // namespace
}  // namespace nsop::adapters
