// Steps that can tell more of a run than its time.
#pragma once

#include <map>
#include <string>

#include "harness/core/registry.h"

namespace nsop {

class MeteredStep : public Step {
 public:
  // Numbers of the latest run() by name; docs/protocol.md lists the names, units included. The same
  // names after every run.
  virtual std::map<std::string, double> metrics() const = 0;
};

}  // namespace nsop
