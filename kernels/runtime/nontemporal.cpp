#include "kernels/runtime/nontemporal.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/host/caches.h"
#include "harness/core/host/host.h"
#include "harness/core/tensor/tensor.h"
#include "kernels/runtime/pages.h"

namespace nsop::kernels {
namespace {

// Below the limit a plain store is faster, because the next reader finds the result in a cache;
// above, writing past the caches saves reading the lines first. The suite `limits` measures both.
const size_t limit_here = nontemporal_limit(read_caches());

}  // namespace

size_t nontemporal_limit(const std::map<std::string, int64_t>& cache_bytes) {
  int64_t largest = 0;
  for (const auto& [name, bytes] : cache_bytes) largest = std::max(largest, bytes);
  if (largest == 0) largest = kMostOfACache;
  return static_cast<size_t>(std::min(largest, kMostOfACache) / 4 * 3);
}

size_t nontemporal_limit() { return limit_here; }

bool use_nontemporal(size_t arrays, size_t n, const float* out) {
  const bool aligned = reinterpret_cast<uintptr_t>(out) % kAlignment == 0;
  return aligned && arrays * n * sizeof(float) > limit_here;
}

std::string single_pass(const StepRequest& request) {
  if (!use_nontemporal(request.inputs, request.outputs[0].data())) return "single pass";
  return fmt::format("single pass, streaming stores{} (beyond {:.1f} MiB)",
                     goes_by_pages() ? " to four pages at once" : "",
                     static_cast<double>(limit_here) / (1 << 20));
}

}  // namespace nsop::kernels
