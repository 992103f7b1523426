#include "harness/judge/builds/revisions.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/hash.h"
#include "harness/core/text.h"
#include "harness/judge/builds/build_tree.h"
#include "harness/judge/builds/command.h"
#include "harness/judge/builds/commits.h"

namespace nsop::judge {
namespace {

namespace fs = std::filesystem;

std::string git(const BuildPlace& place, std::vector<std::string> arguments, int* status) {
  arguments.insert(arguments.begin(), "git");
  const CommandResult result = run_command(arguments, place.repository);
  *status = result.status;
  return trim(result.output);
}

void must_succeed(const std::vector<std::string>& command, const std::string& folder,
                  const std::string& commit) {
  const CommandResult result = run_command(command, folder);
  if (result.status == 0) return;
  throw_if_full(folder, result.output);
  // Ninja's and Make's words for it.
  for (const char* missing : {"unknown target 'nsop-worker'", "make target 'nsop-worker'"}) {
    if (result.output.find(missing) != std::string::npos) throw NoWorker(commit);
  }
  throw DoesNotBuild(commit, first_error(result.output));
}

// Kernels and layers as linked into the worker, core, and the part of the worker that times.
std::string hash_objects(const std::string& build) {
  std::vector<std::string> objects;
  const std::vector<std::string> linked = linked_objects(build);
  const auto collect = [&](const std::string& folder, const std::vector<std::string>& names) {
    if (!fs::exists(folder)) return;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const std::string name = entry.path().filename();
      const bool wanted = names.empty()
                              ? entry.path().extension() == ".o"
                              : std::find(names.begin(), names.end(), name) != names.end();
      const std::string path = fs::relative(entry.path(), build);
      const bool tests = path.find("_test.dir/") != std::string::npos;
      if (!entry.is_regular_file() || !wanted || tests) continue;
      const bool counts =
          linked.empty() || std::find(linked.begin(), linked.end(), path) != linked.end();
      if (counts) objects.push_back(entry.path());
    }
  };
  collect(build + "/kernels", {});
  collect(build + "/layers", {});
  collect(build + "/harness/core", {});
  collect(build + "/harness/worker", {"engine.cpp.o", "row.cpp.o"});
  if (objects.empty()) return {};
  std::sort(objects.begin(), objects.end());
  std::string all;
  for (const std::string& object : objects) {
    all += fs::relative(object, build).string() + " " + sha256_file(object) + "\n";
  }
  return sha256_hex(all);
}

constexpr const char* kIncoming = ".incoming";

// What builds left that were killed. Nobody else builds here now.
void remove_unfinished(const std::string& cache) {
  std::error_code ignored;  // what follows says it
  for (const auto& entry : entries_of(cache, ignored)) {
    if (entry.path().extension() == kIncoming) fs::remove_all(entry.path());
  }
}

void build_layouts(const std::string& tree, const std::string& into, int layouts,
                   const std::string& commit, const BuildNote& note) {
  if (!fs::exists(tree + "/CMakePresets.json")) throw NoWorker(commit);
  const std::string build = tree + "/build/release";
  const unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  for (int layout = 0; layout < layouts; ++layout) {
    if (layout == 0) note(fmt::format("building commit {}", short_commit(commit)));
    if (layout == 1) note(fmt::format("linking it in {} orders", layouts));
    std::vector<std::string> configure = {
        "cmake", "--preset", "release", "-DNSOP_TESTS=OFF",
        fmt::format("-DNSOP_LINK_SEED={}", layout == 0 ? "" : std::to_string(layout))};
    // What the commit built before had as a default would stand in the cache.
    if (layout == 0) configure.insert(configure.begin() + 1, "--fresh");
    must_succeed(configure, tree, commit);
    must_succeed({"cmake", "--build", build, "--target", "nsop-worker", "nsop_alloc", "--parallel",
                  std::to_string(jobs)},
                 tree, commit);
    fs::copy_file(build + "/bin/nsop-worker", fmt::format("{}/worker-{}", into, layout));
  }
  fs::copy_file(build + "/bin/libnsop_alloc.so", into + "/libnsop_alloc.so");
  if (fs::exists(tree + "/harness/suites")) {
    fs::copy(tree + "/harness/suites", into + "/suites", fs::copy_options::recursive);
  }
  write_file_atomically(into + "/objects.sha256", hash_objects(build) + "\n", Durability::kScratch);
  write_file_atomically(into + "/rows.json",
                        row_code_text(row_code_of(build, build + "/bin/nsop-worker")),
                        Durability::kScratch);
}

// Were the objects of a folder compiled before its program was linked? Else they say nothing of it.
bool is_linked(const std::string& build, const std::string& program) {
  const auto linked = fs::last_write_time(program);
  const std::vector<std::string> objects = linked_objects(build);
  return std::all_of(objects.begin(), objects.end(), [&](const std::string& object) {
    const std::string path = build + "/" + object;
    return fs::exists(path) && fs::last_write_time(path) <= linked;
  });
}

// A folder with one program per link order, made by other means.
Built several_programs(const std::string& path) {
  Built built;
  built.label = path;
  const std::string folder = fs::absolute(path);
  for (int i = 0; fs::exists(fmt::format("{}/worker-{}", folder, i)); ++i) {
    built.workers.push_back(fmt::format("{}/worker-{}", folder, i));
  }
  if (fs::exists(folder + "/libnsop_alloc.so")) built.preload = folder + "/libnsop_alloc.so";
  return built;
}

Built kept_build(const std::string& folder, const std::string& revision, const std::string& commit,
                 int layouts) {
  Built built;
  built.label = revision;
  built.commit = commit;
  for (int layout = 0; layout < layouts; ++layout) {
    built.workers.push_back(fmt::format("{}/worker-{}", folder, layout));
  }
  built.preload = folder + "/libnsop_alloc.so";
  built.objects_sha256 = trim(read_file(folder + "/objects.sha256"));
  if (fs::exists(folder + "/suites")) built.suites = folder + "/suites";
  const std::string rows = folder + "/rows.json";  // a build of an older nsop has none
  if (fs::exists(rows)) built.rows = parse_row_code(read_file(rows));
  return built;
}

}  // namespace

std::string default_builds_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0') {
    return fmt::format("{}/nsop/builds", cache);
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') {
    throw environment_error("neither XDG_CACHE_HOME nor HOME is set: no folder for builds");
  }
  return fmt::format("{}/.cache/nsop/builds", home);
}

std::string commit_of(const BuildPlace& place, const std::string& revision) {
  int status = 0;
  const std::string commit =
      git(place, {"rev-parse", "--verify", "--quiet", revision + "^{commit}"}, &status);
  if (status == 0) return commit;
  const std::string said = git(place, {"rev-parse", "--git-dir"}, &status);
  if (status != 0) {
    throw environment_error(fmt::format(
        "{}: no git repository ({}); a gate takes worker programs and build folders, too",
        place.repository, first_error(said)));
  }
  const bool shallow = git(place, {"rev-parse", "--is-shallow-repository"}, &status) == "true";
  throw usage_error(fmt::format("'{}' is no revision of {}{}", revision, place.repository,
                                shallow ? "; the clone is shallow: git fetch --unshallow" : ""));
}

std::string merge_base_of(const BuildPlace& place, const std::string& a, const std::string& b) {
  int status = 0;
  const std::string found =
      git(place, {"merge-base", commit_of(place, a), commit_of(place, b)}, &status);
  return status == 0 ? found : "";
}

DoesNotBuild::DoesNotBuild(const std::string& commit, const std::string& why)
    : Error(ExitCode::kEnvironment,
            fmt::format("commit {} does not build: {}", short_commit(commit), why)) {}

NoWorker::NoWorker(const std::string& commit)
    : Error(ExitCode::kEnvironment,
            fmt::format("commit {} has no nsop-worker to build", short_commit(commit))) {}

bool is_dirty(const BuildPlace& place) {
  int status = 0;
  if (!git(place, {"status", "--porcelain", "--untracked-files=no"}, &status).empty()) return true;
  // New files that a build would take in; not somebody's notes.
  return !git(place,
              {"ls-files", "--others", "--exclude-standard", "--", "*.cpp", "*.h", "*.toml",
               "*.cmake", "*CMakeLists.txt"},
              &status)
              .empty();
}

Built build_revision(const BuildPlace& place, const std::string& revision, int layouts,
                     const BuildNote& note) {
  const std::string commit = commit_of(place, revision);
  std::error_code error;
  fs::create_directories(place.cache, error);
  if (error) {
    throw environment_error(fmt::format("{}: can't be created: {}", place.cache, error.message()));
  }
  const std::string with = toolchain();
  const std::string kept = fmt::format("{}/{}-{}-{}", place.cache, commit, layouts, with);
  const BuildsLock lock(place.cache, note);
  if (fs::exists(kept)) {
    mark_used(kept);
    return kept_build(kept, revision, commit, layouts);
  }
  const std::string incoming = kept + kIncoming;
  try {
    remove_unfinished(place.cache);
    remove_unused(place.cache);
    fs::create_directories(incoming);
    check_out(place, commit);
    keep_toolchain(place.cache, with);
    build_layouts(place.cache + "/tree", incoming, layouts, commit, note);
    fs::rename(incoming, kept);
  } catch (const fs::filesystem_error& failure) {
    fs::remove_all(incoming, error);
    throw_if_full(place.cache, failure.what());
    throw environment_error(failure.what());
  } catch (...) {  // an interrupt, too
    fs::remove_all(incoming, error);
    throw;
  }
  return kept_build(kept, revision, commit, layouts);
}

Built use_program(const std::string& path) {
  if (fs::exists(path + "/worker-0")) return several_programs(path);
  Built built;
  built.label = path;
  const bool folder = fs::is_directory(path);
  const std::string program = folder ? path + "/bin/nsop-worker" : path;
  if (access(program.c_str(), X_OK) != 0) {
    throw usage_error(
        fmt::format("{}: no worker program there; expected a program, or a build "
                    "folder with bin/nsop-worker",
                    path));
  }
  built.workers = {fs::absolute(program)};
  const std::string preload = fs::path(built.workers[0]).parent_path() / "libnsop_alloc.so";
  if (fs::exists(preload)) built.preload = preload;
  if (folder && is_linked(path, program)) {
    built.objects_sha256 = hash_objects(path);
    built.rows = row_code_of(path, program);
  }
  return built;
}

}  // namespace nsop::judge
