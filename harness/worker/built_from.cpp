#include "harness/worker/built_from.h"

#include "nsop_build_info.h"

namespace nsop::worker {

BuiltFrom built_from() {
  BuiltFrom from;
  from.commit = NSOP_GIT_COMMIT;
  from.dirty = NSOP_GIT_DIRTY;
  from.flags = NSOP_BUILD_FLAGS;
  from.build_type = NSOP_BUILD_TYPE;
  from.link_seed = NSOP_LINK_SEED;
  from.reference_sha256 = NSOP_REFERENCE_SHA256;
  return from;
}

}  // namespace nsop::worker
