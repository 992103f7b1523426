// The passes of ops with weights.
#pragma once

#include <string>

namespace nsop::reference {

struct Passes {
  std::string pass;  // forward, backward, backward_data, backward_weights

  bool forward() const { return pass == "forward"; }
  bool wants_data() const { return pass == "backward" || pass == "backward_data"; }
  bool wants_weights() const { return pass == "backward" || pass == "backward_weights"; }
};

}  // namespace nsop::reference
