// OpenBLAS for blas.cpp: blas_library(), which blas.h declares.
#include "harness/core/text.h"
#include "reference/peers/blas/blas.h"
#include "reference/peers/peer.h"

extern "C" {
char* openblas_get_config();
char* openblas_get_corename();
void openblas_set_num_threads(int threads);
}

namespace nsop::reference::peers {

const BlasLibrary& blas_library() {
  static const BlasLibrary library{
      "openblas",
      [] {  // "OpenBLAS 0.3.21 DYNAMIC_ARCH ..."
        const std::vector<std::string> words = split(openblas_get_config(), ' ');
        const bool avx2 = std::string(openblas_get_corename()) == "Haswell";
        return held_targets({words.size() > 1 ? words[1] : "unknown"}, avx2 ? "AVX2" : "");
      },
      [] { return std::string(openblas_get_corename()); }, openblas_set_num_threads};
  return library;
}

}  // namespace nsop::reference::peers
