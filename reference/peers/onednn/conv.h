// Convolutions of any number of spatial axes as oneDNN sees them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reference/peers/onednn/onednn.h"

namespace nsop::reference::peers {

// x [n,c,spatial...], w [out,c/groups,k...] or [groups,out/groups,c/groups,k...], y [n,out,...].
struct Conv {
  Dims x, w, y;
  Dims stride, dilation, pad;  // per spatial axis; the library counts dilation from 0
  bool bias = false;
  bool mean = false;  // y is averaged over its pixels
  std::string pass;
  bool wants_data() const { return pass == "backward" || pass == "backward_data"; }
  bool wants_weights() const { return pass == "backward" || pass == "backward_weights"; }
};

// Of a case with the keys pass, in, out, k, s, p, bias, d, groups and, if `can_reduce`, reduce.
Conv conv_of(const Case& op_case, bool can_reduce);

// How the library is asked to do it.
enum class Way {
  kAny,             // its own choice of algorithm and layouts
  kDirect,          // the same without Winograd
  kWinograd,        // Winograd, its own layouts, weights transformed by the primitive
  kPackedWinograd,  // the same with weights transformed before: by a reorder, forward only
  kChannelsLast,    // activations channels last, its own layout of weights
  kPlain,           // everything in plain layout
};

// A program for the passes of `conv`, each done in the fastest of `ways`, measured at set-up.
std::unique_ptr<Program> conv_program(const Conv& conv, const StepRequest& request,
                                      const std::vector<Way>& ways, Layout layout);

// Why none of the ways can do it; empty when one can.
std::string conv_unsupported(const Conv& conv, const std::vector<Way>& ways);

}  // namespace nsop::reference::peers
