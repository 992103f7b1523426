// What a gate says of the instructions of a row's operation, beside its time and never instead.
#pragma once

#include <optional>
#include <string>

#include "harness/judge/gate/session.h"

namespace nsop::report {

// Instructions of the head over those of the base, less one; nullopt: not both were counted.
std::optional<double> instruction_change(const judge::GateRowResult& row);

// `instructions +4.1 % (68,228 → 71,025 on AVX2)`, with the target where it isn't the row's,
// `instructions unchanged (468)`, `instructions n/a: counted on one thread only`; empty where
// nobody asked for them. A row that allocates says that the allocator's instructions are among
// them, which differ by a few from process to process.
std::string instructions_text(const judge::GateRowResult& row);

}  // namespace nsop::report
