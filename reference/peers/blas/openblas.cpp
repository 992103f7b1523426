// OpenBLAS for blas.cpp: blas_library(), which blas.h declares.
#include "harness/core/text.h"
#include "reference/peers/blas/blas.h"

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
        return std::vector<std::string>{words.size() > 1 ? words[1] : "unknown"};
      },
      [] { return std::string(openblas_get_corename()); }, openblas_set_num_threads};
  return library;
}

}  // namespace nsop::reference::peers
