// Writing a file of several pieces without joining them first.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "harness/core/util.h"

namespace nsop {

// write_file_atomically() of the pieces one after the other.
void write_parts_atomically(const std::string& path, const std::array<std::string_view, 2>& parts,
                            Durability durability);

}  // namespace nsop
