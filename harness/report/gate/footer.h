// What a gate's report says of machine, method and trust in itself.
#pragma once

#include <string>

#include "harness/report/gate/report.h"

namespace nsop::report {

Json gate_footer(const GateRecord& gate);  // [{"label", "text"}]

// The rule in a sentence, and how many false alarms it lets through.
std::string gate_rule_text(const GateRecord& gate);

}  // namespace nsop::report
