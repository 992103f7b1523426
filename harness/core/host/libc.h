// Which C library this program runs with.
#pragma once

#if !defined(__EMSCRIPTEN__)
#include <gnu/libc-version.h>
#endif

#include <string>

namespace nsop {

// `glibc 2.36`
inline std::string libc_text() {
#if defined(__EMSCRIPTEN__)
  return "Emscripten " + std::to_string(__EMSCRIPTEN_major__) + "." +
         std::to_string(__EMSCRIPTEN_minor__) + "." + std::to_string(__EMSCRIPTEN_tiny__);
#else
  return std::string("glibc ") + gnu_get_libc_version();
#endif
}

}  // namespace nsop
