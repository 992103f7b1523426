// Runs that lack something: each makes a report that says what. The models are kept in
// reports/testdata/lacks, from which Python tests render pages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/forms/forms.h"
#include "harness/report/model.h"
#include "harness/report/testing/golden_support.h"
#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::string kAdd = "add n=1000";
const std::string kRelu = "relu pass=forward n=1000000";

Suite lacking_suite() {
  return parse_suite(R"([report]
name = "lacks"
title = "What a run may lack"
about = "Two rows of ours beside two libraries."
form = "before_after"
before = "elementwise"
after = "hwy"
peers = ["onednn", "eigen"]

[[cases]]
label = "Add"
case = "add n=1000"

[[cases]]
label = "ReLU"
case = "relu pass=forward n=1000000"

[[goals]]
that = "hwy <= 1.00 x best_peer"
on = "add"

[[goals]]
that = "bandwidth >= 90 %"
on = "relu"
)",
                     "lacks.toml", suite_forms());
}

FakeRun nothing_measured() {
  FakeRun fake("99999999-9999-4999-8999-999999999999");
  fake.facts(kAdd, {1000, 0, 12e3, 12e3, 4e3});
  fake.facts(kRelu, {1e6, 0, 8e6, 8e6, 4e6});
  return fake;
}

void add_ours(FakeRun& fake, const std::string& text, double ns) {
  fake.time({text, "elementwise", "x86-64", 1}, 20 * ns);
  fake.time({text, "hwy", "AVX2", 1}, ns);
}

void add_peers(FakeRun& fake, const std::string& text, double ns) {
  fake.time({text, "onednn", "2.6.3", 1}, 2 * ns);
  fake.time({text, "eigen", "3.4.0", 1}, 3 * ns);
}

FakeRun whole_run() {
  FakeRun fake = nothing_measured();
  add_limits(fake);
  for (const auto& [text, ns] : {std::pair(kAdd, 100.0), std::pair(kRelu, 120e3)}) {
    add_ours(fake, text, ns);
    add_peers(fake, text, ns);
  }
  return fake;
}

Json lacking_report(const RunData& run, const std::string& golden,
                    const std::optional<RunData>& previous = std::nullopt,
                    const std::optional<RunData>& limits = std::nullopt) {
  const Json report = build_report(lacking_suite(), run, previous, limits);
  expect_golden(report, "lacks/" + golden);
  return report;
}

std::string footer_of(const Json& report, const std::string& label) {
  for (const Json& item : report["footer"]) {
    if (item["label"] == label) return item["text"];
  }
  return "";
}

// What the section of slower rows says where it has none to show.
std::string of_slower_rows(const Json& report) {
  for (const Json& section : report["sections"]) {
    if (section["title"] == "What is slower, and why") return section["notes"].at(0);
  }
  return "";
}

TEST(Lacks, NothingIsAPageWithoutWarnings) {
  const Json report = build_report(lacking_suite(), whole_run().data(), std::nullopt);
  EXPECT_THAT(report["warnings"], IsEmpty());
  EXPECT_EQ(report["headline"],
            "hwy: 2 faster of 2 rows against the fastest other library of each row");
  EXPECT_EQ(of_slower_rows(report),
            "By the verdicts, no row of hwy is slower than the best other library.");
}

TEST(Lacks, Peers) {
  FakeRun fake = nothing_measured();
  add_limits(fake);
  add_ours(fake, kAdd, 100);
  add_ours(fake, kRelu, 120e3);
  const Json report = lacking_report(fake.data(), "peers");
  EXPECT_THAT(report["headline"].get<std::string>(),
              HasSubstr("2 not judged of 2 rows against the fastest other library of each row; "
                        "eigen, onednn missing (make peers)"));
  EXPECT_EQ(
      report["summary"]["goals_met"].get<int>() + report["summary"]["goals_missed"].get<int>(),
      1);  // that of the machine's bandwidth
  EXPECT_EQ(report["summary"]["goals_not_judged"], 1);
  EXPECT_EQ(
      of_slower_rows(report),
      "No row of hwy was judged against another library: eigen, onednn missing (make peers).");
}

TEST(Lacks, PeersOfSomeRows) {
  FakeRun fake = nothing_measured();
  add_ours(fake, kAdd, 100);
  add_peers(fake, kAdd, 100);
  add_ours(fake, kRelu, 120e3);
  EXPECT_EQ(of_slower_rows(build_report(lacking_suite(), fake.data(), std::nullopt)),
            "By the verdicts, no row of hwy is slower than the best other library; 1 row is not "
            "judged.");
}

TEST(Lacks, Limits) {
  FakeRun fake = nothing_measured();
  for (const auto& [text, ns] : {std::pair(kAdd, 100.0), std::pair(kRelu, 120e3)}) {
    add_ours(fake, text, ns);
    add_peers(fake, text, ns);
  }
  const Json report = lacking_report(fake.data(), "limits");
  EXPECT_THAT(footer_of(report, "Machine's limits"), StartsWith("not measured on this host"));
  EXPECT_THAT(report["head"],
              Contains("The machine's limits were not measured here: no row has a share of them "
                       "(`nsop run --suite limits`)."));
  EXPECT_EQ(report["summary"]["goals_met"], 1);
  EXPECT_EQ(report["summary"]["goals_missed"], 0);
}

TEST(Lacks, AllRowsButOne) {
  FakeRun fake = nothing_measured();
  add_limits(fake);
  add_ours(fake, kAdd, 100);
  add_peers(fake, kAdd, 100);
  RunData run = fake.data();
  run.planned.emplace(kAdd, 1);
  const Json report = lacking_report(run, "rows");
  EXPECT_THAT(report["warnings"],
              ElementsAre("1 of 2 rows of this suite were no part of this run (profile "
                          "comprehensive) and are left out"));
  EXPECT_THAT(report["headline"].get<std::string>(), StartsWith("hwy: 1 faster of 1 row against"));
}

TEST(Lacks, EveryTime) {
  FakeRun fake = nothing_measured();
  for (const std::string& text : {kAdd, kRelu}) {
    fake.fail({text, "elementwise", "x86-64", 1}, Status::kTimeout, "10 s passed");
    fake.fail({text, "hwy", "AVX2", 1}, Status::kError, "the worker was killed by signal 11");
    fake.fail({text, "onednn", "2.6.3", 1}, Status::kError, "out of memory");
    fake.fail({text, "eigen", "3.4.0", 1}, Status::kWrong, "beyond the tolerance");
  }
  const Json report = lacking_report(fake.data(), "times");
  EXPECT_THAT(report["warnings"],
              ElementsAre("no row has a time: each failed or can't be done here"));
  EXPECT_THAT(report["headline"].get<std::string>(), HasSubstr("2 without a time, of 2 rows"));
  EXPECT_THAT(report["head"], Contains("2 failed: Add; ReLU Forward."));
  EXPECT_EQ(of_slower_rows(report),
            "No row of hwy was judged against another library: 2 rows without a time.");
  EXPECT_EQ(report["summary"]["goals_met"], 0);
}

TEST(Lacks, RunsOfItsMachine) {
  const FakeRun fake = [] {
    FakeRun run = nothing_measured();
    add_ours(run, kAdd, 100);
    add_peers(run, kAdd, 100);
    return run;
  }();
  FakeRun other = whole_run();
  other.run.id = "88888888-8888-4888-8888-888888888888";
  other.host.id = other.run.host_id = std::string(64, 'b');
  other.host.cpu_model = "Another CPU";
  const Json report = lacking_report(fake.data(), "machine", other.data(), other.data());
  EXPECT_THAT(report["head"],
              Contains("The previous run (2026-01-31) is of another machine (Another CPU): nothing "
                       "is compared."));
  EXPECT_TRUE(report["limits"].is_null());
  EXPECT_THAT(footer_of(report, "Machine's limits"), StartsWith("not measured on this host"));
  for (const Json& section : report["sections"]) {
    for (const Json& table : section["tables"]) {
      for (const Json& column : table["columns"]) {
        if (column["id"] != "previous" || table["rows"].empty()) continue;
        EXPECT_EQ(cell_of(table, 0, "previous")["text"], "incomparable");
      }
    }
  }
}

TEST(Lacks, ItsEnd) {
  FakeRun fake = nothing_measured();
  add_limits(fake);
  add_ours(fake, kAdd, 100);
  add_peers(fake, kAdd, 100);
  fake.run.state = RunState::kAborted;
  RunData run = fake.data();
  run.planned = {{kAdd, 1}, {kRelu, 1}};
  const Json report = lacking_report(run, "end");
  EXPECT_THAT(report["warnings"],
              ElementsAre("the run is aborted: 1 of 2 rows not measured, others in fewer rounds"));
  // What was not reached is no library that should be installed.
  EXPECT_EQ(report["headline"],
            "hwy: 1 faster, 1 without a time, of 2 rows against the fastest other library of each "
            "row");
}

TEST(Lacks, AMeasurementOfItsOwn) {
  FakeRun fake = whole_run();
  fake.run.origin = fake.run.trust = "imported";
  const Json report = lacking_report(fake.data(), "origin");
  EXPECT_THAT(report["warnings"],
              ElementsAre("the run is imported: another program measured it, in its own way"));
}

TEST(Lacks, TrustIsSaidAtTheTop) {
  FakeRun fake = whole_run();
  fake.run.trust = "pr";
  const Json report = build_report(lacking_suite(), fake.data(), std::nullopt);
  EXPECT_THAT(report["warnings"], ElementsAre("a job that ran proposed code wrote these numbers"));
}

}  // namespace
}  // namespace nsop::report
