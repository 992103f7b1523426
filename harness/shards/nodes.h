// Do the nodes of one kind agree? Told by rows of frozen code that every shard measures.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/core/sample.h"
#include "harness/stats/comparison.h"

namespace nsop::shards {

// What the nodes measured of the control rows, by the name of the node.
using ControlsByNode = std::map<std::string, std::vector<Invocation>>;

struct NodeCheck {
  // Nodes whose controls differ from those of all others together by more than the margin, worst
  // first, with the reason. Found only among three nodes or more.
  std::map<std::string, std::string> aside;
  // What can't be decided: two nodes that differ. Empty: nothing.
  std::string doubt;
};

// `facts` of the controls' cases. A row that a node didn't finish says nothing of it.
NodeCheck check_nodes(ControlsByNode controls, const std::map<std::string, CaseFacts>& facts,
                      const Host& host, const stats::Policy& policy);

}  // namespace nsop::shards
