// SIMD targets: which ones this build and machine have, and pinning one of them.
#pragma once

#include <string>
#include <vector>

namespace nsop::kernels {

// Targets that were compiled in and that this CPU can run, best first: AVX3, AVX2, SSE4, SSSE3,
// SCALAR. Pinning doesn't change the answer.
std::vector<std::string> targets();

// From now on all kernels of this process run on `name`. Throws Error (usage) with the list of
// targets when it isn't one of them. Not to be called while a kernel runs.
void pin_target(const std::string& name);

// The target that a kernel called now runs on, as found by dispatching a call.
std::string current_target();

}  // namespace nsop::kernels
