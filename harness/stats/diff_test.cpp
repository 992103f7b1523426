#include <gmock/gmock.h>

#include "harness/stats/comparison.h"
#include "harness/stats/testing/rows_support.h"

namespace nsop::stats {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::vector<double> kTimes = {100, 100.1, 99.9, 100, 100.2, 99.8};

RowSummary row(const std::string& variant, double factor = 1, double allocs = 0) {
  RowSummary r = scaled(row_of(kTimes), factor);
  r.row.variant = variant;
  r.build_id = "b";
  r.inputs_sha256 = "inputs";
  r.allocs = AllocCounts{};
  r.allocs->allocs_per_op = allocs;
  r.allocs->bytes_per_op = 64 * allocs;
  return r;
}

RowSummary failed_row(const std::string& variant, Status status, const std::string& reason) {
  RowSummary r;
  r.row = row(variant).row;
  r.status = status;
  r.reason = reason;
  return r;
}

Host host(const std::string& id = "h") {
  Host h;
  h.id = id;
  h.cpu_model = "CPU of " + id;
  h.cache_bytes = {{"L2", 1 << 20}};
  return h;
}

Diff diff_of(const std::vector<RowSummary>& before, const std::vector<RowSummary>& after,
             const std::map<std::string, Build>& builds = {}) {
  return diff(before, after, {}, host(), host(), {}, builds);
}

DiffRow only(const RowSummary& before, const RowSummary& after) {
  const Diff d = diff_of({before}, {after});
  EXPECT_THAT(d.rows, SizeIs(1));
  return d.rows.at(0);
}

TEST(Diff, JoinsByKeyAndListsTheRest) {
  const Diff d = diff_of({row("b"), row("gone")}, {row("new"), row("b", 1.5), row("also new")});
  std::vector<std::string> lines;
  for (const DiffRow& r : d.rows) lines.push_back(r.row.variant + " " + verdict_text(r.overall));
  EXPECT_THAT(lines, ElementsAre("also new new", "b worse", "gone missing", "new new"));
  EXPECT_TRUE(d.comparable);
  EXPECT_THAT(d.notes, IsEmpty());
  EXPECT_TRUE(d.rows[2].before && !d.rows[2].after);
  EXPECT_EQ(d.rows[2].time.verdict, Verdict::kMissing);
  EXPECT_THAT(diff_of({}, {}).rows, IsEmpty());
}

TEST(Diff, OverallIsTheWorst) {
  EXPECT_EQ(only(row("v"), row("v")).overall, Verdict::kSame);
  EXPECT_EQ(only(row("v"), row("v", 0.5)).overall, Verdict::kBetter);
  EXPECT_EQ(only(row("v", 1, 5), row("v")).overall, Verdict::kBetter);
  const DiffRow more = only(row("v"), row("v", 0.5, 1));
  EXPECT_EQ(more.time.verdict, Verdict::kBetter);
  EXPECT_EQ(more.allocs->verdict, Verdict::kWorse);
  EXPECT_EQ(more.bytes->verdict, Verdict::kWorse);
  EXPECT_EQ(more.overall, Verdict::kWorse);
  EXPECT_EQ(only(row("v", 1, 5), row("v", 1.06)).overall, Verdict::kInconclusive);
}

TEST(Diff, UncountedAllocationsAreNotCompared) {
  RowSummary uncounted = row("v");
  uncounted.allocs.reset();
  const DiffRow r = only(row("v"), uncounted);
  EXPECT_FALSE(r.allocs || r.bytes);
  EXPECT_EQ(r.overall, Verdict::kSame);
}

TEST(Diff, UnsteadyCountsDecideNothing) {
  RowSummary unsteady = row("v", 1, 2);
  unsteady.allocs->steady = false;
  EXPECT_EQ(only(row("v", 1, 1), unsteady).overall, Verdict::kInconclusive);
  EXPECT_EQ(only(row("v", 1, 2), unsteady).overall, Verdict::kSame);
}

TEST(Diff, LosingAResultIsWorse) {
  const DiffRow lost = only(row("v"), failed_row("v", Status::kError, "signal 11"));
  EXPECT_EQ(lost.overall, Verdict::kWorse);
  EXPECT_EQ(lost.time.note, "after is error: signal 11");
  const DiffRow gained = only(failed_row("v", Status::kTimeout, "30 s"), row("v"));
  EXPECT_EQ(gained.overall, Verdict::kNew);
  EXPECT_EQ(gained.time.note, "before is timeout: 30 s");
}

TEST(Diff, NoResultOnEitherSide) {
  const RowSummary unsupported = failed_row("v", Status::kUnsupported, "k=4");
  const RowSummary wrong = failed_row("v", Status::kWrong, "");
  EXPECT_EQ(only(unsupported, unsupported).overall, Verdict::kSame);
  EXPECT_EQ(only(wrong, wrong).overall, Verdict::kIncomparable);
  EXPECT_EQ(only(wrong, unsupported).time.note, "before is wrong; after is unsupported: k=4");
}

TEST(Diff, OtherInputsAreIncomparableInEverything) {
  RowSummary other = row("v", 2, 7);
  other.inputs_sha256 = "others";
  const DiffRow r = only(row("v"), other);
  EXPECT_EQ(r.overall, Verdict::kIncomparable);
  EXPECT_FALSE(r.allocs);
  EXPECT_EQ(r.time.note, "the two sides had different inputs");
  other.inputs_sha256.clear();  // unknown: an imported run
  EXPECT_EQ(only(row("v"), other).overall, Verdict::kWorse);
}

TEST(Diff, AnotherHostComparesOnlyExactMetrics) {
  const Diff d = diff({row("a"), row("b"), row("c"), row("d")},
                      {row("a", 2), row("b", 1, 1), failed_row("c", Status::kTimeout, "30 s"),
                       failed_row("d", Status::kWrong, "output 0")},
                      {}, host("one"), host("two"), {});
  EXPECT_FALSE(d.comparable);
  ASSERT_THAT(d.rows, SizeIs(4));
  EXPECT_EQ(d.rows[0].time.verdict, Verdict::kIncomparable);
  EXPECT_EQ(d.rows[0].allocs->verdict, Verdict::kSame);
  EXPECT_EQ(d.rows[0].overall, Verdict::kIncomparable);
  EXPECT_EQ(d.rows[1].overall, Verdict::kWorse);         // allocations are exact everywhere
  EXPECT_EQ(d.rows[2].overall, Verdict::kIncomparable);  // a slower machine may time out
  EXPECT_EQ(d.rows[3].overall, Verdict::kWorse);
  EXPECT_THAT(d.notes, ElementsAre(HasSubstr("CPU of one and CPU of two")));
}

TEST(Diff, AnotherBuildTypeIsIncomparable) {
  RowSummary debug = row("v", 3), peer = row("peer");
  debug.build_id = "d";
  peer.build_id = "p";
  std::map<std::string, Build> builds;
  builds["b"].build_type = "Release";
  builds["d"].build_type = "Debug";
  const Diff d = diff_of({row("v"), peer}, {debug, peer}, builds);
  EXPECT_FALSE(d.comparable);
  EXPECT_EQ(d.rows[0].overall, Verdict::kSame);  // the peer, whose build says nothing of a type
  EXPECT_EQ(d.rows[1].overall, Verdict::kIncomparable);
  EXPECT_EQ(d.rows[1].allocs->verdict, Verdict::kSame);
  EXPECT_EQ(d.rows[1].time.note, "built as Release, then as Debug");
  EXPECT_THAT(d.notes, ElementsAre(HasSubstr("1 rows were built as Release, then as Debug")));
}

TEST(Diff, AnotherToolchainIsSaid) {
  RowSummary other = row("v", 1.5);
  other.build_id = "n";
  std::map<std::string, Build> builds;
  builds["b"].compiler = builds["n"].compiler = "gcc 12";
  builds["b"].flags = "-O2";
  builds["n"].flags = "-O3";
  Diff d = diff_of({row("v")}, {other}, builds);
  EXPECT_EQ(d.rows.at(0).overall, Verdict::kWorse);
  EXPECT_THAT(d.notes, ElementsAre("1 rows were compiled as gcc 12 (-O2), then as gcc 12 (-O3): a "
                                   "change may come from that"));
  EXPECT_TRUE(d.comparable);
  builds["n"].flags = "-O2";
  EXPECT_THAT(diff_of({row("v")}, {other}, builds).notes, IsEmpty());
}

TEST(Diff, MarginsFollowTheFacts) {
  const std::string text = row("v").row.case_text;
  const auto margin = [&](const std::map<std::string, CaseFacts>& facts) {
    return diff({row("v")}, {row("v")}, facts, host(), host(), {}).rows.at(0).time.margin;
  };
  EXPECT_EQ(margin({}), 0.06);
  EXPECT_EQ(margin({{text, {.flops = 1e6, .macs = 0, .bytes = 1e3, .working_set_bytes = 1e3}}}),
            0.03);
  EXPECT_EQ(margin({{text, {.flops = 1e6, .macs = 0, .bytes = 8e6, .working_set_bytes = 8e6}}}),
            0.25);
}

TEST(Diff, ARowsOwnTauCountsForItAlone) {
  Policy policy{.tau = 0.001};
  policy.row_tau[row("wild").row] = {0.05, 20};
  const Diff d = diff({row("quiet"), row("wild")}, {row("quiet", 1.1), row("wild", 1.1)}, {},
                      host(), host(), policy);
  EXPECT_EQ(d.rows.at(0).time.verdict, Verdict::kWorse);
  EXPECT_EQ(d.rows.at(1).time.verdict, Verdict::kInconclusive);
  EXPECT_THAT(d.rows[1].time.note, HasSubstr("tau 5 %"));
}

}  // namespace
}  // namespace nsop::stats
