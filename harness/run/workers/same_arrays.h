// Did arrays in .npy files stay as they were?
#pragma once

#include <string>
#include <vector>

namespace nsop::run {

// The same number of files with the same shapes and bits. Headers may differ: every library words
// them in its own way. Throws Error (bad data, environment) for a file that is no float32 .npy.
bool same_arrays(const std::vector<std::string>& a, const std::vector<std::string>& b);

}  // namespace nsop::run
