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
  d.intervals[0] = {ratio, ratio * (1 - half), ratio * (1 + half)};
  d.alpha = 0.006;
  d.sd = half / 3;
  return d;
}

judge::GateRowResult row(const std::string& case_text, Verdict verdict, double ratio, double half) {
  judge::GateRowResult r;
  r.row.key = {case_text, "hwy", "AVX2", 1};
  r.row.source = "kernels/" + case_text.substr(0, case_text.find(' ')) + ".cpp";
  r.verdict = verdict;
  r.first.decision = decision(verdict, ratio, half);
  r.first.rounds.resize(static_cast<size_t>(r.first.decision.rounds));
  r.first.base_wall_ns = {3.81e6};
  r.first.head_wall_ns = {3.81e6 * ratio};
  r.base_allocs = r.head_allocs = AllocCounts{};
  return r;
}

judge::GateRowResult confirmed(judge::GateRowResult r, const stats::GateDecision& second) {
  r.second.emplace();
  r.second->decision = second;
  return r;
}

// Of what has no times, and the reason why.
judge::GateRowResult untimed(const std::string& case_text, Verdict verdict, judge::RowKind kind,
                             const std::string& note) {
  judge::GateRowResult r = row(case_text, verdict, 1, 0);
  r.first = {};
  r.row.kind = kind;
  r.note = note;
  return r;
}

enum class Failed { kInBase, kInHead, kInBoth };

judge::GateRowResult failed(const std::string& case_text, Failed arm, const std::string& reason) {
  const Verdict verdict = arm == Failed::kInHead ? Verdict::kWorse : Verdict::kIncomparable;
  judge::GateRowResult r = untimed(case_text, verdict, judge::RowKind::kBoth, reason);
  if (arm != Failed::kInHead) r.first.base = Status::kError;
  if (arm != Failed::kInBase) r.first.head = Status::kError;
  r.first.reason = reason;
  return r;
}

judge::GateRowResult declared(judge::GateRowResult r, const std::string& where) {
  r.is_declared = true;
  r.note = r.row.declared = where;
  return r;
}

GateRecord gate_of(std::vector<judge::GateRowResult> rows) {
  const RunData data = FakeRun("77777777-7777-4777-8777-777777777777", "gate").data();
  GateRecord gate;
  gate.run = data.run;
  gate.host = data.host;
  gate.plan.base = {"main", kBase, {}};
  gate.plan.head = {"HEAD", kHead, {}};
  gate.base_builds = gate.head_builds = {data.builds.front()};
  gate.plan.merge_base = kBase;
  gate.plan.layouts = 10;
  gate.plan.fresh_layouts = true;
  gate.plan.command = fmt::format("nsop gate --base {} --head {} --seed 7", kBase, kHead);
  gate.result.rows = std::move(rows);
  return gate;
}

// Everything that a gate can find.
GateRecord full_gate() {
  std::vector<judge::GateRowResult> rows;
  judge::GateRowResult control =
      row("matmul m=64 n=64 k=64 trans=nn", Verdict::kSame, 1.001, 0.004);
  control.row.key.variant = "elementwise";
  control.row.key.target = "x86-64";
  control.row.canary = true;
  rows.push_back(control);
  rows.push_back(confirmed(row("conv2d pass=forward in=8x64x32x32", Verdict::kWorse, 1.16, 0.015),
                           decision(Verdict::kWorse, 1.158, 0.012, 6)));
  judge::GateRowResult memory =
      row("dense pass=forward in=256 out=10", Verdict::kWorse, 1.0, 0.008);
  memory.first.decision.verdict = Verdict::kSame;
  memory.head_allocs->allocs_per_op = 1;
  memory.head_allocs->bytes_per_op = 1104;
  memory.allocs = stats::compare_exact(0, 1);
  memory.bytes = stats::compare_exact(0, 1104);
  memory.note = "more memory is allocated per operation";
  rows.push_back(memory);
  rows.push_back(failed("softmax rows=32 cols=1000", Failed::kInHead, "head: error: signal 11"));
  rows.push_back(untimed("lstm pass=forward n=8", Verdict::kWorse, judge::RowKind::kLost,
                         "head: op lstm is unknown"));
  rows.push_back(confirmed(row("relu pass=forward n=1000", Verdict::kBetter, 0.8, 0.01),
                           decision(Verdict::kBetter, 0.81, 0.01)));
  judge::GateRowResult open = row("tanh pass=forward n=1000", Verdict::kInconclusive, 1.02, 0.05);
  open.note = "interval +/-5.0 %: needs about 80 rounds";
  rows.push_back(open);
  judge::GateRowResult same = row("sigmoid pass=forward n=1000", Verdict::kSame, 1.002, 0.01);
  same.note = "no change >= 1.3 %";
  same.row.key.threads = 2;
  rows.push_back(same);
  rows.push_back(untimed("gelu pass=forward n=1000", Verdict::kNew, judge::RowKind::kNew,
                         "base: op gelu is unknown"));
  rows.push_back(untimed("exp n=1000", Verdict::kSame, judge::RowKind::kIdentical,
                         "kernels/exp_log.cpp and all it needs"));
  rows.push_back(declared(confirmed(row("log n=1000", Verdict::kWorse, 1.05, 0.01),
                                    decision(Verdict::kWorse, 1.051, 0.01)),
                          "declared in nsop-known.toml:3: exact for denormal numbers"));
  return gate_of(rows);
}

std::string headline(const GateRecord& gate) {
  return build_gate_report(gate)["verdict"]["headline"];
}
std::string kind(const GateRecord& gate) { return build_gate_report(gate)["verdict"]["kind"]; }

TEST(GateReport, IsTheGoldenFile) {
  const std::string path = std::string(NSOP_GOLDEN_DIR) + "/gate.json";
  const std::string text = report_text(build_gate_report(full_gate()));
  if (std::getenv("NSOP_UPDATE_GOLDEN")) write_file_atomically(path, text);
  EXPECT_EQ(text, read_file(path));
}

TEST(GateReport, SaysFirstWhatToDo) {
  EXPECT_EQ(
      headline(full_gate()),
      "4 regressions, 1 declared regression, 1 improvement, 1 row inconclusive, 1 new row: action "
      "needed");
  EXPECT_EQ(kind(full_gate()), "worse");
  const judge::GateRowResult same = row("relu n=1", Verdict::kSame, 1, 0.01);
  EXPECT_EQ(headline(gate_of({same})), "no regression: no action needed");
  GateRecord identical = gate_of({});
  identical.plan.identical = true;
  EXPECT_EQ(headline(identical), "the machine code is identical: no action needed");
  EXPECT_EQ(kind(identical), "passed");
  identical.result.rows = {failed("relu n=1", Failed::kInHead, "head: error: signal 11")};
  EXPECT_EQ(kind(identical), "worse") << "a file that says identical of what crashed";
  EXPECT_EQ(kind(gate_of({})), "error") << "a plan without rows";
  EXPECT_EQ(headline(gate_of({})), "no verdict: the plan has no row");
  GateRecord disturbed = gate_of({same});
  disturbed.result.void_reason = "the control row moved";
  EXPECT_EQ(kind(disturbed), "inconclusive");
  EXPECT_THAT(headline(disturbed), HasSubstr("the machine changed while it was measuring"));
  const judge::GateRowResult open = row("tanh n=1", Verdict::kInconclusive, 1, 0.05);
  EXPECT_EQ(headline(gate_of({open})), "no verdict: 1 of 1 timed rows inconclusive");
  GateRecord aborted = gate_of({same});
  aborted.run.state = RunState::kAborted;
  EXPECT_THAT(headline(aborted), HasSubstr("interrupted"));
}

// Two times that the machine was not equally fast for don't contradict the verdict unexplained.
TEST(GateReport, TheCostIsThatOfTheChangeAndTimesThatSayOtherwiseAreExplained) {
  const auto text_of = [](double base_ns, double head_ns) {
    judge::GateRowResult one = confirmed(row("conv2d n=1", Verdict::kWorse, 1.044, 0.01),
                                         decision(Verdict::kWorse, 1.05, 0.01));
    one.first.base_wall_ns = {base_ns};
    one.first.head_wall_ns = {head_ns};
    return build_gate_report(gate_of({one})).dump();
  };
  constexpr const char* kWhy = "medians over rounds of unequal speed";
  EXPECT_THAT(text_of(1.25e6, 1.14e6), testing::AllOf(HasSubstr("+55.0 µs"), HasSubstr(kWhy)));
  EXPECT_THAT(text_of(1.25e6, 1.24e6), HasSubstr(kWhy));
  EXPECT_THAT(text_of(1.25e6, 1.5e6), HasSubstr(kWhy));
  EXPECT_THAT(text_of(1.25e6, 1.31e6),
              testing::AllOf(HasSubstr("+55.0 µs"), testing::Not(HasSubstr(kWhy))));
}

TEST(GateReport, ASlowerRowShowsTimesThatAreAndSaysWhichNumberDecides) {
  judge::GateRowResult one = confirmed(row("conv2d n=1", Verdict::kWorse, 1.044, 0.01),
                                       decision(Verdict::kWorse, 1.05, 0.01));
  one.first.base_wall_ns = {1.25e6, 1.01e6, 1.41e6};
  one.first.head_wall_ns = {1.14e6, 1.0545e6, 1.12e6};
  const Json report = build_gate_report(gate_of({one}));
  const Json& cells = report["groups"][0]["table"]["rows"][0]["cells"];
  EXPECT_EQ(cells[3]["text"], "1.01 ms → 1.05 ms");
  EXPECT_EQ(cells[5]["text"], "+44.4 µs");
  EXPECT_THAT(cells.back()["text"].get<std::string>(),
              testing::AllOf(HasSubstr("the change decides"),
                             HasSubstr("rounds of unequal speed are 1.25 ms and 1.12 ms")));
}

TEST(GateReport, ADeclaredRegressionIsShownButIsNoFailure) {
  const judge::GateRowResult meant =
      declared(confirmed(row("log n=1000", Verdict::kWorse, 1.05, 0.01),
                         decision(Verdict::kWorse, 1.051, 0.01)),
               "declared in nsop-known.toml:3: meant");
  const GateRecord gate = gate_of({meant});
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
  const judge::GateRowResult same = row("relu n=1", Verdict::kSame, 1, 0.01);
  const judge::GateRowResult fixed = failed("tanh n=1", Failed::kInBase, "base: error: signal 11");
  const GateRecord gate = gate_of({same, fixed});
  EXPECT_EQ(kind(gate), "inconclusive");
  EXPECT_EQ(headline(gate),
            "no verdict: the base failed on 1 of 2 rows (no regression, 1 row not judged)");
  EXPECT_EQ(gate_word(fixed), "base failed");
  EXPECT_EQ(gate_word(failed("tanh n=1", Failed::kInBoth, "base: error: signal 11")),
            "fails in both");
  const Json report = build_gate_report(gate);
  EXPECT_EQ(report["annotations"][0]["level"], "warning");
  EXPECT_EQ(report["tests"][1]["status"], "skipped");
}

TEST(GateReport, AnUnequalBaseCapsTheVerdict) {
  const GateRecord equal =
      gate_of({row("relu n=1", Verdict::kWorse, 1.2, 0.01), row("tanh n=1", Verdict::kSame, 1, 0)});
  GateRecord gate = equal;
  gate.plan.merge_base = std::string(40, '0');
  EXPECT_EQ(kind(gate), "inconclusive");
  EXPECT_THAT(headline(gate), HasSubstr("the base is not the merge base (1 regression"));
  EXPECT_THAT(build_gate_report(gate)["warnings"][0], HasSubstr("--merge-base"));
  gate = equal;
  gate.head_builds[0].flags = "-O3";
  EXPECT_EQ(kind(gate), "inconclusive");
  EXPECT_THAT(headline(gate), HasSubstr("built differently"));
  EXPECT_THAT(build_gate_report(gate).dump(), HasSubstr("built DIFFERENTLY"));
}

TEST(GateReport, WhatFailsIsLostOrAllocatesIsWorseHoweverItWasBuilt) {
  const judge::GateRowResult slower = row("relu n=1", Verdict::kWorse, 1.2, 0.01);
  const judge::GateRowResult lost =
      untimed("lstm n=8", Verdict::kWorse, judge::RowKind::kLost, "head: op lstm is unknown");
  judge::GateRowResult memory = row("dense n=1", Verdict::kWorse, 1, 0.01);
  memory.first.decision.verdict = Verdict::kSame;
  memory.allocs = stats::compare_exact(0, 1);
  for (const judge::GateRowResult& one :
       {failed("tanh n=1", Failed::kInHead, "head: signal 11"), lost, memory}) {
    GateRecord gate = gate_of({slower, one});
    gate.head_builds[0].flags = "-O3";
    EXPECT_EQ(kind(gate), "worse") << one.row.key.case_text;
    EXPECT_EQ(headline(gate),
              "2 regressions: action needed; times are in doubt: base and head were built "
              "differently");
    // Of a gate that found nothing worse, such as one where it is declared, it makes nothing worse.
    for (judge::GateRowResult& r : gate.result.rows) r.is_declared = true;
    EXPECT_EQ(kind(gate), "inconclusive");
  }
}

TEST(GateReport, LinkOrdersOfASecondSessionAreToldWhereThereWasOne) {
  const auto equality = [](const GateRecord& gate) { return build_gate_report(gate)["equality"]; };
  judge::GateRowResult twice = row("relu n=1", Verdict::kWorse, 1.2, 0.01);
  const GateRecord once = gate_of({twice});
  EXPECT_THAT(equality(once).dump(), HasSubstr("10 link orders of each."));
  twice = confirmed(twice, decision(Verdict::kWorse, 1.2, 0.01));
  GateRecord again = gate_of({twice});
  EXPECT_THAT(equality(again).dump(), HasSubstr("each (10 others in the second session)."));
  again.plan.fresh_layouts = false;
  EXPECT_THAT(equality(again).dump(), HasSubstr("10 link orders of each."));
}

TEST(GateReport, TheFalseAlarmsOfBothSessionsMultiplyWhereTheyErrIndependently) {
  GateRecord gate = gate_of({row("relu n=1", Verdict::kSame, 1, 0.01)});
  EXPECT_THAT(
      build_gate_report(gate)["rule"].dump(),
      HasSubstr("at most 0.00545 if both sessions err independently of each other (0.0330"));
  gate.plan.policy.confirming = 1;
  EXPECT_THAT(build_gate_report(gate)["rule"].dump(), HasSubstr("at most 0.0330, even if"));
}

TEST(GateReport, NoRowIsForgottenAndFailuresComeFirst) {
  const GateRecord gate = full_gate();
  size_t rows = 0;
  const Json report = build_gate_report(gate);
  for (const Json& group : report["groups"]) rows += group["table"]["rows"].size();
  EXPECT_EQ(rows + rows_of(gate, GateGroup::kSame).size() + 1, gate.result.rows.size());
  EXPECT_EQ(report["all"]["rows"].size(), gate.result.rows.size());
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
  EXPECT_EQ(report["annotations"][0]["file"], "kernels/softmax.cpp");
  EXPECT_EQ(report["annotations"][4]["level"], "notice");
}

TEST(GateReport, NumbersThatAreNoneAreNoText) {
  judge::GateRowResult open = row("relu n=1", Verdict::kInconclusive, 1, 0.1);
  open.first.decision.intervals[0] = {1, 0, std::numeric_limits<double>::infinity()};
  const std::string text = report_text(build_gate_report(gate_of({open})));
  EXPECT_THAT(text, testing::Not(HasSubstr("inf")));
  EXPECT_THAT(text, testing::Not(HasSubstr("nan")));
}

TEST(GateReport, EndsAsItsVerdictSaysAndIsRefusedForAnotherHead) {
  EXPECT_EQ(exit_of_gate(build_gate_report(full_gate())), ExitCode::kFailed);
  EXPECT_EQ(exit_of_gate(build_gate_report(gate_of({}))), ExitCode::kOk);
  GateRecord gate = full_gate();
  must_have_head(gate, kHead);
  const auto refusal = [&](const std::string& message) {
    EXPECT_THAT([&] { must_have_head(gate, kBase); },
                testing::ThrowsMessage<Error>(HasSubstr(message + std::string(kBase))));
  };
  refusal(std::string("gate 77777777 measured head ") + kHead + ", expected ");
  gate.plan.head.commit.clear();
  refusal("gate 77777777 measured head unknown, expected ");
}

TEST(GateReport, ATableHasEightColumnsAndOneOfThemIsMemory) {
  GateRecord gate = gate_of({row("relu n=1", Verdict::kWorse, 1.1, 0.01)});
  const auto table = [&] { return build_gate_report(gate)["groups"][0]["table"]; };
  EXPECT_EQ(table()["columns"].size(), 7u) << "no row allocates";
  const auto memory = [&](const AllocCounts& base, const AllocCounts& head) {
    gate.result.rows[0].base_allocs = base;
    gate.result.rows[0].head_allocs = head;
    const Json found = table();
    EXPECT_EQ(found["columns"].size(), 8u);
    EXPECT_EQ(found["columns"][6]["label"], "allocs/op (B/op)");
    return found["rows"][0]["cells"][6]["text"].get<std::string>();
  };
  AllocCounts none, one, more;
  one.allocs_per_op = more.allocs_per_op = 1;
  one.bytes_per_op = 64;
  more.bytes_per_op = 1104;
  EXPECT_EQ(memory(none, more), "0 → 1 (0 → 1,104 B)");
  EXPECT_EQ(memory(one, more), "1 (64 → 1,104 B)");
  EXPECT_EQ(memory(one, one), "1 (64 B)");
}

TEST(GateReport, ExplainsTheTargetThatOnlyHighwayCallsSo) {
  const auto explained = [](const std::string& target) {
    judge::GateRowResult one = row("relu n=1", Verdict::kSame, 1, 0.01);
    one.row.key.target = target;
    const Json report = build_gate_report(gate_of({one}));
    return std::ranges::any_of(report["footer"], [](const Json& item) {
      return item["label"] == "Targets" && item["text"] == "AVX3 is Highway's name for AVX-512";
    });
  };
  EXPECT_TRUE(explained("AVX3"));
  EXPECT_TRUE(explained("AVX3_ZEN4"));
  EXPECT_FALSE(explained("AVX2"));
}

}  // namespace
}  // namespace nsop::report
