// A gate's rows as test cases (JUnit) and as annotations of a pull request.
#pragma once

#include "harness/report/gate/report.h"

namespace nsop::report {

// [{"class", "name", "status": passed|failure|error|skipped, "message", "properties": [[k, v]]}]
Json gate_tests(const GateRecord& gate);

// [{"level": error|warning|notice, "file", "title", "message"}], the worst first.
Json gate_annotations(const GateRecord& gate);

}  // namespace nsop::report
