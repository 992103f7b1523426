#include "harness/report/gate/report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "harness/core/files.h"
#include "harness/report/gate/rows.h"
#include "harness/report/model.h"
#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

using stats::Verdict;
using testing::HasSubstr;

constexpr const char* kBase = "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432";
constexpr const char* kHead = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d";

stats::GateDecision decision(Verdict verdict, double ratio, double half, int rounds = 10) {
  stats::GateDecision d;
  d.verdict = verdict;
  d.rounds = rounds;
  d.ratio = ratio;
  d.lo = ratio * (1 - half);
  d.hi = ratio * (1 + half);
  d.alpha = 0.006;
  d.sd = half / 3;
  return d;
}

GateRowView row(const std::string& case_text, Verdict verdict, double ratio, double half) {
  GateRowView r;
  r.key = {case_text, "hwy", "AVX2", 1};
  r.source = "kernels/" + case_text.substr(0, case_text.find(' ')) + ".cpp";
  r.verdict = verdict;
  r.first = decision(verdict, ratio, half);
  r.rounds = r.first.rounds;
  r.base_wall_ns = 3.81e6;
  r.head_wall_ns = 3.81e6 * ratio;
  r.base_allocs = r.head_allocs = AllocCounts{};
  return r;
}

GateRowView failed(const std::string& case_text, const std::string& failure,
                   const std::string& note) {
  GateRowView r = row(case_text, Verdict::kWorse, 1, 0);
  r.first = {};
  r.rounds = 0;
  r.base_wall_ns = r.head_wall_ns = 0;
  r.failure = failure;
  r.note = note;
  return r;
}

GateView gate_of(std::vector<GateRowView> rows, GateState state) {
  const RunData data = FakeRun("77777777-7777-4777-8777-777777777777", "gate").data();
  GateView gate;
  gate.run = data.run;
  gate.host = data.host;
  gate.base = {"main", kBase, {data.builds.front()}};
  gate.head = {"HEAD", kHead, {data.builds.front()}};
  gate.merge_base = kBase;
  gate.state = state;
  gate.layouts = 10;
  gate.fresh_layouts = true;
  gate.command = fmt::format("nsop gate --base {} --head {} --seed 7", kBase, kHead);
  gate.rows = std::move(rows);
  return gate;
}

// Everything that a gate can find.
GateView full_gate() {
  std::vector<GateRowView> rows;
  GateRowView control = row("matmul m=64 n=64 k=64 trans=nn", Verdict::kSame, 1.001, 0.004);
  control.key.variant = "elementwise";
  control.key.target = "x86-64";
  control.control = true;
  rows.push_back(control);
  GateRowView slower = row("conv2d pass=forward in=8x64x32x32", Verdict::kWorse, 1.16, 0.015);
  slower.second = decision(Verdict::kWorse, 1.158, 0.012, 6);
  rows.push_back(slower);
  GateRowView memory = row("dense pass=forward in=256 out=10", Verdict::kWorse, 1.0, 0.008);
  memory.first.verdict = Verdict::kSame;
  memory.head_allocs->allocs_per_op = 1;
  memory.head_allocs->bytes_per_op = 1104;
  memory.allocs = stats::compare_exact(0, 1);
  memory.bytes = stats::compare_exact(0, 1104);
  memory.note = "more memory is allocated per operation";
  rows.push_back(memory);
  rows.push_back(failed("softmax rows=32 cols=1000", "error", "head: error: signal 11"));
  GateRowView lost = failed("lstm pass=forward n=8", "", "head: op lstm is unknown");
  lost.presence = GatePresence::kLost;
  rows.push_back(lost);
  GateRowView faster = row("relu pass=forward n=1000", Verdict::kBetter, 0.8, 0.01);
  faster.second = decision(Verdict::kBetter, 0.81, 0.01);
  rows.push_back(faster);
  GateRowView open = row("tanh pass=forward n=1000", Verdict::kInconclusive, 1.02, 0.05);
  open.note = "interval +/-5.0 %: needs about 80 rounds";
  rows.push_back(open);
  GateRowView same = row("sigmoid pass=forward n=1000", Verdict::kSame, 1.002, 0.01);
  same.note = "no change >= 1.3 %";
  same.key.threads = 2;
  rows.push_back(same);
  GateRowView fresh = failed("gelu pass=forward n=1000", "", "base: op gelu is unknown");
  fresh.verdict = Verdict::kNew;
  fresh.presence = GatePresence::kNew;
  rows.push_back(fresh);
  GateRowView identical =
      failed("exp n=1000", "", "kernels/elementwise/exp_log.cpp and all it needs");
  identical.verdict = Verdict::kSame;
  identical.presence = GatePresence::kIdentical;
  rows.push_back(identical);
  GateRowView meant = row("log n=1000", Verdict::kWorse, 1.05, 0.01);
  meant.second = decision(Verdict::kWorse, 1.051, 0.01);
  meant.declared = true;
  meant.note = "declared in nsop-known.toml:3: exact for denormal numbers";
  rows.push_back(meant);
  return gate_of(rows, GateState::kWorse);
}

std::string headline(const GateView& gate) {
  return build_gate_report(gate)["verdict"]["headline"];
}
std::string kind(const GateView& gate) { return build_gate_report(gate)["verdict"]["kind"]; }

TEST(GateReport, IsTheGoldenFile) {
  const std::string path = std::string(NSOP_GOLDEN_DIR) + "/gate.json";
  const std::string text = report_text(build_gate_report(full_gate()));
  if (std::getenv("NSOP_UPDATE_GOLDEN")) write_file_atomically(path, text);
  EXPECT_EQ(text, read_file(path));
}

TEST(GateReport, SaysFirstWhatToDo) {
  EXPECT_EQ(headline(full_gate()),
            "4 regressions, 1 declared regression, 1 improvement, 1 row unclear, 1 new row: action "
            "needed");
  EXPECT_EQ(kind(full_gate()), "worse");
  const GateRowView same = row("relu n=1", Verdict::kSame, 1, 0.01);
  EXPECT_EQ(headline(gate_of({same}, GateState::kPassed)), "no regression: no action needed");
  EXPECT_EQ(headline(gate_of({}, GateState::kIdentical)),
            "the machine code is identical: no action needed");
  EXPECT_EQ(kind(gate_of({same}, GateState::kVoid)), "inconclusive");
  EXPECT_THAT(headline(gate_of({same}, GateState::kUndecided)), HasSubstr("no verdict"));
  GateView aborted = gate_of({same}, GateState::kPassed);
  aborted.run.state = RunState::kAborted;
  EXPECT_THAT(headline(aborted), HasSubstr("interrupted"));
}

TEST(GateReport, ADeclaredRegressionIsShownButIsNoFailure) {
  GateRowView meant = row("log n=1000", Verdict::kWorse, 1.05, 0.01);
  meant.second = decision(Verdict::kWorse, 1.051, 0.01);
  meant.declared = true;
  meant.note = "declared in nsop-known.toml:3: meant";
  const GateView gate = gate_of({meant}, GateState::kPassed);
  EXPECT_EQ(kind(gate), "passed");
  EXPECT_EQ(headline(gate), "no regression, 1 declared regression: no action needed");
  EXPECT_EQ(gate_word(meant), "slower (declared)");
  const Json report = build_gate_report(gate);
  EXPECT_EQ(report["tests"][0]["status"], "passed");
  EXPECT_EQ(report["annotations"][0]["level"], "notice");
  EXPECT_THAT(report["counts"], HasSubstr("0 worse (of these 0 lost, 0 failed), 1 worse as decl"));
  EXPECT_TRUE(rows_of(gate, GateGroup::kWorse).empty());
  const Json& cells = report["groups"][1]["table"]["rows"][0]["cells"];
  EXPECT_EQ(cells.back()["text"],
            "declared in nsop-known.toml:3: meant; second session: +5.1 % [+4.0 %, +6.2 %]");
}

TEST(GateReport, ABaseThatFailedIsSaidFirst) {
  const GateRowView same = row("relu n=1", Verdict::kSame, 1, 0.01);
  GateRowView fixed = failed("tanh n=1", "error", "base: error: signal 11");
  fixed.verdict = Verdict::kIncomparable;
  const GateView gate = gate_of({same, fixed}, GateState::kUnjudged);
  EXPECT_EQ(kind(gate), "inconclusive");
  EXPECT_EQ(headline(gate),
            "no verdict: the base failed on 1 of 2 rows (no regression, 1 row not judged)");
  EXPECT_EQ(gate_word(fixed), "base failed");
  fixed.head_ran = false;
  EXPECT_EQ(gate_word(fixed), "fails in both");
  const Json report = build_gate_report(gate);
  EXPECT_EQ(report["annotations"][0]["level"], "warning");
  EXPECT_EQ(report["tests"][1]["status"], "skipped");
}

TEST(GateReport, AnUnequalBaseCapsTheVerdict) {
  const GateView equal =
      gate_of({row("relu n=1", Verdict::kWorse, 1.2, 0.01), row("tanh n=1", Verdict::kSame, 1, 0)},
              GateState::kWorse);
  GateView gate = equal;
  gate.merge_base = std::string(40, '0');
  EXPECT_EQ(kind(gate), "inconclusive");
  EXPECT_THAT(headline(gate), HasSubstr("the base is not the merge base (1 regression"));
  EXPECT_THAT(build_gate_report(gate)["warnings"][0], HasSubstr("--merge-base"));
  gate = equal;
  gate.head.builds[0].flags = "-O3";
  EXPECT_EQ(kind(gate), "inconclusive");
  EXPECT_THAT(headline(gate), HasSubstr("built differently"));
  EXPECT_THAT(build_gate_report(gate).dump(), HasSubstr("built DIFFERENTLY"));
}

TEST(GateReport, WhatFailsIsLostOrAllocatesIsWorseHoweverItWasBuilt) {
  const GateRowView slower = row("relu n=1", Verdict::kWorse, 1.2, 0.01);
  GateRowView lost = failed("lstm n=8", "", "head: op lstm is unknown");
  lost.presence = GatePresence::kLost;
  GateRowView memory = row("dense n=1", Verdict::kWorse, 1, 0.01);
  memory.first.verdict = Verdict::kSame;
  memory.allocs = stats::compare_exact(0, 1);
  for (const GateRowView& one : {failed("tanh n=1", "error", "head: signal 11"), lost, memory}) {
    GateView gate = gate_of({slower, one}, GateState::kWorse);
    gate.head.builds[0].flags = "-O3";
    EXPECT_EQ(kind(gate), "worse") << one.key.case_text;
    EXPECT_EQ(headline(gate),
              "2 regressions: action needed; times are in doubt: base and head were built "
              "differently");
    // Of a gate that found nothing worse, such as one where it is declared, it makes nothing worse.
    gate.state = GateState::kPassed;
    EXPECT_EQ(kind(gate), "inconclusive");
  }
}

TEST(GateReport, LinkOrdersOfASecondSessionAreToldWhereThereWasOne) {
  const auto equality = [](const GateView& gate) { return build_gate_report(gate)["equality"]; };
  GateRowView twice = row("relu n=1", Verdict::kWorse, 1.2, 0.01);
  const GateView once = gate_of({twice}, GateState::kPassed);
  EXPECT_THAT(equality(once).dump(), HasSubstr("10 link orders of each."));
  twice.second = decision(Verdict::kWorse, 1.2, 0.01);
  GateView again = gate_of({twice}, GateState::kWorse);
  EXPECT_THAT(equality(again).dump(), HasSubstr("each (10 others in the second session)."));
  again.fresh_layouts = false;
  EXPECT_THAT(equality(again).dump(), HasSubstr("10 link orders of each."));
}

TEST(GateReport, TheFalseAlarmsOfBothSessionsMultiplyWhereTheyErrIndependently) {
  GateView gate = gate_of({row("relu n=1", Verdict::kSame, 1, 0.01)}, GateState::kPassed);
  EXPECT_THAT(
      build_gate_report(gate)["rule"].dump(),
      HasSubstr("at most 0.000605 if both sessions err independently of each other (0.0110"));
  gate.policy.confirming = 1;
  EXPECT_THAT(build_gate_report(gate)["rule"].dump(), HasSubstr("at most 0.0110, even if"));
}

TEST(GateReport, NoRowIsForgottenAndFailuresComeFirst) {
  const GateView gate = full_gate();
  size_t rows = 0;
  const Json report = build_gate_report(gate);
  for (const Json& group : report["groups"]) rows += group["table"]["rows"].size();
  EXPECT_EQ(rows + rows_of(gate, GateGroup::kSame).size() + 1, gate.rows.size());
  EXPECT_EQ(report["all"]["rows"].size(), gate.rows.size());
  const GateRows worse = rows_of(gate, GateGroup::kWorse);
  EXPECT_EQ(gate_word(*worse[0]), "crashed");
  EXPECT_EQ(gate_word(*worse[1]), "lost");
  EXPECT_EQ(gate_word(*worse[2]), "slower");
  EXPECT_EQ(gate_word(*worse[3]), "more memory");
  EXPECT_FALSE(report["groups"][0]["folded"]);
}

TEST(GateReport, TestsAndAnnotationsFollowTheVerdicts) {
  const Json report = build_gate_report(full_gate());
  std::vector<std::string> statuses;
  for (const Json& test : report["tests"]) statuses.push_back(test["status"]);
  EXPECT_THAT(statuses,
              testing::ElementsAre("passed", "failure", "failure", "error", "error", "passed",
                                   "skipped", "passed", "passed", "passed", "passed"));
  EXPECT_EQ(report["annotations"].size(), 6u);
  EXPECT_EQ(report["annotations"][0]["level"], "error");
  EXPECT_EQ(report["annotations"][0]["file"], "kernels/norm/softmax.cpp");
  EXPECT_EQ(report["annotations"][4]["level"], "notice");
}

TEST(GateReport, NumbersThatAreNoneAreNoText) {
  GateRowView open = row("relu n=1", Verdict::kInconclusive, 1, 0.1);
  open.first.lo = 0;
  open.first.hi = std::numeric_limits<double>::infinity();
  const std::string text = report_text(build_gate_report(gate_of({open}, GateState::kUndecided)));
  EXPECT_THAT(text, testing::Not(HasSubstr("inf")));
  EXPECT_THAT(text, testing::Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace nsop::report
