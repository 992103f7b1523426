#include <gmock/gmock.h>

#include "harness/foreign/testing/foreign_support.h"

namespace nsop::foreign::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kContext =
    R"("context":{"date":"2026-01-31T12:00:00+02:00","host_name":"box","num_cpus":8,)"
    R"("library_build_type":"release"})";

std::string file_of(const std::string& rows, const std::string& context = kContext) {
  return "{" + context + ",\"benchmarks\":[" + rows + "]}";
}

std::string row_of(const std::string& name, const std::string& more, double real = 10) {
  return "{\"name\":\"" + name + "\",\"run_name\":\"" + name +
         "\",\"run_type\":\"iteration\",\"iterations\":100,\"real_time\":" + std::to_string(real) +
         ",\"cpu_time\":9,\"time_unit\":\"ns\"" + more + "}";
}

std::string aggregate_of(const std::string& name, const std::string& which, double real) {
  return "{\"name\":\"" + name + "_" + which + "\",\"run_name\":\"" + name +
         "\",\"run_type\":\"aggregate\",\"aggregate_name\":\"" + which +
         "\",\"iterations\":3,\"real_time\":" + std::to_string(real) + ",\"time_unit\":\"us\"}";
}

TEST(GoogleBenchmark, RepetitionsAreSamplesAndAggregatesAreNone) {
  const ForeignRead read =
      test::read(file_of(row_of("BM_x<int, 3>/8", ",\"repetition_index\":0", 10) + "," +
                         row_of("BM_x<int, 3>/8", ",\"repetition_index\":1", 12) + "," +
                         aggregate_of("BM_x<int, 3>/8", "mean", 0.011) + "," +
                         aggregate_of("BM_x<int, 3>/8", "cv", 0.1)));
  EXPECT_STREQ(read.format->name, "google-benchmark");
  EXPECT_THAT(lines_of(read.file), ElementsAre("BM_x<int, 3>/8 ok: 10 12"));
  EXPECT_THAT(left_out(read.file), ElementsAre("2 aggregate of repetitions"));
  EXPECT_EQ(read.file.rows_read(), 4);
  const ForeignContext& context = read.file.runs()[0].context;
  EXPECT_EQ(context.started_utc, "2026-01-31T10:00:00Z");
  EXPECT_EQ(context.host, "box");
}

TEST(GoogleBenchmark, WithAggregatesOnlyTheMedianStandsForTheSamples) {
  const ForeignRead read = test::read(file_of(aggregate_of("BM_x/repeats:3", "mean", 2) + "," +
                                              aggregate_of("BM_x/repeats:3", "median", 1.5) + "," +
                                              aggregate_of("BM_x/repeats:3", "stddev", 0.1)));
  EXPECT_THAT(lines_of(read.file),
              ElementsAre("BM_x/repeats:3 ok: 1500 (median of 3 repetitions)"));
  EXPECT_THAT(left_out(read.file), ElementsAre("2 aggregate of repetitions"));
}

TEST(GoogleBenchmark, ASpreadOrAComplexityAloneIsNoTime) {
  EXPECT_THAT(
      refusal(file_of(aggregate_of("BM_x", "stddev", 1) + "," + aggregate_of("BM_x", "BigO", 1))),
      HasSubstr("nothing to import: 2 rows were read, none can be stored"));
}

TEST(GoogleBenchmark, FailedAndSkippedRowsAreNoTimes) {
  const ForeignRead read = test::read(file_of(
      row_of("BM_e", ",\"error_occurred\":true,\"error_message\":\"no \\u001b[31mdevice\"", 0) +
      "," + row_of("BM_s", ",\"skipped\":true,\"skip_message\":\"not here\"", 0) + "," +
      row_of("BM_0", "", 0) + "," + row_of("BM_ok", "")));
  EXPECT_THAT(lines_of(read.file), ElementsAre("BM_e error: [no ?[31mdevice]",
                                               "BM_s unsupported: [not here]", "BM_ok ok: 10"));
  EXPECT_THAT(left_out(read.file), ElementsAre("1 the time is 0: nothing was measured"));
}

TEST(GoogleBenchmark, OneNameTwiceIsAnError) {
  EXPECT_THAT(refusal(file_of(row_of("BM_x", "") + "," + row_of("BM_x", ""))),
              HasSubstr("'BM_x' is there twice"));
  const std::string indexed = row_of("BM_x", ",\"repetition_index\":0");
  EXPECT_THAT(refusal(file_of(indexed + "," + indexed)), HasSubstr("'BM_x' is there twice"));
  // Names that differ in brackets only are two.
  EXPECT_THAT(
      lines_of(test::read(file_of(row_of("BM_x/1", "") + "," + row_of("BM_x<int>/1", ""))).file),
      ElementsAre("BM_x/1 ok: 10", "BM_x<int>/1 ok: 10"));
}

TEST(GoogleBenchmark, BeforeRunTypesNamesSayWhatIsAnAggregate) {
  const auto old = [](const std::string& name, double real) {
    return "{\"name\":\"" + name + "\",\"iterations\":100,\"real_time\":" + std::to_string(real) +
           ",\"cpu_time\":9,\"time_unit\":\"ns\"}";
  };
  const ForeignRead read =
      test::read(file_of(old("BM_x", 10) + "," + old("BM_x", 12) + "," + old("BM_x_mean", 11) +
                         "," + old("BM_x_stddev", 1) + "," + old("BM_only_mean", 20) + "," +
                         old("BM_a_mean", 5) + "," + old("BM_a_median", 6)));
  EXPECT_THAT(lines_of(read.file), ElementsAre("BM_x ok: 10 12", "BM_only_mean ok: 20",
                                               "BM_a ok: 6 (median of 100 repetitions)"));
  EXPECT_THAT(left_out(read.file), ElementsAre("3 aggregate of repetitions"));
}

TEST(GoogleBenchmark, ThreadsAreAnAxisAndDividedTimesAnotherQuantity) {
  const std::string row = row_of("BM_x/real_time/threads:4", ",\"threads\":4");
  const ForeignRead before = test::read(file_of(row));
  EXPECT_EQ(before.file.runs()[0].rows[0].threads, 4);
  EXPECT_THAT(lines_of(before.file),
              ElementsAre("BM_x/real_time/threads:4 real_time=per_thread ok: 10"));
  const ForeignRead after =
      test::read(file_of(row, R"("context":{"num_cpus":8,"library_version":"v1.9.1"})"));
  EXPECT_THAT(lines_of(after.file), ElementsAre("BM_x/real_time/threads:4 ok: 10"));
}

TEST(GoogleBenchmark, TruncationIsBadDataUnlessSalvaged) {
  const std::string whole = file_of(row_of("BM_a", "") + "," + row_of("BM_b", ""));
  const std::string cut = whole.substr(0, whole.size() - 20);
  EXPECT_THAT(refusal(cut), HasSubstr("keep its 1 complete row with --salvage"));
  const ForeignRead read = test::read(cut, {.salvage = true});
  EXPECT_TRUE(read.file.truncated);
  EXPECT_THAT(lines_of(read.file), ElementsAre("BM_a ok: 10"));
}

TEST(GoogleBenchmark, IterationsAreNeverRounded) {
  const auto with = [](const std::string& iterations) {
    return file_of(R"({"name":"BM_x","run_type":"iteration","iterations":)" + iterations +
                   R"(,"real_time":3,"cpu_time":NaN,"time_unit":"ms","rate":Infinity})" + "," +
                   row_of("BM_y", ""));
  };
  const ForeignRead grouped = test::read(with("1,234,567"));
  EXPECT_EQ(grouped.file.runs()[0].rows[0].samples.kept()[0].iterations, 1'234'567);
  EXPECT_THAT(left_out(grouped.file), ElementsAre("1 a counter is negative or no number"));
  EXPECT_THAT(left_out(test::read(with("1.5")).file), ElementsAre("1 it has no iterations"));
}

TEST(Formats, AreToldApartAndNamed) {
  EXPECT_THAT(refusal(""), HasSubstr("it is empty"));
  EXPECT_THAT(refusal("hello\n"), HasSubstr("no known format"));
  EXPECT_THROW(test::read("{}", {.format = "google-bench"}), Error);
  EXPECT_THAT(refusal("[1]", {.format = "google-benchmark"}), HasSubstr("expected a JSON object"));
}

}  // namespace
}  // namespace nsop::foreign::test
