// What a BLAS library must tell so that blas.cpp can measure it. The interface itself (CBLAS) is
// the same for all of them; each is linked into an executable of its own.
#pragma once

#include <string>
#include <vector>

namespace nsop::reference::peers {

struct BlasLibrary {
  std::string name;  // of the variant
  std::vector<std::string> (*versions)();
  std::string (*details)();  // what it runs on: core type, configuration
  void (*set_threads)(int threads);
};

// Defined by the library's own source.
const BlasLibrary& blas_library();

}  // namespace nsop::reference::peers
