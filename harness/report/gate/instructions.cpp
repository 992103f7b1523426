#include "harness/report/gate/instructions.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/report/base/format.h"

namespace nsop::report {
namespace {

bool has_count(const std::optional<InstructionCounts>& counts) {
  return counts && counts->per_op > 0;
}

// The allocator's share makes some counts a mean of two.
std::string whole_text(const InstructionCounts& counts) {
  return count_text(std::round(counts.per_op));
}

bool allocates(const judge::GateRowResult& row) {
  const auto any = [](const std::optional<AllocCounts>& a) { return a && a->allocs_per_op > 0; };
  return any(row.base_allocs) || any(row.head_allocs);
}

// ` on AVX2` where that is not the row's target.
std::string target_text(const judge::GateRowResult& row) {
  const std::string& target = row.head_instructions->target;
  return target == row.row.key.target ? "" : " on " + target;
}

// Why a side has no count; empty: it has one, or nobody asked.
std::string reason_of(const std::optional<InstructionCounts>& counts) {
  return counts ? counts->reason : std::string();
}

}  // namespace

std::optional<double> instruction_change(const judge::GateRowResult& row) {
  if (!has_count(row.base_instructions) || !has_count(row.head_instructions)) return std::nullopt;
  if (row.base_instructions->target != row.head_instructions->target) return std::nullopt;
  return row.head_instructions->per_op / row.base_instructions->per_op - 1;
}

std::string instructions_text(const judge::GateRowResult& row) {
  if (!row.base_instructions && !row.head_instructions) return {};
  const bool is_new = !row.base_instructions && has_count(row.head_instructions);
  if (is_new) {
    return fmt::format("instructions {}{}", whole_text(*row.head_instructions), target_text(row));
  }
  const auto change = instruction_change(row);
  if (!change) {
    const std::string of_base = reason_of(row.base_instructions);
    std::string reason = of_base.empty() ? reason_of(row.head_instructions) : of_base;
    if (has_count(row.base_instructions) && has_count(row.head_instructions)) {
      reason = fmt::format("on {} in the base, on {} in the head", row.base_instructions->target,
                           row.head_instructions->target);
    }
    return "instructions n/a" + (reason.empty() ? "" : ": " + reason);
  }
  const std::string head = whole_text(*row.head_instructions);
  std::string more = target_text(row);
  if (allocates(row)) more += ", the allocator's among them, which vary by a few";
  if (*change == 0) return fmt::format("instructions unchanged ({}{})", head, more);
  return fmt::format("instructions {} ({} → {}{})", change_text(*change),
                     whole_text(*row.base_instructions), head, more);
}

}  // namespace nsop::report
