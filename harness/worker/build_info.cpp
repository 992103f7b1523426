#include "harness/worker/build_info.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>

#include "harness/core/tensor/tensor.h"
#include "harness/worker/engine.h"
#include "nsop_build_info.h"

#if defined(__clang__)
#define NSOP_COMPILER "clang " __clang_version__
#else
#define NSOP_COMPILER "gcc " __VERSION__
#endif

namespace nsop::worker {

Build build_info() {
  Build build;
  build.commit = NSOP_GIT_COMMIT;
  build.dirty = NSOP_GIT_DIRTY;
  build.compiler = NSOP_COMPILER;
  build.flags = NSOP_BUILD_FLAGS;
  build.build_type = NSOP_BUILD_TYPE;
  build.libc = std::string("glibc ") + gnu_get_libc_version();
  build.engine = fmt::format("{}, tensors at multiples of {} bytes", engine_version(), kAlignment);
  build.link_seed = NSOP_LINK_SEED;
  build.reference_sha256 = NSOP_REFERENCE_SHA256;
  return build;
}

const char* tool_version() { return NSOP_VERSION; }

}  // namespace nsop::worker
