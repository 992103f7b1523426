// What a suite file holds beside its cases: goals, reasons and thresholds.
#pragma once

#include <toml++/toml.h>

#include "harness/core/suite/suite.h"

namespace nsop {

// Each reads its tables of the file `root` into the suite, whose path and cases (and, for reasons,
// goals) are there already. Throw Error (usage) with `file:line`.
void read_goals(const toml::table& root, Suite& suite);
// Refuses a reason that names a goal which the suite lacks, or rows that no such goal speaks of.
void read_reasons(const toml::table& root, Suite& suite);
void read_thresholds(const toml::table& root, Suite& suite);

// Letters, digits and _ only.
bool is_plain_name(const std::string& name);

}  // namespace nsop
