// Synthetic runs to JSON.
#include "harness/report/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/core/error.h"
#include "harness/report/testing/golden_support.h"
#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

TEST(ReportGolden, BeforeAfter) {
  expect_golden(
      build_report(before_after_suite(), before_after_run().data(), before_after_previous().data()),
      "before_after");
}

TEST(ReportGolden, Sweep) {
  expect_golden(build_report(sweep_suite(), sweep_run().data(), std::nullopt), "sweep");
}

TEST(ReportGolden, Matched) {
  expect_golden(build_report(matched_suite(), matched_run().data(), std::nullopt), "matched");
}

TEST(ReportGolden, Limits) {
  expect_golden(build_report(limits_suite(), limits_run().data(), std::nullopt), "limits");
}

TEST(ReportGolden, Peers) {
  expect_golden(build_report(peers_suite(), peers_run().data(), std::nullopt), "peers");
}

TEST(ReportGolden, Tracking) {
  const std::vector<Release> releases = tracking_releases();
  expect_golden(build_report(tracking_suite(), releases.back().data, releases[2].data, std::nullopt,
                             releases),
                "tracking");
}

TEST(Report, RowsThatTheRunWasNotAskedForAreLeftOutAndCounted) {
  RunData run = peers_run().data();
  const auto rows = [&] {
    size_t count = 0;
    const Json report = build_report(peers_suite(), run, std::nullopt);
    for (const Json& section : report["sections"]) {
      if (section["title"] == "Element-wise") count = section["tables"][0]["rows"].size();
    }
    return std::pair(count, report["summary"]["skipped"].get<int>());
  };
  EXPECT_EQ(rows(), std::pair(size_t{4}, 0));
  for (const stats::RowSummary& row : run.rows) {
    if (row.row.threads == 1) run.planned.emplace(row.row.case_text, 1);
  }
  EXPECT_EQ(rows(), std::pair(size_t{2}, 2));
  run.planned.emplace("add n=1000", 2);  // asked for: shown even when it failed
  EXPECT_EQ(rows(), std::pair(size_t{3}, 1));
}

TEST(ReportGolden, Threads) {
  expect_golden(build_report(threads_suite(), threads_run().data(), std::nullopt), "threads");
}

TEST(ReportGolden, Workload) {
  expect_golden(build_report(workload_suite(), workload_run().data(), std::nullopt), "workload");
}

TEST(Report, IsAFunctionOfItsArguments) {
  const auto once = build_report(sweep_suite(), sweep_run().data(), std::nullopt);
  const auto twice = build_report(sweep_suite(), sweep_run().data(), std::nullopt);
  EXPECT_EQ(report_text(once), report_text(twice));
}

TEST(Report, EveryRowHasACellForEveryColumn) {
  const std::vector<Json> reports{
      build_report(before_after_suite(), before_after_run().data(), std::nullopt),
      build_report(sweep_suite(), sweep_run().data(), std::nullopt),
      build_report(matched_suite(), matched_run().data(), std::nullopt),
      build_report(limits_suite(), limits_run().data(), std::nullopt),
      build_report(peers_suite(), peers_run().data(), std::nullopt)};
  for (const Json& report : reports) {
    for (const Json& section : report["sections"]) {
      for (const Json& table : section["tables"]) {
        for (const Json& row : table["rows"]) {
          EXPECT_EQ(row["cells"].size(), table["columns"].size());
        }
      }
    }
  }
}

TEST(Report, WrongRowHasNoTimeAndSaysWhy) {
  const Json report = build_report(before_after_suite(), before_after_run().data(), std::nullopt);
  const Json& dense = report["sections"][1]["tables"][0];
  EXPECT_EQ(cell_of(dense, 1, "after")["kind"], "missing");
  EXPECT_EQ(cell_of(dense, 1, "after")["text"], "wrong");
  EXPECT_EQ(cell_of(dense, 1, "speedup")["text"], "n/a");
  EXPECT_EQ(dense["rows"][1]["notes"][0]["kind"], "wrong");
  EXPECT_THAT(dense["rows"][1]["notes"][0]["text"].get<std::string>(),
              testing::HasSubstr("expected 0.5"));
  EXPECT_EQ(report["summary"]["wrong"], 1);
}

TEST(Report, SlowerIsNeverCalledFaster) {
  const Json report = build_report(before_after_suite(), before_after_run().data(), std::nullopt);
  const Json& speedup = cell_of(report["sections"][1]["tables"][0], 0, "speedup");
  EXPECT_EQ(speedup["text"], "10.9x slower");
  EXPECT_EQ(speedup["verdict"], "worse");
  EXPECT_LT(speedup["value"].get<double>(), 1);
}

TEST(Report, DoubtfulNumbersAreMarked) {
  const Json report = build_report(before_after_suite(), before_after_run().data(), std::nullopt);
  const Json& conv = report["sections"][0]["tables"][0];
  EXPECT_TRUE(cell_of(conv, 1, "before")["doubt"]);  // 3 invocations
  EXPECT_EQ(cell_of(conv, 1, "before")["text"], "3.82 s ?");
  EXPECT_TRUE(cell_of(conv, 2, "before")["doubt"]);  // a warning
  EXPECT_FALSE(cell_of(conv, 0, "before").contains("doubt"));
  const Json& dense = report["sections"][1]["tables"][0];
  EXPECT_EQ(cell_of(dense, 0, "allocs")["text"], "0 → 2.50 ?");  // not steady
  EXPECT_FALSE(cell_of(dense, 0, "after").contains("doubt"));
  EXPECT_EQ(dense["rows"][0]["notes"].size(), 1);  // said once
}

TEST(Report, ThreadsOnAllCpusAreSaidOnceAndDoubtNothing) {
  const auto notes = [](const FakeRun& run) {
    const Json report = build_report(before_after_suite(), run.data(), std::nullopt);
    std::string text;
    for (const Json& section : report["sections"]) text += section["notes"].dump();
    return text;
  };
  FakeRun run = before_after_run();
  EXPECT_THAT(notes(run), testing::Not(testing::HasSubstr("every CPU")))
      << "nobody knows how many there were";
  run.run.conditions.allowed_cpus = {0, 1};
  EXPECT_THAT(notes(run), testing::Not(testing::HasSubstr("every CPU")));
  run.run.conditions.allowed_cpus = {0};
  EXPECT_THAT(notes(run), testing::HasSubstr("1 thread takes every CPU that this run may use"));
}

TEST(Report, InterruptionsOnSeveralThreadsAreToldInASentence) {
  const auto notes = [](size_t interrupted) {
    RunData data = peers_run().data();
    for (stats::RowSummary& row : data.rows) {
      const bool shown = row.row.case_text.starts_with("add") && row.status == Status::kOk;
      if (!shown || row.row.threads < 2 || interrupted == 0) continue;
      row.interrupted_share = 0.5;
      --interrupted;
    }
    const Json report = build_report(peers_suite(), data, std::nullopt);
    std::string text;
    for (const Json& section : report["sections"]) text += section["notes"].dump();
    return text;
  };
  EXPECT_THAT(notes(0), testing::Not(testing::HasSubstr("interrupted")));
  EXPECT_THAT(notes(1), testing::HasSubstr("on more than one thread 1 was interrupted in every"));
  EXPECT_THAT(notes(2), testing::HasSubstr("on more than one thread 2 were interrupted in every"));
}

TEST(Report, OfAConvolutionTheChannelsOfItsOutputAreCalledSo) {
  const Json report = build_report(before_after_suite(), before_after_run().data(), std::nullopt);
  const Json& convs = table_with(report["sections"][0], "kernel");
  EXPECT_THAT(cell_of(convs, 0, "output")["text"].get<std::string>(),
              testing::MatchesRegex("[0-9]+ channels"));
  const Json& dense = table_with(report["sections"][1], "kernel");
  EXPECT_THAT(cell_of(dense, 0, "output")["text"].get<std::string>(),
              testing::MatchesRegex("[0-9]+"));
}

TEST(Report, WhatNoiseHidesIsToldWithoutADoubleNegation) {
  const auto hidden = [](double spread) {
    FakeRun run("45444444-4444-4444-8444-444444444444");
    run.time({"relu pass=forward n=10000 range=-3:3", "hwy", "AVX2", 1}, 1000, 8, spread);
    const Json report = build_report(sweep_suite(), run.data(), std::nullopt);
    for (const Json& item : report["footer"]) {
      if (item["label"] == "Can't be told from noise") return item["text"].get<std::string>();
    }
    return std::string();
  };
  EXPECT_THAT(hidden(0.01), testing::HasSubstr(" of the noisiest row's, at 99 % confidence"));
  EXPECT_THAT(hidden(0.9), testing::HasSubstr("or a doubling of the noisiest, at 99 %"));
}

// Further variants stand in a table of their own, where a row of the section has them.
TEST(Report, VariantsBesideTheRolesHaveATableOfTheirOwn) {
  Suite suite = before_after_suite();
  suite.beside = {{"tensor_ops", "best"}, {"absent", "best"}};
  FakeRun fake = before_after_run();
  fake.time({suite.cases[0].line, "tensor_ops", "BASELINE", 1}, 36'608'542, 8);
  const Json report = build_report(suite, fake.data(), std::nullopt);
  const Json& beside = table_with(report["sections"][0], "time_tensor_ops");
  EXPECT_EQ(beside["title"], "Beside: tensor_ops");
  EXPECT_EQ(cell_of(beside, 0, "time_tensor_ops")["text"], "36.6 ms");
  EXPECT_EQ(cell_of(beside, 0, "against_tensor_ops")["text"], "2.00x faster");
  EXPECT_EQ(cell_of(beside, 1, "time_tensor_ops")["text"], "-");
  for (const Json& table : report["sections"][1]["tables"]) {
    EXPECT_NE(table["title"], beside["title"]) << "no row of this section has it";
  }
}

// The same kernel with new results on every call: a table of its own, with both shares of the gain.
TEST(Report, WhatNewResultsCostIsToldApartFromTheKernel) {
  Suite suite = before_after_suite();
  suite.beside = {{"kernel", "best"}, {"kernel_fresh", "best"}};
  FakeRun fake = before_after_run();
  const std::string& line = suite.cases[0].line;
  const double before_ns = 58'573'668;  // of the fixture
  fake.time({line, "kernel", "AVX2", 1}, before_ns / 8, 8);
  fake.time({line, "kernel_fresh", "AVX2", 1}, before_ns / 4, 8);
  fake.count({line, "kernel_fresh", "AVX2", 1}, allocs(1, 4096));
  const Json report = build_report(suite, fake.data(), std::nullopt);
  const Json& table = table_with(report["sections"][0], "fresh");
  EXPECT_TRUE(table["collapsed"]);
  EXPECT_NEAR(cell_of(table, 0, "by_memory")["value"].get<double>(), 2, 0.05);
  EXPECT_EQ(cell_of(table, 0, "by_memory")["verdict"], "better");
  EXPECT_EQ(cell_of(table, 0, "by_kernel")["verdict"], "better");
  EXPECT_EQ(cell_of(table, 0, "fresh_allocs")["text"], "1");
  EXPECT_EQ(cell_of(table, 1, "fresh")["text"], "-");
  EXPECT_THAT(table["notes"].dump(), testing::HasSubstr("no variant `kernel_fresh`"));
  const Json& beside = table_with(report["sections"][0], "time_kernel");
  EXPECT_EQ(beside["title"], "Beside: kernel") << "not there again";
}

TEST(Report, ASweepTellsWhatNewResultsCost) {
  Suite suite = sweep_suite();
  FakeRun fake = sweep_run();
  const RunData plain = fake.data();
  suite.beside = {{"hwy_fresh", "best"}};
  const auto ours = std::find_if(plain.rows.begin(), plain.rows.end(), [](const auto& row) {
    return row.row.variant == "hwy" && row.row.threads == 1;
  });
  ASSERT_NE(ours, plain.rows.end());
  fake.time({ours->row.case_text, "hwy_fresh", ours->row.target, 1}, 3 * ours->wall_ns);
  const Json report = build_report(suite, fake.data(), std::nullopt);
  size_t with_ratio = 0;
  for (const Json& section : report["sections"]) {
    for (const Json& table : section["tables"]) {
      if (!table["title"].get<std::string>().starts_with("What new memory")) continue;
      for (size_t i = 0; i < table["rows"].size(); ++i) {
        with_ratio += cell_of(table, i, "by_memory")["kind"] == "missing" ? 0 : 1;
      }
    }
  }
  EXPECT_EQ(with_ratio, 1U);
}

// What a suite leaves out of a case isn't missing there.
TEST(Report, ACaseWithoutABeforeHasDashes) {
  Suite suite = before_after_suite();
  suite.cases[0].without = {suite.before};
  RunData run = before_after_run().data();
  std::erase_if(run.rows, [&](const stats::RowSummary& row) {
    return row.row.variant == "elementwise" && row.row.case_text == suite.cases[0].line;
  });
  const auto table = [&] {
    return Json(table_with(build_report(suite, run, std::nullopt)["sections"][0], "before_ns"));
  };
  for (const char* id :
       {"before_ns", "before_time", "before_allocs", "before_bytes", "speedup", "reduction"}) {
    EXPECT_EQ(cell_of(table(), 0, id)["text"], "-") << id;
    EXPECT_NE(cell_of(table(), 1, id)["text"], "-") << id;
  }
  suite.cases[0].without.clear();
  EXPECT_EQ(cell_of(table(), 0, "before_time")["text"], "not measured");
}

TEST(Report, WithoutAPreviousRunNoColumnSpeaksOfIt) {
  const Json report = build_report(before_after_suite(), before_after_run().data(), std::nullopt);
  const Json& columns = report["sections"][0]["tables"][0]["columns"];
  EXPECT_THAT(columns.dump(), testing::Not(testing::HasSubstr("previous")));
  EXPECT_TRUE(report["previous"].is_null());
}

TEST(Report, PreviousRunOfAnotherHostIsIncomparable) {
  FakeRun previous = before_after_previous();
  previous.host.id = std::string(64, 'f');
  const Json report =
      build_report(before_after_suite(), before_after_run().data(), previous.data());
  const Json& compared = cell_of(report["sections"][0]["tables"][0], 0, "previous");
  EXPECT_EQ(compared["text"], "incomparable");
  EXPECT_EQ(compared["note"], "the previous run is of another host");
}

TEST(Report, PreviousRunOfAnotherBuildTypeIsIncomparable) {
  FakeRun previous = before_after_previous();
  previous.build.build_type = "Debug";
  const Json report =
      build_report(before_after_suite(), before_after_run().data(), previous.data());
  EXPECT_EQ(cell_of(report["sections"][0]["tables"][0], 0, "previous")["text"], "incomparable");
}

TEST(Report, TheHeadNamesTheLargestChangesSinceThePreviousRun) {
  const std::string conv = "conv2d pass=forward in=8x64x32x32 out=128 k=3 s=1 p=1 bias=1";
  const auto head = [](const FakeRun& previous) {
    return build_report(before_after_suite(), before_after_run().data(), previous.data())["head"]
        .dump();
  };
  FakeRun previous = before_after_previous();
  EXPECT_THAT(head(previous), testing::HasSubstr("Largest changes: Conv2D Forward 2.00x faster "))
      << "36.6 ms became 18.3 ms";
  EXPECT_THAT(head(previous), testing::Not(testing::HasSubstr("Allocations:"))) << "not counted";
  previous.count({conv, "hwy", "AVX2", 1}, allocs(0, 0));
  EXPECT_THAT(head(previous), testing::HasSubstr("Allocations: the same in 1 row."));
  previous = before_after_previous();
  previous.count({conv, "hwy", "AVX2", 1}, allocs(2, 128));
  EXPECT_THAT(head(previous),
              testing::HasSubstr("changed in 1 of 1 row: Conv2D Forward 2 → 0 (128 → 0 B)."));
  const Json report =
      build_report(before_after_suite(), before_after_run().data(), previous.data());
  EXPECT_THAT(cell_of(report["sections"][0]["tables"][0], 0, "previous")["note"].dump(),
              testing::HasSubstr("allocations 2 → 0 (128 → 0 B)"));
}

TEST(Report, RowThatThePreviousRunLacksIsNew) {
  const Json report =
      build_report(before_after_suite(), before_after_run().data(), before_after_previous().data());
  EXPECT_EQ(cell_of(report["sections"][0]["tables"][0], 2, "previous")["text"], "new");
}

TEST(Report, MissingCaseIsARowInAComprehensiveRunAndCountedInAQuickOne) {
  const Json full = build_report(before_after_suite(), before_after_run().data(), std::nullopt);
  const Json& dense = full["sections"][1]["tables"][0];
  ASSERT_EQ(dense["rows"].size(), 3);
  EXPECT_EQ(cell_of(dense, 2, "after")["text"], "not measured");

  FakeRun quick = before_after_run();
  quick.run.profile = "quick";
  const Json part = build_report(before_after_suite(), quick.data(), std::nullopt);
  EXPECT_EQ(part["sections"][1]["tables"][0]["rows"].size(), 2);
  EXPECT_EQ(part["summary"]["skipped"], 1);
  EXPECT_EQ(part["warnings"][0],
            "1 of 6 rows of this suite were no part of this run (profile quick) and are left out");
}

TEST(Report, AbortedRunAndDebugBuildAreWarnedOf) {
  FakeRun fake = before_after_run();
  fake.run.state = RunState::kAborted;
  fake.build.build_type = "Debug";
  const Json report = build_report(before_after_suite(), fake.data(), std::nullopt);
  EXPECT_EQ(report["warnings"][0],
            "the run is aborted: 1 of 6 rows not measured, others in fewer rounds");
  EXPECT_EQ(report["warnings"][1], "measured with a build of type Debug, not Release");
}

TEST(Report, RowsCarryTheirCommand) {
  const Json report = build_report(matched_suite(), matched_run().data(), std::nullopt);
  EXPECT_EQ(report["sections"][0]["tables"][0]["rows"][0]["repro"][1],
            "nsop run 'dense pass=forward batch=1 in=1024 out=32 bias=1' --variant hwy@AVX2 "
            "--threads 1");
}

TEST(Report, MatchedRatioHasNoVerdictAndStandsBesideItsWork) {
  const Json report = build_report(matched_suite(), matched_run().data(), std::nullopt);
  const Json& table = report["sections"][0]["tables"][0];
  EXPECT_EQ(cell_of(table, 0, "relative")["text"], "baseline");
  EXPECT_EQ(cell_of(table, 1, "relative")["kind"], "ratio");
  EXPECT_FALSE(cell_of(table, 1, "relative").contains("verdict"));
  EXPECT_TRUE(cell_of(table, 1, "relative").contains("interval_text"));
  const Json& numbers = table_with(report["sections"][0], "ns_per_mac");
  EXPECT_EQ(cell_of(numbers, 1, "macs")["text"], "294,912");
  EXPECT_EQ(cell_of(numbers, 1, "ns_per_mac")["kind"], "ns");
}

TEST(Report, UnknownFormIsAUsageError) {
  Suite suite = before_after_suite();
  suite.form = "poem";
  try {
    build_report(suite, before_after_run().data(), std::nullopt);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_THAT(error.what(), testing::HasSubstr("conv.toml: unknown form `poem`"));
  }
}

TEST(Report, EmptyRunIsAReportOfMissingRows) {
  const FakeRun nothing("44444444-4444-4444-8444-444444444444");
  const Json report = build_report(sweep_suite(), nothing.data(), std::nullopt);
  EXPECT_EQ(report["summary"]["rows"], 0);
  EXPECT_EQ(report["sections"][0]["plots"].size(), 0);
  EXPECT_EQ(report["sections"][0]["tables"][0]["rows"].size(), 3);
}

}  // namespace
}  // namespace nsop::report
