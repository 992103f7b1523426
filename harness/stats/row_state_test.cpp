#include "harness/stats/row_state.h"

#include <gtest/gtest.h>

namespace nsop::stats {
namespace {

// A counting pass that also counted instructions.
Invocation counting_pass(const InstructionCounts& instructions, Status status = Status::kOk) {
  Invocation i;
  i.phase = Phase::kCount;
  i.row = {"relu pass=forward n=1000 range=-3:3", "hwy", "AVX2", 1};
  i.status = status;
  i.allocs.emplace();
  i.instructions = instructions;
  return i;
}

RowSummary state_of(const std::vector<Invocation>& invocations) {
  Group group;
  for (const Invocation& one : invocations) group.push_back(&one);
  RowSummary summary;
  add_row_state(group, timed_invocations(group), summary);
  return summary;
}

const InstructionCounts kNotCounted{0, "", "", "valgrind is not installed"};

InstructionCounts of_instructions(double count) { return {count, "callgrind-3.19.0", "AVX2", ""}; }

TEST(RowState, InstructionsAreTheLargestCountOfPassesThatWereOk) {
  Invocation silent = counting_pass(kNotCounted);
  silent.instructions.reset();
  EXPECT_FALSE(state_of({silent}).instructions);
  const RowSummary row = state_of(
      {counting_pass(of_instructions(467)), counting_pass(of_instructions(469)),
       counting_pass(of_instructions(468)), counting_pass(of_instructions(999), Status::kError)});
  ASSERT_TRUE(row.instructions);
  EXPECT_EQ(row.instructions->per_op, 469);
  EXPECT_EQ(row.instructions->counted_by, "callgrind-3.19.0");
}

TEST(RowState, WhyInstructionsWereNotCountedIsKeptUntilTheyAre) {
  EXPECT_EQ(state_of({counting_pass(kNotCounted)}).instructions->reason,
            "valgrind is not installed");
  for (const auto& passes :
       {std::vector{counting_pass(kNotCounted), counting_pass(of_instructions(467))},
        std::vector{counting_pass(of_instructions(467)), counting_pass(kNotCounted)}}) {
    const RowSummary row = state_of(passes);
    EXPECT_EQ(row.instructions->per_op, 467);
    EXPECT_EQ(row.instructions->reason, "");
  }
}

}  // namespace
}  // namespace nsop::stats
