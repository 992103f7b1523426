#include "harness/worker/build_info.h"

#include <fmt/format.h>

#include "harness/core/host/libc.h"
#include "harness/core/tensor/tensor.h"
#include "harness/worker/built_from.h"
#include "harness/worker/engine.h"

namespace nsop::worker {

Build build_info() {
  const BuiltFrom from = built_from();
  Build build;
  build.commit = from.commit;
  build.dirty = from.dirty;
  build.compiler = from.compiler;
  build.flags = from.flags;
  build.build_type = from.build_type;
  build.libc = libc_text();
  build.engine = fmt::format("{}, tensors at multiples of {} bytes", engine_version(), kAlignment);
  build.link_seed = from.link_seed;
  build.reference_sha256 = from.reference_sha256;
  return build;
}

const char* tool_version() { return NSOP_VERSION; }

}  // namespace nsop::worker
