// When stores go past the caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "harness/core/registry.h"

namespace nsop::kernels {

// The bytes that a pass reads and writes beyond which its stores are non-temporal, given the sizes
// in bytes of a host's caches (names as in Host::cache_bytes): three quarters of the largest cache,
// of which no more than 32 MiB count.
//
// Up to there the next reader finds the result in that cache; beyond, non-temporal stores save
// reading the lines that will be overwritten. Caches above 32 MiB are shared by more cores than a
// guest sees. The suite `limits` measures copies on both sides. Unknown caches count as 32 MiB.
size_t nontemporal_limit(const std::map<std::string, int64_t>& cache_bytes);

// The same for this machine, read once when the program starts.
size_t nontemporal_limit();

// Should a pass over `arrays` arrays of n floats, the last of them `out`, store past the caches?
bool use_nontemporal(size_t arrays, size_t n, const float* out);

// How many arrays of n floats a pass goes over: its result, and those operands that are no single
// element for all. Nothing else counts them.
template <class Operands>
size_t arrays_of(const Operands& operands, size_t n) {
  size_t arrays = 1;
  for (const auto& operand : operands) arrays += operand.size() == n ? 1 : 0;
  return arrays;
}

// The same of a pass with these operands and the result `out`.
template <class Operands>
bool use_nontemporal(const Operands& operands, std::span<const float> out) {
  return use_nontemporal(arrays_of(operands, out.size()), out.size(), out.data());
}

// How a pass over the tensors of a request that have the size of its output goes, for
// Step::chose(): `single pass`, and where stores are non-temporal, to how many pages and beyond
// what.
std::string single_pass(const StepRequest& request);

}  // namespace nsop::kernels
