// From a revision to workers that can be measured: built at one path, in several link orders, and
// kept by commit and toolchain.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/adapters/program.h"
#include "harness/core/error.h"
#include "harness/judge/builds/row_code.h"

namespace nsop::judge {

struct Built {
  std::string label;                 // what the user named
  std::string commit;                // empty for a program of unknown origin
  std::vector<std::string> workers;  // one program per link order
  // Of each: what nsop-adapter is to measure. Empty: the worker has operations of its own.
  std::vector<std::string> arguments{};
  std::string preload;  // the counting library; empty: none
  // Hash of the objects whose code is timed: kernels, layers, core, engine. Empty: unknown.
  std::string objects_sha256;
  std::string suites{};  // folder of the suite files of that commit; empty: unknown
  RowCode rows{};        // hashes of the code that each row runs
};

// Programs of other projects, in place of a worker.
struct Foreign {
  std::string adapter{};  // the program nsop-adapter; empty: a worker is measured
  std::vector<adapters::Program> programs{};  // those that nsop.toml names
  // How programs are asked that the command line names by their places, and what they are called.
  std::string kind{}, name{};
  std::string preload{};  // the library that counts their allocations; empty: none
};
// Is what is measured one worker, whose reference is its own? It must be measured alone.
bool is_worker(const Foreign& foreign);

struct BuildPlace {
  std::string repository;  // a folder inside the git work tree
  std::string cache;       // where builds are kept, e.g. $XDG_CACHE_HOME/nsop/builds
  Foreign foreign{};       // what is measured, unless it is a worker
};
// `$XDG_CACHE_HOME/nsop/builds` or `$HOME/.cache/nsop/builds`. Throws Error (environment) when
// neither is set.
std::string default_builds_folder();

// Told before each step that takes long.
using BuildNote = std::function<void(const std::string&)>;

// The full name of a commit. Throws Error: (usage) for an unknown revision (with a hint when the
// clone is shallow), (environment) without git or outside a repository.
std::string commit_of(const BuildPlace& place, const std::string& revision);
// The best common ancestor of two revisions; empty: they have none that this clone knows.
std::string merge_base_of(const BuildPlace& place, const std::string& a, const std::string& b);
// Are there changes that no commit holds? Files that git doesn't know count if a build takes them.
bool is_dirty(const BuildPlace& place);

// A commit whose sources don't compile or link.
class DoesNotBuild : public Error {
 public:
  // `why`: the compiler's first error line.
  DoesNotBuild(const std::string& commit, const std::string& why);
};

// A commit that has nothing to measure: from before there was a worker, or of another project.
class NoWorker : public Error {
 public:
  explicit NoWorker(const std::string& commit);
};

// Builds a commit with preset `release` in `layouts` link orders, or takes it from the cache, where
// it lies by commit, number of link orders and toolchain for kKeptDays after its last use. Both
// arms of a gate are built in the same folder, one after the other, so that paths can't differ.
// Throws DoesNotBuild, NoWorker, and Error (environment) for what no commit can help.
Built build_revision(const BuildPlace& place, const std::string& revision, int layouts,
                     const BuildNote& note);

// A worker program, a build folder that has bin/nsop-worker, or a folder with the same program in
// several link orders: worker-0, worker-1, ... Throws Error (usage).
Built use_program(const std::string& path);

}  // namespace nsop::judge
