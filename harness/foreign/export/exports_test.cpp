#include "harness/foreign/export/exports.h"

#include <gmock/gmock.h>

#include "harness/foreign/testing/foreign_support.h"
#include "harness/store/record/record.h"

namespace nsop::foreign::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// What a file says, once it is stored.
ExportRun stored(const std::string& text) {
  ForeignRead read = test::read(text);
  ForeignRecord found = records(read).at(0);
  ExportRun run{found.run, found.host, {}, {}};
  for (const auto& [id, body] : found.record.builds) {
    run.builds[id] = build_from_json(parse_json(body, "x"));
  }
  for (const store::InvocationRecord& one : found.record.invocations) {
    run.invocations.push_back(store::unpack(one));
  }
  return run;
}

constexpr const char* kGo =
    "pkg: a/x\nBenchmarkF-8 1000 12.5 ns/op 16 B/op 1 allocs/op\n"
    "BenchmarkF-8 1000 13.5 ns/op 16 B/op 1 allocs/op\nBenchmarkG/k=v-8 1 1500000 ns/op\n"
    "--- FAIL: BenchmarkBad-8\n--- SKIP: BenchmarkSkip-8\n";

constexpr const char* kGoogle =
    R"({"context":{"num_cpus":1},"benchmarks":[
        {"name":"BM \"x\", <y>/8","run_type":"iteration","repetition_index":0,"iterations":10,"real_time":1000,"cpu_time":2,"time_unit":"us"},
        {"name":"BM \"x\", <y>/8","run_type":"iteration","repetition_index":1,"iterations":10,"real_time":1100,"cpu_time":2,"time_unit":"us"},
        {"name":"BM_t/threads:2","run_type":"iteration","threads":2,"iterations":10,"real_time":3,"cpu_time":2,"time_unit":"ms"},
        {"name":"BM_e","run_type":"iteration","iterations":0,"real_time":0,"error_occurred":true,"error_message":"no"},
        {"name":"BM_s","run_type":"iteration","iterations":0,"real_time":0,"skipped":true,"skip_message":"not"}]})";

TEST(Exports, GoTextComesBackAsItWas) {
  const auto before = lines_of(test::read(kGo).file);
  const Exported out = to_benchstat(stored(kGo));
  const ForeignRead after = test::read(out.text);
  EXPECT_THAT(lines_of(after.file), testing::UnorderedElementsAreArray(before));
  EXPECT_EQ(after.file.runs()[0].rows[0].allocs_and_bytes.kept().at(0), std::pair(1.0, 16.0));
  EXPECT_TRUE(after.file.left_out().empty());
}

TEST(Exports, GoogleBenchmarkComesBackAsItWas) {
  const Exported out = to_google_benchmark(stored(kGoogle));
  EXPECT_EQ(lines_of(test::read(out.text).file), lines_of(test::read(kGoogle).file));
  EXPECT_TRUE(Json::accept(out.text));
}

TEST(Exports, ARowThatWasMeasuredHereIsCalledByItsCase) {
  const RowKey row{"relu pass=forward n=10", "hwy", "AVX2", 1};
  EXPECT_EQ(exported_name(row, "google-benchmark"),
            "relu pass=forward n=10 variant=hwy target=AVX2 threads=1");
  Invocation one;
  one.row = row;
  one.build_id = "b";
  one.repetitions = {{.iterations = 10, .wall_ns = 300}, {.iterations = 10, .wall_ns = 200}};
  EXPECT_THAT(to_benchstat({{}, {}, {}, {one}}).text,
              HasSubstr("\nBenchmarkRelu/pass=forward/n=10/variant=hwy/target=AVX2/threads=1 10 20 "
                        "ns/op\n"));
}

TEST(Exports, CsvComesBackWithItsColumnsDeclared) {
  const Exported out = to_csv(stored(kGoogle));
  const ForeignRead after = test::read(
      out.text, {.read = {"name=case,threads=threads,time=ns_per_op:ns,repetition=sample"}});
  ASSERT_EQ(after.file.runs()[0].rows.size(), 2U);
  const ForeignRow& row = after.file.runs()[0].rows[0];
  EXPECT_EQ(row.identity[0].second, "foreign tool=google-benchmark name=BM%20%22x%22%2C%20<y>/8");
  EXPECT_EQ(row.samples.kept().size(), 2U);
  EXPECT_EQ(row.samples.kept()[1].ns, 1'100'000);
  // A row without a time is none.
  EXPECT_THAT(left_out(after.file), ElementsAre("2 the time is no number"));
}

TEST(Exports, BencherHasAMedianPerRowThatHasAResult) {
  const Exported out = to_bencher(stored(kGoogle));
  EXPECT_EQ(out.rows, 2);
  EXPECT_EQ(out.left_out.begin()->second, 2);
  EXPECT_THAT(out.text, testing::Not(HasSubstr("lower_value")));  // of two samples there is none
  EXPECT_THAT(lines_of(test::read(out.text).file),
              testing::Contains(HasSubstr("name=BM%20%22x%22%2C%20<y>/8 variant=google-benchmark "
                                          "target=imported threads=1 ok: 1.05e+06 (value)")));
}

}  // namespace
}  // namespace nsop::foreign::test
