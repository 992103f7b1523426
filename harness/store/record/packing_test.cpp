#include "harness/store/record/packing.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/store/testing/generators_support.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::store {
namespace {

// As a table keeps it, without others before.
PackedInvocation packed_alone(const InvocationRecord& record, const Invocation& columns) {
  Shapes shapes;
  try {
    const StatedInvocation stated = read_record(record);
    return packed(record, &stated, columns, shapes);
  } catch (const Error&) {
    return packed(record, nullptr, columns, shapes);
  }
}

using test::example_invocation;
using test::outcome;

Shape shape_in(const PackedInvocation& one) {
  return one.shape.empty() ? Shape{} : read_shape(one.shape);
}

// The differential test: whatever an invocation says, its record comes back to the byte, and the
// short way reads what the long one does.
RC_GTEST_PROP(Packing, GivesTheRecordBack, ()) {
  const Invocation one = test::any_invocation("run", "build", 0);
  const InvocationRecord record = pack(one);
  const PackedInvocation kept = packed_alone(record, unpack(record));
  RC_ASSERT(unpacked(kept, shape_in(kept)) == record);
  RC_ASSERT(to_json(invocation_of(kept, shape_in(kept))) == to_json(unpack(record)));
}

// A record that somebody changed is kept as it is: only its hashes may say that it is wrong.
RC_GTEST_PROP(Packing, GivesAChangedRecordBack, ()) {
  const Invocation one = test::any_invocation("run", "build", 0);
  InvocationRecord record = pack(one);
  std::string& text = *rc::gen::element(0, 1) == 0 ? record.body : record.samples;
  const auto at = static_cast<size_t>(*rc::gen::inRange<int>(1, static_cast<int>(text.size())));
  text[at] = *rc::gen::element('0', '7', 'x', '"', ',', ' ', ']');
  const PackedInvocation kept = packed_alone(record, one);
  RC_ASSERT(unpacked(kept, shape_in(kept)) == record);
}

TEST(Packing, InvocationsThatDifferInTimesShareAShape) {
  const InvocationRecord a = pack(example_invocation("run", 0));
  const InvocationRecord b = pack(example_invocation("run", 5));
  const PackedInvocation first = packed_alone(a, unpack(a)), second = packed_alone(b, unpack(b));
  EXPECT_EQ(first.shape, second.shape);
  EXPECT_EQ(first.body, "");
  EXPECT_EQ(first.samples, "[3,1000,[2000,1,1],[-10,-1,-1],-10,0,1,0]");
}

TEST(Packing, WhatIsNotWhatThisVersionWritesIsKeptWhole) {
  const Invocation one = example_invocation("run", 0);
  const InvocationRecord record = pack(one);
  std::vector<InvocationRecord> others(4, record);
  others[0].samples.clear();  // pruned
  others[1].samples = R"({"iterations":[1.5],"wall_ns":[2]})";
  others[2].body.insert(others[2].body.size() - 1, R"(,"of_a_newer_version":1)");
  others[3].body = "{no json";
  for (const InvocationRecord& other : others) {
    const PackedInvocation kept = packed_alone(other, one);
    EXPECT_EQ(kept.shape, "");
    EXPECT_EQ(unpacked(kept, {}).body, other.body);
    EXPECT_EQ(unpacked(kept, {}).samples, other.samples);
  }
  Invocation of_other_columns = one;
  of_other_columns.slot = 7;
  EXPECT_EQ(packed_alone(record, of_other_columns).shape, "");
}

// A field that a later version adds in the middle is part of the shape.
TEST(Packing, ANewFieldOfTheMiddleIsPartOfTheShape) {
  const Invocation one = example_invocation("run", 0);
  InvocationRecord record = pack(one);
  const std::string at = R"(,"workspace_bytes")";
  record.body.insert(record.body.find(at), R"(,"governor":"performance")");
  const PackedInvocation kept = packed_alone(record, one);
  EXPECT_NE(kept.shape.find("governor"), std::string::npos);
  EXPECT_EQ(unpacked(kept, read_shape(kept.shape)), record);
}

TEST(Packing, SamplesOfMeteredStepsStayWhole) {
  Invocation one = example_invocation("run", 0);
  for (Repetition& r : one.repetitions) r.metrics = {{"episodes", 3}};
  const InvocationRecord record = pack(one);
  const PackedInvocation kept = packed_alone(record, one);
  EXPECT_EQ(kept.samples, record.samples);
  EXPECT_NE(kept.shape, "");
  EXPECT_EQ(unpacked(kept, read_shape(kept.shape)), record);
}

TEST(Packing, PackedSamplesThatCantBeReadSaySo) {
  for (const char* bad : {"[", "[]", "[1,2,3]", "[2,1,[5],0,0,0,0,0]", "[0,1,1,1,1,1,1,1]",
                          "[1,1.5,1,1,1,1,1,1]", "[-1,1,1,1,1,1,1,1]", "[99999999,1,1,1,1,1,1,1]",
                          "[1,\"x\",1,1,1,1,1,1]", "[1,0,1,1,1,1,1,1]", "[1,1,0,0,0,0,0,0]",
                          "[2,1,[9223372036854775807,9223372036854775807],0,0,0,0,0]"}) {
    EXPECT_EQ(outcome([&] { unpacked_samples(bad); }).code, ExitCode::kBadData) << bad;
  }
}

TEST(Packing, ExtremesSurvive) {
  constexpr int64_t kMost = 1'000'000'000'000'000;
  const std::string samples =
      pack_samples({{1, kMost, 0, kMost, 0, 0, 0}, {1, 1, kMost, 0, kMost, 5, 5}});
  EXPECT_NE(packed_samples(samples), samples);
  EXPECT_EQ(unpacked_samples(packed_samples(samples)), samples);
}

}  // namespace
}  // namespace nsop::store
