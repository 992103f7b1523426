// BLIS for blas.cpp: blas_library(), which blas.h declares.
#include "reference/peers/blas/blas.h"
#include "reference/peers/peer.h"

// Of its header, which redefines the CBLAS prototypes, only what is used: dim_t is 64 bits wide in
// every build, arch_t an enumeration.
extern "C" {
const char* bli_info_get_version_str();
int bli_arch_query_id();
const char* bli_arch_string(int id);
void bli_thread_set_num_threads(long threads);
}

namespace nsop::reference::peers {

const BlasLibrary& blas_library() {
  static const BlasLibrary library{
      "blis",
      [] {
        const bool avx2 = std::string(bli_arch_string(bli_arch_query_id())) == "haswell";
        return held_targets({bli_info_get_version_str()}, avx2 ? "AVX2" : "");
      },
      [] { return std::string(bli_arch_string(bli_arch_query_id())); },
      [](int threads) { bli_thread_set_num_threads(threads); }};
  return library;
}

}  // namespace nsop::reference::peers
