// From a judged gate to the report of a pull request: JSON of schema `nsop.gate-report/1`, which
// nsop_report renders to Markdown, JUnit XML and annotations.
#pragma once

#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/io/json.h"
#include "harness/core/sample.h"
#include "harness/judge/gate/session.h"
#include "harness/judge/gate/stored.h"

namespace nsop::report {

// A stored gate with its verdicts.
struct GateRecord {
  Run run;
  Host host;
  judge::GatePlan plan;
  judge::GateResult result;
  // Builds that were measured, one per link order: an imported run carries no others.
  std::vector<Build> base_builds{}, head_builds{};
};

// One sentence about the machine before the gate; empty when it was not looked at.
std::string probe_text(const judge::HostProbe& probe);

// Throws Error (bad data), which names both, for a gate of another head commit.
void must_have_head(const GateRecord& gate, const std::string& commit);

// Pure: equal arguments give equal JSON.
Json build_gate_report(const GateRecord& gate);

// kFailed where such a report's verdict is that a row is worse, else kOk.
ExitCode exit_of_gate(const Json& report);

}  // namespace nsop::report
