// Operands that are broadcast to the shape n of a result as NumPy does it: shapes are aligned at
// their last dimensions, and where an operand has extent 1 or no dimension, its one value stands
// for all. At most kMostDimensions: kernels walk them in arrays of fixed size.
#pragma once

#include <string>

#include "reference/spec/spec.h"

namespace nsop::reference {

constexpr size_t kMostDimensions = 8;

// The parameter with the shape of an operand; absent: the operand has the shape of the result.
ParamSpec operand_param(const std::string& name);

// The shape of the operand whose parameter is `name`.
Shape operand_shape(const Case& c, const std::string& name);

// Throws Error (usage) unless n is of moderate size and the operands of these parameters broadcast
// to it.
void validate_broadcast(const Case& c, const std::vector<std::string>& operands);

// The index into an operand of the element of n with this flat index.
size_t index_in_operand(size_t flat, const Shape& n, const Shape& operand);

}  // namespace nsop::reference
