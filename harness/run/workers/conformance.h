// Does a worker speak the protocol? What `nsop verify` asks before it looks at results.
#pragma once

#include <string>
#include <vector>

#include "harness/run/workers/worker_client.h"

namespace nsop::run {

struct Conformance {
  int checks = 0;
  std::vector<std::string> problems;  // empty: it conforms
  bool unsupported = false;           // it can't run the row: ask again with another one
};

// Asks for what a worker must answer and for what it must refuse. `row` is one that it should be
// able to run, with its inputs; nothing is timed.
Conformance check_conformance(const WorkerCommand& worker, const RowKey& row,
                              const std::vector<std::string>& inputs, const std::string& scratch);

}  // namespace nsop::run
