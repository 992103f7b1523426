#include "harness/stats/gate/gate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "harness/core/tensor/random.h"
#include "harness/stats/base/distributions.h"

namespace nsop::stats {
namespace {

std::vector<PairedRound> rounds_of(const std::vector<double>& log_ratios, int clusters = 1000) {
  std::vector<PairedRound> rounds;
  for (size_t i = 0; i < log_ratios.size(); ++i) {
    rounds.push_back({log_ratios[i], static_cast<int>(i) % clusters});
  }
  return rounds;
}

// Normal values from a seed: mean, sd.
std::vector<double> normal_values(size_t count, double mean, double sd, uint64_t seed) {
  SplitMix64 generator(seed);
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) {
    const double u = std::clamp(generator.uniform(), 1e-12, 1 - 1e-12);
    values.push_back(mean + sd * normal_quantile(u));
  }
  return values;
}

// Changes at the first look, and the same once there were enough processes.
TEST(Gate, QuietRowsAreDecidedAtTheFirstLookThatMay) {
  const GateDecision same = decide_gate(rounds_of(normal_values(20, 0, 0.002, 1)), {});
  EXPECT_EQ(same.verdict, Verdict::kSame);
  EXPECT_EQ(same.rounds, 10);
  EXPECT_DOUBLE_EQ(same.alpha, 0.018) << "two looks at three statistics";
  EXPECT_TRUE(same.note.starts_with("no change >= ")) << same.note;
  const GateDecision early = decide_gate(rounds_of(normal_values(6, 0, 0.002, 1)), {});
  EXPECT_EQ(early.note, "needs 10 rounds to be called the same");
  const GateDecision worse =
      decide_gate(rounds_of(normal_values(20, std::log(1.05), 0.002, 2)), {});
  EXPECT_EQ(worse.verdict, Verdict::kWorse);
  EXPECT_NEAR(worse.change().ratio, 1.05, 0.005);
  EXPECT_LT(worse.change().lo, worse.change().ratio);
  EXPECT_GT(worse.change().hi, worse.change().ratio);
  const GateDecision better =
      decide_gate(rounds_of(normal_values(20, std::log(0.95), 0.002, 3)), {});
  EXPECT_EQ(better.verdict, Verdict::kBetter);
}

TEST(Gate, TooFewRoundsAskForMore) {
  const GateDecision d = decide_gate(rounds_of({0, 0, 0, 0, 0}), {});
  EXPECT_EQ(d.verdict, Verdict::kInconclusive);
  EXPECT_EQ(d.rounds, 0);
  EXPECT_TRUE(std::isinf(d.change().hi));
}

TEST(Gate, NoiseIsInconclusiveAndSaysWhatItWouldTake) {
  const GateDecision d = decide_gate(rounds_of(normal_values(20, 0, 0.04, 4)), {});
  EXPECT_EQ(d.verdict, Verdict::kInconclusive);
  EXPECT_EQ(d.rounds, 20);
  EXPECT_NEAR(d.alpha, 0.048, 1e-12);
  EXPECT_NE(d.note.find("more than 160 rounds would be needed"), std::string::npos) << d.note;
}

// The rounds that a note names, at the confidence of the look that takes them: they decide.
TEST(Gate, WhatItWouldTakeDecides) {
  GatePolicy policy;
  policy.looks = {{20, 0.01}};
  policy.further = {{40, 1e-6}, {400, 1e-6}};
  // As many far ones on either side, however often they are repeated.
  std::vector<double> values;
  for (const double v : normal_values(10, 0, 0.03, 9)) values.insert(values.end(), {v, -v});
  const GateDecision open = decide_gate(rounds_of(values), policy);
  ASSERT_EQ(open.verdict, Verdict::kInconclusive);
  const auto rounds_in = [](const std::string& note) {
    const size_t at = note.find("about ");
    return at == std::string::npos ? 0 : std::stoi(note.substr(at + 6));
  };
  const int needed = rounds_in(open.note);
  ASSERT_GT(needed, 20) << open.note;
  // The same spread in so many rounds: the same values again, each a round of its own.
  std::vector<double> more;
  for (int i = 0; i < needed + 20; ++i) more.push_back(values[static_cast<size_t>(i) % 20]);
  policy.looks = {{needed + 20, 1e-6}};
  policy.further.clear();
  EXPECT_EQ(decide_gate(rounds_of(more), policy).verdict, Verdict::kSame) << needed;
  policy.looks = {{20, 0.01}};
  const int fewer = rounds_in(decide_gate(rounds_of(values), policy).note);
  EXPECT_GT(fewer, 0);
  EXPECT_LT(fewer, needed) << "a look that is less sure needs fewer";
}

TEST(Gate, RoundsOfOneClusterCountOnce) {
  // Two link orders whose offsets differ by 3 %: twenty quiet rounds, but only two observations.
  std::vector<double> values;
  for (int i = 0; i < 20; ++i) values.push_back(i % 2 == 0 ? 0.03 : 0.0301);
  EXPECT_EQ(decide_gate(rounds_of(values), {}).verdict, Verdict::kWorse);
  EXPECT_EQ(decide_gate(rounds_of(values, 2), {}).verdict, Verdict::kInconclusive);
  EXPECT_EQ(gate_p_value(rounds_of(values, 2), {}), 1);
  EXPECT_LT(gate_p_value(rounds_of(values), {}), 1e-6);
}

TEST(Gate, AnIntervalThatCrossesTheMarginIsNeverTheSame) {
  // 1.5 % worse, precisely: within +/-2 %, and above 1 %.
  const GateDecision d = decide_gate(rounds_of(normal_values(6, std::log(1.015), 1e-5, 5)), {});
  EXPECT_EQ(d.verdict, Verdict::kWorse);
  const GateDecision at_margin =
      decide_gate(rounds_of(normal_values(6, std::log(1.02), 0.002, 6)), {});
  EXPECT_NE(at_margin.verdict, Verdict::kSame);
}

// Counted over 4,000 rows that changed by just the margin, either way: wrong verdicts stay below
// what lies beyond an interval on one side, half of the alpha that is spent (3 standard deviations
// of the count above it would still pass).
int wrong_at_the_margin(double worth, double sd,
                        std::vector<PairedRound> (*rounds)(const std::vector<double>&)) {
  constexpr int kCases = 4000;
  int wrong = 0;
  for (int i = 0; i < kCases; ++i) {
    const double mean = (i % 2 == 0 ? 1 : -1) * std::log1p(worth);
    const auto values = normal_values(20, mean, sd, static_cast<uint64_t>(i) * 7919 + 13);
    const Verdict v = decide_gate(rounds(values), {}).verdict;
    wrong += v == Verdict::kWorse || v == Verdict::kBetter ? 1 : 0;
  }
  EXPECT_LE(wrong, 0.008 * kCases + 3 * std::sqrt(0.008 * kCases)) << sd;
  return wrong;
}

// With noise as large as a verdict allows.
TEST(Gate, FalseVerdictsStayBelowTheAlphaSpent) {
  const auto of_fastest = [](const std::vector<double>& values) { return rounds_of(values); };
  wrong_at_the_margin(GatePolicy().worth, 0.003, of_fastest);
  for (const double sd : {0.01, 0.03}) {
    EXPECT_GT(wrong_at_the_margin(GatePolicy().worth, sd, of_fastest), 0)
        << sd << ": the count can see what it is for";
  }
}

TEST(Gate, ASecondSessionSpendsMoreOfAlphaOnTheSameLooks) {
  GatePolicy policy;
  const GatePolicy second = confirming(policy);
  ASSERT_EQ(second.looks.size(), policy.looks.size());
  ASSERT_EQ(second.further.size(), policy.further.size());
  EXPECT_EQ(second.looks[2].rounds, 20);
  EXPECT_DOUBLE_EQ(second.looks[2].alpha, 0.05);
  EXPECT_NEAR(total_alpha(policy), 0.066, 1e-12) << "of three statistics";
  EXPECT_NEAR(total_alpha(second), 0.33, 1e-12);
  policy.looks[0].alpha = 0.4;
  EXPECT_LE(confirming(policy).looks[0].alpha, 0.5);
  EXPECT_TRUE(sessions_multiply(policy));
  policy.confirming = 1;
  EXPECT_FALSE(sessions_multiply(policy));
  EXPECT_EQ(confirming(policy).looks[2].alpha, policy.looks[2].alpha);
}

// Changed by just the margin: a first session errs in one of 125 rows at most, a second one in one
// of 25 of those, and both together so rarely that 40,000 rows are needed to see it.
TEST(Gate, BothSessionsErrTogetherInTheirProductOnly) {
  constexpr int kCases = 40000;
  const double mean = std::log1p(GatePolicy().worth);
  int first = 0, both = 0;
  for (int i = 0; i < kCases; ++i) {
    const auto seed = static_cast<uint64_t>(i) * 2;
    const auto judge = [&](uint64_t session, const GatePolicy& policy) {
      return decide_gate(rounds_of(normal_values(20, mean, 0.01, seed + session)), policy).verdict;
    };
    if (judge(0, {}) != Verdict::kWorse) continue;
    ++first;
    both += judge(1, confirming({})) == Verdict::kWorse ? 1 : 0;
  }
  const double most = 0.008 * 0.04 * kCases;
  EXPECT_GT(first, 50);
  EXPECT_GT(both, 0);
  EXPECT_LE(both, most + 3 * std::sqrt(most));
}

RC_GTEST_PROP(GateProperty, SwappingTheBuildsMirrorsTheVerdict, (uint64_t seed)) {
  const double mean = 0.03 * (static_cast<double>(seed % 201) / 100 - 1);
  const auto values = normal_values(20, mean, 0.01, seed);
  std::vector<double> mirrored;
  for (const double v : values) mirrored.push_back(-v);
  const GateDecision a = decide_gate(rounds_of(values), {});
  const GateDecision b = decide_gate(rounds_of(mirrored), {});
  const auto mirror = [](Verdict v) {
    if (v == Verdict::kWorse) return Verdict::kBetter;
    return v == Verdict::kBetter ? Verdict::kWorse : v;
  };
  RC_ASSERT(b.verdict == mirror(a.verdict));
  RC_ASSERT(a.rounds == b.rounds);
  RC_ASSERT(std::abs(a.change().lo * b.change().hi - 1) < 1e-9);
}

RC_GTEST_PROP(GateProperty, MoreRoundsNeverChangeAVerdict, (uint64_t seed)) {
  const auto values = normal_values(40, 0.01, 0.01, seed);
  const GateDecision early = decide_gate(rounds_of({values.begin(), values.begin() + 20}), {});
  const GateDecision late = decide_gate(rounds_of(values), {});
  if (early.verdict != Verdict::kInconclusive) {
    RC_ASSERT(late.verdict == early.verdict);
    RC_ASSERT(late.rounds == early.rounds);
  }
}

RC_GTEST_PROP(GateProperty, ALargerEffectIsNeverLessWorse, (uint64_t seed)) {
  const auto values = normal_values(20, 0.01, 0.01, seed);
  std::vector<double> larger;
  for (const double v : values) larger.push_back(v + 0.02);
  const GateDecision a = decide_gate(rounds_of(values), {});
  const GateDecision b = decide_gate(rounds_of(larger), {});
  if (a.verdict == Verdict::kWorse) RC_ASSERT(b.verdict == Verdict::kWorse);
}

TEST(Gate, AFifthOfDisturbedRoundsWidensNothing) {
  auto values = normal_values(20, 0, 0.004, 3);
  for (const size_t i : {0, 3}) values[i] = 0.5;   // the head was disturbed
  for (const size_t i : {6, 9}) values[i] = -0.5;  // the base was
  const GateDecision d = decide_gate(rounds_of(values), {});
  EXPECT_EQ(d.verdict, Verdict::kSame);
  EXPECT_EQ(d.rounds, 20);
  for (const size_t i : {6, 9}) values[i] = 0.5;
  const GateDecision one_side = decide_gate(rounds_of(values), {});
  EXPECT_LT(one_side.change().hi, 1.02);
  EXPECT_EQ(one_side.verdict, Verdict::kInconclusive) << "or the head is slow in some processes";
}

TEST(Discoveries, ControlTheFalseDiscoveryRate) {
  // The example of Benjamini & Hochberg 1995, table 1 (their section 4): four rejections at 0.05.
  const std::vector<double> p = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0};
  const std::vector<bool> found = discoveries(p, 0.05);
  EXPECT_EQ(std::count(found.begin(), found.end(), true), 4);
  EXPECT_TRUE(found[0] && found[3]);
  EXPECT_FALSE(found[4]);
  EXPECT_TRUE(discoveries({}, 0.05).empty());
}

// Rounds whose fastest repetitions are the same, with the mean over the fastest as given.
std::vector<PairedRound> with_excess(const std::vector<double>& log_excess) {
  std::vector<PairedRound> rounds = rounds_of(normal_values(log_excess.size(), 0, 0.002, 7));
  for (size_t i = 0; i < rounds.size(); ++i) rounds[i].log_excess = log_excess[i];
  return rounds;
}

TEST(GateExcess, AMeanThatRisesAloneIsWorse) {
  const GateDecision d = decide_gate(with_excess(normal_values(20, std::log(1.5), 0.05, 8)), {});
  EXPECT_EQ(d.verdict, Verdict::kWorse);
  EXPECT_EQ(d.by, Statistic::kExcess);
  EXPECT_NEAR(d.change().ratio, 1.5, 0.1);
  EXPECT_NEAR(d.of(Statistic::kFastest).ratio, 1, 0.01);
  EXPECT_TRUE(
      d.note.starts_with("of the mean repetition over the fastest; the fastest repetition: "))
      << d.note;
  EXPECT_LT(gate_p_value(with_excess(normal_values(20, std::log(1.5), 0.05, 8)), {}), 1e-4);
  const GateDecision better =
      decide_gate(with_excess(normal_values(20, -std::log(1.5), 0.05, 8)), {});
  EXPECT_EQ(better.verdict, Verdict::kBetter);
}

TEST(GateExcess, AMeanThatIsNotKnownToStayIsNotTheSame) {
  const GateDecision wide = decide_gate(with_excess(normal_values(20, 0.05, 0.3, 9)), {});
  EXPECT_EQ(wide.verdict, Verdict::kInconclusive);
  EXPECT_TRUE(wide.note.starts_with("the fastest repetitions are the same, the mean repetition"))
      << wide.note;
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> few(20, unknown);
  few[3] = few[4] = 0;
  const GateDecision blind = decide_gate(with_excess(few), {});
  EXPECT_EQ(blind.verdict, Verdict::kInconclusive);
  EXPECT_TRUE(blind.note.starts_with("only the fastest repetitions tell")) << blind.note;
  std::fill(few.begin(), few.begin() + 6, 0.0);
  EXPECT_EQ(decide_gate(with_excess(few), {}).verdict, Verdict::kSame);
}

TEST(GateExcess, SaysWhatCouldHideInTheMean) {
  const GateDecision d = decide_gate(with_excess(normal_values(20, 0, 0.01, 10)), {});
  ASSERT_EQ(d.verdict, Verdict::kSame);
  EXPECT_NE(d.note.find(", of the mean repetition >= "), std::string::npos) << d.note;
}

TEST(GateExcess, TwoStatisticsThatContradictDecideNothing) {
  std::vector<PairedRound> rounds = rounds_of(normal_values(20, std::log(1.05), 0.002, 11));
  for (PairedRound& r : rounds) r.log_excess = -std::log(1.05);
  const GateDecision d = decide_gate(rounds, {});
  EXPECT_EQ(d.verdict, Verdict::kInconclusive);
  EXPECT_TRUE(d.note.starts_with("the fastest repetition: +5.")) << d.note;
}

// Four of twenty processes a third slower: a trimmed mean doesn't see them.
TEST(GateExcess, SlowProcessesOnOneSideAreNotTheSame) {
  std::vector<double> values = normal_values(20, 0, 0.002, 12);
  for (const size_t i : {3, 7, 11, 18}) values[i] += 0.3;
  const GateDecision d = decide_gate(rounds_of(values), {});
  EXPECT_EQ(d.verdict, Verdict::kInconclusive);
  EXPECT_TRUE(d.note.starts_with("a few processes lie far from the others")) << d.note;
  values[11] -= 0.6;  // noise strikes both sides
  EXPECT_EQ(decide_gate(rounds_of(values), {}).verdict, Verdict::kSame);
  std::vector<double> ten = normal_values(10, 0, 0.002, 12);
  ten[4] += 0.3;
  EXPECT_EQ(decide_gate(rounds_of(ten), {}).verdict, Verdict::kInconclusive);
}

TEST(GateExcess, APolicyWithoutItJudgesAsBefore) {
  GatePolicy before;
  before.excess_worth = before.excess_same = 0;
  before.first_worth = before.first_same = 0;
  before.same_rounds = 0;
  const GateDecision d = decide_gate(with_excess(normal_values(20, 0.4, 0.05, 8)), before);
  EXPECT_EQ(d.verdict, Verdict::kSame);
  EXPECT_EQ(d.rounds, 6);
  EXPECT_DOUBLE_EQ(d.alpha, 0.002);
}

// Rounds of equal repetitions, whose first operations differ so.
std::vector<PairedRound> with_firsts(const std::vector<double>& log_firsts) {
  std::vector<PairedRound> rounds = with_excess(std::vector<double>(log_firsts.size(), 0.0));
  for (size_t i = 0; i < rounds.size(); ++i) rounds[i].log_first = log_firsts[i];
  return rounds;
}

// Processes whose first operation takes longer, and whose repetitions don't.
TEST(GateFirst, ASlowerBeginningIsNotTheSame) {
  std::vector<PairedRound> rounds = with_firsts(normal_values(20, std::log(2), 0.1, 13));
  const GateDecision slow = decide_gate(rounds, {});
  EXPECT_EQ(slow.verdict, Verdict::kWorse);
  EXPECT_EQ(slow.by, Statistic::kFirst);
  EXPECT_NEAR(slow.change().ratio, 2, 0.3);
  EXPECT_TRUE(slow.note.starts_with("of the first operation of a process; the fastest rep"))
      << slow.note;
  rounds = with_firsts(normal_values(20, 0, 3, 14));
  const GateDecision open = decide_gate(rounds, {});
  EXPECT_EQ(open.verdict, Verdict::kInconclusive);
  EXPECT_NE(open.note.find("the first operation of a process may not be: "), std::string::npos)
      << open.note;
  for (PairedRound& r : rounds) r.log_first = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(decide_gate(rounds, {}).verdict, Verdict::kSame) << "what isn't known says nothing";
}

// Rounds whose first operations are delayed in every second process of the base, and in the
// processes of the head after those; the head's by `log_change` besides.
std::vector<PairedRound> with_delayed_firsts(double log_change) {
  constexpr double kDelay = 3;
  std::vector<PairedRound> rounds = with_excess(std::vector<double>(20, 0.0));
  const auto base = normal_values(20, 10, 0.1, 21), head = normal_values(20, 10, 0.1, 22);
  for (size_t i = 0; i < rounds.size(); ++i) {
    rounds[i].log_base_first = base[i] + (i % 2 == 0 ? kDelay : 0);
    const double of_head = head[i] + log_change + (i / 2 % 2 == 0 ? kDelay : 0);
    rounds[i].log_first = of_head - rounds[i].log_base_first;
  }
  return rounds;
}

TEST(GateFirst, WhereManyAreDelayedTheQuickestTell) {
  const GateDecision same = decide_gate(with_delayed_firsts(0), {});
  EXPECT_EQ(same.verdict, Verdict::kSame) << same.note;
  EXPECT_NE(same.note.find("of the quickest first operations >= "), std::string::npos) << same.note;
  EXPECT_LT(same.of(Statistic::kFirst).hi, 2);
  const GateDecision slower = decide_gate(with_delayed_firsts(std::log(4)), {});
  EXPECT_NE(slower.verdict, Verdict::kSame) << slower.note;
  GatePolicy before;
  before.quickest_firsts = false;
  EXPECT_EQ(decide_gate(with_delayed_firsts(0), before).verdict, Verdict::kInconclusive);
}

TEST(GateFirst, WithinTheMarginButSurelySlowerIsNotTheSame) {
  const auto rounds = with_firsts(normal_values(10, std::log(1.5), 0.3, 23));
  const GateDecision d = decide_gate(rounds, {});
  EXPECT_EQ(d.verdict, Verdict::kInconclusive);
  EXPECT_LT(d.of(Statistic::kFirst).hi, 3) << "within the margin";
  EXPECT_NE(d.note.find("the first operation of a process may not be: "), std::string::npos)
      << d.note;
  GatePolicy before;
  before.quickest_firsts = false;
  EXPECT_EQ(decide_gate(rounds, before).verdict, Verdict::kSame);
}

TEST(GateFirst, WhatIsDelayedOnOneSideAloneIsNotTheSame) {
  std::vector<PairedRound> rounds = with_delayed_firsts(0);
  for (size_t i = 0; i < rounds.size(); i += 2) {  // no longer the base
    rounds[i].log_base_first -= 3;
    rounds[i].log_first += 3;
  }
  EXPECT_EQ(decide_gate(rounds, {}).verdict, Verdict::kInconclusive);
}

// The mean's change at its margin, and the fastest repetition unchanged.
TEST(GateExcess, FalseVerdictsStayBelowTheAlphaSpent) {
  for (const double sd : {0.01, 0.05}) {
    EXPECT_GT(wrong_at_the_margin(GatePolicy().excess_worth, sd, with_excess), 0)
        << sd << ": the count can see what it is for";
  }
}

}  // namespace
}  // namespace nsop::stats
