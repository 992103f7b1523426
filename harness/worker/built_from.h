// What a worker program was built from, as its own sources know it: nsop's workers and workers of
// other projects define it each.
#pragma once

namespace nsop::worker {

#if defined(__clang__)
inline constexpr const char* kCompiler = "clang " __clang_version__;
#else
inline constexpr const char* kCompiler = "gcc " __VERSION__;
#endif

struct BuiltFrom {
  const char* commit = "unknown";
  bool dirty = false;  // do the sources differ from that commit?
  const char* compiler = kCompiler;
  const char* flags = "";
  const char* build_type = "";
  const char* link_seed = "";         // of the order of objects; empty: as listed
  const char* reference_sha256 = "";  // of the sources of the oracles; empty: unknown
  // Its ops are of another project, so that its own oracles say what is right.
  bool own_reference = false;
};

BuiltFrom built_from();

}  // namespace nsop::worker
