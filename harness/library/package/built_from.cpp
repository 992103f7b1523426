// No header: installed as a source, it defines what <nsop/built_from.h> declares. Every project
// that links nsop::worker compiles it, so that a worker tells what it was built from, not what nsop
// was.
#include <nsop/built_from.h>

#ifndef NSOP_COMMIT  // a project may tell: target_compile_definitions(w PRIVATE NSOP_COMMIT="...")
#define NSOP_COMMIT "unknown"
#endif

namespace nsop::worker {

BuiltFrom built_from() {
  BuiltFrom from;
  from.commit = NSOP_COMMIT;
  from.flags = NSOP_WORKER_FLAGS;
  from.build_type = NSOP_WORKER_BUILD_TYPE;
  from.own_reference = true;
  return from;
}

}  // namespace nsop::worker
