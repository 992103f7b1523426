// How far the float32 results of recurrent cells may be from the exact ones.
#pragma once

#include <vector>

#include "reference/recurrent/recurrent.h"

namespace nsop::reference {

// The values of weights and biases, if x and the states have the values `values`.
Uniform recurrent_weights(const RecurrentShape& s, Uniform values);

// One per output of the op.
std::vector<Tolerance> recurrent_tolerances(const RecurrentShape& s, const Cell& cell,
                                            Uniform values);

}  // namespace nsop::reference
