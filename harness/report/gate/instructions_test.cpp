#include "harness/report/gate/instructions.h"

#include <gtest/gtest.h>

namespace nsop::report {
namespace {

InstructionCounts counted(double per_op) { return {per_op, "callgrind-3.19.0", "AVX2", ""}; }
InstructionCounts uncounted(const std::string& reason) { return {0, "", "", reason}; }

judge::GateRowResult row(const InstructionCounts& base, const InstructionCounts& head) {
  judge::GateRowResult r;
  r.row.key = {"relu n=1000", "hwy", "AVX2", 1};
  r.base_instructions = base;
  r.head_instructions = head;
  return r;
}

TEST(Instructions, ARowThatNobodyAskedAboutSaysNothing) {
  EXPECT_EQ(instructions_text({}), "");
  EXPECT_FALSE(instruction_change({}));
}

TEST(Instructions, TheChangeStandsWithBothCounts) {
  EXPECT_EQ(instructions_text(row(counted(68228), counted(71025))),
            "instructions +4.1 % (68,228 → 71,025)");
  EXPECT_EQ(instructions_text(row(counted(500), counted(468))), "instructions -6.4 % (500 → 468)");
  EXPECT_DOUBLE_EQ(*instruction_change(row(counted(500), counted(450))), -0.1);
}

TEST(Instructions, EqualCountsAreUnchanged) {
  EXPECT_EQ(instructions_text(row(counted(468), counted(468))), "instructions unchanged (468)");
}

TEST(Instructions, AnotherTargetThanTheRowsIsNamed) {
  judge::GateRowResult r = row(counted(468), counted(468));
  r.row.key.target = "AVX3";
  EXPECT_EQ(instructions_text(r), "instructions unchanged (468 on AVX2)");
  r.head_instructions->per_op = 500;
  EXPECT_EQ(instructions_text(r), "instructions +6.8 % (468 → 500 on AVX2)");
  r.head_instructions->target = "SSE4";
  EXPECT_EQ(instructions_text(r), "instructions n/a: on AVX2 in the base, on SSE4 in the head");
  EXPECT_FALSE(instruction_change(r));
}

TEST(Instructions, ARowThatAllocatesSaysWhoseInstructionsVary) {
  judge::GateRowResult r = row(counted(12316), counted(12318.5));
  r.head_allocs = AllocCounts{};
  EXPECT_EQ(instructions_text(r), "instructions 0.0 % (12,316 → 12,319)");
  r.head_allocs->allocs_per_op = 1;
  EXPECT_EQ(instructions_text(r),
            "instructions 0.0 % (12,316 → 12,319, the allocator's among them, which vary by a "
            "few)");
}

TEST(Instructions, ASideWithoutACountGivesItsReason) {
  EXPECT_EQ(instructions_text(row(uncounted("counted on one thread only"), counted(468))),
            "instructions n/a: counted on one thread only");
  EXPECT_EQ(instructions_text(row(counted(468), uncounted("it was stripped"))),
            "instructions n/a: it was stripped");
  judge::GateRowResult fresh;
  fresh.head_instructions = counted(468);
  fresh.row.key.target = "AVX2";
  EXPECT_EQ(instructions_text(fresh), "instructions 468");
  EXPECT_FALSE(instruction_change(fresh));
}

}  // namespace
}  // namespace nsop::report
