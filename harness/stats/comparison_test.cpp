#include "harness/stats/comparison.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "harness/stats/decide.h"
#include "harness/stats/testing/rows_support.h"

namespace nsop::stats {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const Policy kExact{.tau = 0};

Verdict opposite(Verdict verdict) {
  if (verdict == Verdict::kBetter) return Verdict::kWorse;
  return verdict == Verdict::kWorse ? Verdict::kBetter : verdict;
}

bool near(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

// Times around a common level, so that every verdict occurs.
std::vector<double> some_times(size_t fewest) {
  const int level = *rc::gen::element(1000, 1010, 1100, 2000);
  const int spread = *rc::gen::element(1, 10, 100, 1000);
  const size_t n = *rc::gen::inRange<size_t>(fewest, 25);
  const auto noise = *rc::gen::container<std::vector<int>>(n, rc::gen::inRange(0, spread));
  std::vector<double> values;
  for (const int v : noise) values.push_back(level + v);
  return values;
}

using Compare = Comparison (*)(const RowSummary&, const RowSummary&, Bound, const Policy&);

Compare some_comparison() { return *rc::gen::element<Compare>(compare_paired, compare_unpaired); }

Policy some_policy() { return {.tau = *rc::gen::element(0.0, 0.001, 0.005, 0.03)}; }

Bound some_bound() { return *rc::gen::element(Bound::kCore, Bound::kCache, Bound::kDram); }

TEST(CompareUnpaired, Verdicts) {
  const RowSummary base = row_of({100, 100.1, 99.9, 100, 100.2, 99.8, 100});
  const auto verdict = [&](double factor) {
    return compare_unpaired(base, scaled(base, factor), Bound::kCore, {}).verdict;
  };
  EXPECT_EQ(verdict(1), Verdict::kSame);
  EXPECT_EQ(verdict(1.1), Verdict::kWorse);
  EXPECT_EQ(verdict(1 / 1.1), Verdict::kBetter);
  EXPECT_EQ(verdict(1.03), Verdict::kInconclusive);
  EXPECT_EQ(verdict(1 / 1.03), Verdict::kInconclusive);
  const Comparison same = compare_unpaired(base, base, Bound::kCore, {});
  EXPECT_THAT(same.note, StartsWith("no change >= 1.9 %"));  // z(0.995) sqrt(2) 0.5 % and a little
  EXPECT_EQ(same.margin, 0.03);
  EXPECT_FALSE(same.paired);
}

TEST(CompareUnpaired, TauDominatesOnASharedHost) {
  const RowSummary base = row_of({100, 100, 100, 100, 100, 100.1});
  const Comparison c = compare_unpaired(base, base, Bound::kCore, {.tau = 0.03});
  EXPECT_EQ(c.verdict, Verdict::kInconclusive);
  EXPECT_EQ(c.note,
            "interval +/-11.6 % is wider than the margin 3 %: between-run noise tau 3 % alone is "
            "too much; "
            "compare in one session");
  EXPECT_EQ(compare_unpaired(base, base, Bound::kDram, {.tau = 0.03}).verdict, Verdict::kSame);
}

TEST(CompareUnpaired, SaysHowManyInvocationsAreMissing) {
  const RowSummary base = row_of({100, 105, 95, 102, 98, 103, 97, 100});
  const Comparison c = compare_unpaired(base, base, Bound::kCore, kExact);
  EXPECT_EQ(c.verdict, Verdict::kInconclusive);
  EXPECT_THAT(c.note, HasSubstr("is wider than the margin 3 %: needs about"));
  EXPECT_THAT(c.note, HasSubstr("more invocations on each side"));
  const Comparison edge = compare_unpaired(base, scaled(base, 1.03), Bound::kCore, kExact);
  EXPECT_THAT(edge.note, HasSubstr("too close to the margin"));
}

// Of n values, so many more bring a half width down to the margin: n (half / margin)^2 - n.
TEST(Decide, CountsWhatIsMissing) {
  const double limit = std::log1p(0.03);
  const auto note = [&](double more) {
    const Estimate e = {.log_ratio = 0, .sampling = limit * std::sqrt(1 + more / 10), .count = 10};
    return decide(e, 0.03, 0, {"round", "rounds"}).note;
  };
  EXPECT_THAT(note(0.5), EndsWith(": needs about 1 more round"));
  EXPECT_THAT(note(1.5), EndsWith(": needs about 2 more rounds"));
}

// Such an interval is no ground to say how many more it takes.
TEST(Decide, FarTooWideIntervalsTellNothingOfWhatIsMissing) {
  const Estimate e = {.log_ratio = std::log(5.3), .sampling = std::log(5.4), .count = 6};
  EXPECT_EQ(decide(e, 0.06, 0, {"round", "rounds"}).note,
            "the interval spans a factor of 5.4 to either side: far too noisy to tell");
}

TEST(CompareUnpaired, TooFewValuesHaveNoInterval) {
  const Comparison c = compare_unpaired(row_of({100}), row_of({200, 201}), Bound::kCore, {});
  EXPECT_EQ(c.verdict, Verdict::kInconclusive);
  EXPECT_EQ(c.note, "needs at least 2 invocations on each side");
  EXPECT_EQ(c.ratio, 2.005);
  EXPECT_EQ(c.lo, 0);
  EXPECT_TRUE(std::isinf(c.hi));
}

TEST(Compare, FailedRowsAreIncomparable) {
  RowSummary bad = row_of({100, 100});
  bad.status = Status::kWrong;
  bad.reason = "output 0";
  for (const Compare compare : {compare_paired, compare_unpaired}) {
    const Comparison c = compare(row_of({1, 2}), bad, Bound::kCore, {});
    EXPECT_EQ(c.verdict, Verdict::kIncomparable);
    EXPECT_EQ(c.note, "after is wrong: output 0");
    EXPECT_EQ(compare(bad, row_of({1, 2}), Bound::kCore, {}).note, "before is wrong: output 0");
    EXPECT_EQ(compare(RowSummary{}, row_of({1, 2}), Bound::kCore, {}).note, "before has no time");
  }
}

TEST(ComparePaired, CommonNoiseCancels) {
  const RowSummary before = row_of({100, 130, 90, 200, 101, 99, 150, 100});
  const RowSummary after = scaled(before, 1.05);
  const Comparison paired = compare_paired(before, after, Bound::kCore, {});
  EXPECT_EQ(paired.verdict, Verdict::kWorse);
  EXPECT_NEAR(paired.ratio, 1.05, 1e-12);
  EXPECT_TRUE(paired.paired);
  EXPECT_EQ(compare_unpaired(before, after, Bound::kCore, {}).verdict, Verdict::kInconclusive);
}

TEST(ComparePaired, UsesOnlySharedRounds) {
  RowSummary before = row_of({100, 100, 100, 100, 100, 100, 1000});
  RowSummary after = row_of({100, 100, 100, 100, 100, 100, 1});
  after.verdict_rounds.back() = 99;
  EXPECT_EQ(compare_paired(before, after, Bound::kCore, {}).verdict, Verdict::kSame);
  after.verdict_rounds = {90, 91, 92, 93, 94, 5, 99};
  const Comparison c = compare_paired(before, after, Bound::kCore, {});
  EXPECT_EQ(c.verdict, Verdict::kInconclusive);
  EXPECT_EQ(c.note, "1 shared rounds, at least 6 are needed");
}

TEST(ComparePaired, FiveRoundsAreTooFew) {
  const RowSummary before = row_of({100, 100, 100, 100, 100});
  const Comparison c = compare_paired(before, scaled(before, 2), Bound::kCore, {});
  EXPECT_EQ(c.verdict, Verdict::kInconclusive);
  EXPECT_NEAR(c.ratio, 2, 1e-12);
}

// ABBA: two values of a round count as one.
TEST(ComparePaired, AveragesWithinARound) {
  const RowSummary before = row_of({100, 100, 100, 100, 100, 100});
  RowSummary after = row_of({100, 100, 100, 100, 100, 50, 200});
  after.verdict_rounds = {0, 1, 2, 3, 4, 5, 5};
  const Comparison c = compare_paired(before, after, Bound::kCore, {});
  EXPECT_NEAR(c.ratio, 1, 1e-12);
  EXPECT_EQ(c.verdict, Verdict::kSame);
}

TEST(CompareExact, IsExact) {
  EXPECT_EQ(compare_exact(2, 2).verdict, Verdict::kSame);
  EXPECT_EQ(compare_exact(2, 1).verdict, Verdict::kBetter);
  EXPECT_EQ(compare_exact(1, 2).verdict, Verdict::kWorse);
  EXPECT_EQ(compare_exact(1, 2).lo, 2);
  EXPECT_EQ(compare_exact(1, 2).hi, 2);
  EXPECT_EQ(compare_exact(1, 0).ratio, 0);
  EXPECT_EQ(compare_exact(0, 0).ratio, 1);
  EXPECT_EQ(compare_exact(0, 1).verdict, Verdict::kWorse);
  EXPECT_TRUE(std::isinf(compare_exact(0, 1).ratio));
}

RC_GTEST_PROP(Compare, SwappingTheSidesInvertsTheAnswer, ()) {
  const RowSummary a = row_of(some_times(2)), b = row_of(some_times(2));
  const Compare compare = some_comparison();
  const Policy policy = some_policy();
  const Bound bound = some_bound();
  const Comparison there = compare(a, b, bound, policy), back = compare(b, a, bound, policy);
  RC_ASSERT(back.verdict == opposite(there.verdict));
  RC_ASSERT(near(back.ratio, 1 / there.ratio));
  RC_ASSERT(near(back.lo, 1 / there.hi));
  RC_ASSERT(near(back.hi, 1 / there.lo));
}

RC_GTEST_PROP(Compare, UnitsDoNotMatter, ()) {
  const RowSummary a = row_of(some_times(2)), b = row_of(some_times(2));
  const Compare compare = some_comparison();
  const double factor = *rc::gen::element(1e-6, 1e-3, 1024.0, 1e6);
  const Comparison c = compare(a, b, Bound::kCore, {});
  const Comparison d = compare(scaled(a, factor), scaled(b, factor), Bound::kCore, {});
  RC_ASSERT(near(d.ratio, c.ratio));
  RC_ASSERT(std::abs(std::log(d.hi / c.hi)) < 1e-9);
  RC_ASSERT(std::abs(std::log(d.lo / c.lo)) < 1e-9);
}

RC_GTEST_PROP(Compare, ASlowerSideIsNeverLessWorse, ()) {
  const RowSummary a = row_of(some_times(2)), b = row_of(some_times(2));
  const Compare compare = some_comparison();
  const Policy policy = some_policy();
  const double factor = 1 + *rc::gen::inRange(0, 500) / 1e3;
  const Comparison c = compare(a, b, Bound::kCore, policy);
  const Comparison d = compare(a, scaled(b, factor), Bound::kCore, policy);
  RC_ASSERT(near(d.ratio, c.ratio * factor));
  RC_ASSERT(d.lo >= c.lo * (1 - 1e-12));
  RC_ASSERT(d.hi >= c.hi * (1 - 1e-12));
  if (c.verdict == Verdict::kWorse) RC_ASSERT(d.verdict == Verdict::kWorse);
  if (c.verdict != Verdict::kBetter) RC_ASSERT(d.verdict != Verdict::kBetter);
}

RC_GTEST_PROP(Compare, OrderOfInvocationsDoesNotMatter, ()) {
  const auto times = some_times(6), others = some_times(6);
  RowSummary a = row_of(times);
  const RowSummary b = row_of(others);
  const Compare compare = some_comparison();
  const Comparison c = compare(a, b, Bound::kCore, {});
  std::reverse(a.verdict_values.begin(), a.verdict_values.end());
  std::reverse(a.verdict_rounds.begin(), a.verdict_rounds.end());
  const Comparison d = compare(a, b, Bound::kCore, {});
  RC_ASSERT(d.ratio == c.ratio);
  RC_ASSERT(d.lo == c.lo);
  RC_ASSERT(d.hi == c.hi);
  RC_ASSERT(d.note == c.note);
}

RC_GTEST_PROP(Compare, TauOnlyWidens, ()) {
  const RowSummary a = row_of(some_times(2)), b = row_of(some_times(2));
  const double tau = *rc::gen::inRange(0, 100) / 1e3;
  const double more = tau + *rc::gen::inRange(1, 100) / 1e3;
  const Comparison narrow = compare_unpaired(a, b, Bound::kCore, {.tau = tau});
  const Comparison wide = compare_unpaired(a, b, Bound::kCore, {.tau = more});
  RC_ASSERT(wide.ratio == narrow.ratio);
  RC_ASSERT(wide.hi >= narrow.hi);
  RC_ASSERT(wide.lo <= narrow.lo);
}

RC_GTEST_PROP(Compare, ConfidenceOnlyWidens, ()) {
  const RowSummary a = row_of(some_times(6)), b = row_of(some_times(6));
  const Compare compare = some_comparison();
  const Comparison narrow = compare(a, b, Bound::kCore, {.confidence = 0.9});
  const Comparison wide = compare(a, b, Bound::kCore, {.confidence = 0.999});
  RC_ASSERT(wide.hi >= narrow.hi);
  RC_ASSERT(wide.lo <= narrow.lo);
}

// The three decided verdicts are exactly what the interval says about the margin.
RC_GTEST_PROP(Compare, VerdictFollowsFromIntervalAndMargin, ()) {
  const RowSummary a = row_of(some_times(6)), b = row_of(some_times(6));
  const Comparison c = some_comparison()(a, b, some_bound(), some_policy());
  const double top = 1 + c.margin, bottom = 1 / top;
  RC_CLASSIFY(c.verdict == Verdict::kSame, "same");
  RC_CLASSIFY(c.verdict == Verdict::kInconclusive, "inconclusive");
  RC_ASSERT(c.lo <= c.ratio);
  RC_ASSERT(c.ratio <= c.hi);
  RC_ASSERT(c.margin > 0);
  RC_ASSERT((c.verdict == Verdict::kWorse) == (c.lo > top));
  RC_ASSERT((c.verdict == Verdict::kBetter) == (c.hi < bottom));
  RC_ASSERT((c.verdict == Verdict::kSame) == (c.lo > bottom && c.hi < top));
  RC_ASSERT(!c.note.empty() ||
            (c.verdict != Verdict::kSame && c.verdict != Verdict::kInconclusive));
}

TEST(Policy, TauByKindOfHost) {
  Host host;
  Conditions quiet;
  quiet.allowed_cpus = {0, 1};
  EXPECT_EQ(default_policy(host, quiet).tau, 0.005);
  Conditions busy = quiet;
  busy.load1 = 2;
  EXPECT_EQ(default_policy(host, busy).tau, 0.03);
  busy = quiet;
  busy.steal_percent = 1;
  EXPECT_EQ(default_policy(host, busy).tau, 0.03);
  host.hypervisor = "QEMU";
  EXPECT_EQ(default_policy(host, quiet).tau, 0.03);
}

TEST(Policy, OfTwoRunsIsTheNoisierOnes) {
  Policy quiet, busy;
  quiet.tau = 0.005;
  busy.tau = 0.03;
  EXPECT_EQ(noisier(quiet, busy).tau, 0.03);
  EXPECT_EQ(noisier(busy, quiet).tau, 0.03);
}

TEST(Policy, FloorsByBound) {
  EXPECT_EQ(margin_of(Bound::kCore, {}), 0.03);
  EXPECT_EQ(margin_of(Bound::kCache, {}), 0.06);
  EXPECT_EQ(margin_of(Bound::kDram, {}), 0.25);
}

TEST(Bound, ByIntensityThenByWorkingSet) {
  Host host;
  host.cache_bytes = {{"L1d", 32 << 10}, {"L2", 1 << 20}, {"L3", 32 << 20}};
  EXPECT_EQ(classify_bound(8e6, 1e6, 1e9, host), Bound::kCore);
  EXPECT_EQ(classify_bound(7e6, 1e6, 1e6, host), Bound::kCache);
  EXPECT_EQ(classify_bound(1e6, 8e6, 32 << 20, host), Bound::kCache);
  EXPECT_EQ(classify_bound(1e6, 8e6, 1e9, host), Bound::kDram);
  EXPECT_EQ(classify_bound(0, 0, 1e3, host), Bound::kCache);
  EXPECT_EQ(classify_bound(1e3, 8e3, 8e3, Host{}), Bound::kDram);  // unknown: raise no alarm
}

TEST(Verdict, Texts) {
  EXPECT_EQ(verdict_text(Verdict::kBetter), "better");
  EXPECT_EQ(verdict_text(Verdict::kIncomparable), "incomparable");
  EXPECT_EQ(verdict_text(Verdict::kMissing), "missing");
}

}  // namespace
}  // namespace nsop::stats
