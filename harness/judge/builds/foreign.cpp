#include "harness/judge/builds/foreign.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/adapters/program_toml.h"
#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/hash.h"
#include "harness/core/io/json.h"
#include "harness/core/text.h"
#include "harness/judge/builds/build_tree.h"
#include "harness/judge/builds/command.h"
#include "harness/judge/builds/commits.h"

namespace nsop::judge {
namespace {

namespace fs = std::filesystem;
constexpr const char* kDone = "built";

// A worker is started itself, without an adapter between.
Built worker_of(const Foreign& foreign, const adapters::Program& program,
                const std::string& label) {
  if (program.run.size() != 1) {
    throw usage_error(fmt::format("{}: a worker (adapter nsop) takes no arguments", program.name));
  }
  const std::string& word = program.run[0];
  Built built;
  built.label = label;
  built.workers = {word.find('/') == std::string::npos
                       ? program_on_path(word)
                       : (fs::path(program.folder) / word).lexically_normal().string()};
  built.preload = foreign.preload;
  return built;
}

Built built_of(const Foreign& foreign, const std::vector<adapters::Program>& programs,
               const std::string& label) {
  if (programs.size() == 1 && adapters::is_worker(programs[0])) {
    return worker_of(foreign, programs[0], label);
  }
  Json list = Json::array();
  for (const adapters::Program& program : programs) list.push_back(to_json(program));
  Built built;
  built.label = label;
  built.workers = {foreign.adapter};
  built.arguments = {"--programs", list.dump()};
  built.preload = foreign.preload;
  return built;
}

// The programs as a copy of the project in another folder has them.
std::vector<adapters::Program> moved_to(const BuildPlace& place, const std::string& folder) {
  std::vector<adapters::Program> programs = place.foreign.programs;
  const fs::path root = fs::absolute(folder);
  for (adapters::Program& program : programs) {
    const fs::path inside = fs::path(program.folder).lexically_relative(place.repository);
    program.folder = (root / inside).lexically_normal().string();
  }
  return programs;
}

// A program that is named by a place inside the project must be there.
void must_be_there(const std::vector<adapters::Program>& programs, const std::string& whose) {
  for (const adapters::Program& program : programs) {
    const std::string& word = program.run.at(0);
    if (word.find('/') == std::string::npos) continue;
    const fs::path path = fs::path(program.folder) / word;
    if (fs::is_regular_file(path)) continue;
    throw usage_error(fmt::format("{} has no {}{}", whose, path.string(),
                                  program.build.empty() ? "; nsop.toml names no build = \"...\" "
                                                          "that makes it"
                                                        : ""));
  }
}

// Where the project lies in its repository: empty, or `some/folder/`.
std::string prefix_of(const BuildPlace& place) {
  const CommandResult said = git(place, {"rev-parse", "--show-prefix"});
  return said.status == 0 ? trim(said.output) : "";
}

std::string key_of(const BuildPlace& place, const std::string& commit) {
  std::string commands;
  for (const adapters::Program& program : place.foreign.programs) {
    commands += program.folder + "\n" + join(program.build, "\n") + "\n";
  }
  constexpr size_t kDigits = 16;
  return commit + "-" + sha256_hex(commands).substr(0, kDigits);
}

void build_in(const std::vector<adapters::Program>& programs, const std::string& commit,
              const BuildNote& note) {
  for (const adapters::Program& program : programs) {
    for (const std::string& command : program.build) {
      note(fmt::format("building {} of {}: {}", program.name, short_commit(commit), command));
      // Of which commit it is, a worker says for the programs that it is built from.
      const CommandResult said =
          run_command({"env", "NSOP_COMMIT=" + commit, "sh", "-c", command}, program.folder);
      if (said.status == 0) continue;
      throw_if_full(program.folder, said.output);
      throw DoesNotBuild(commit, first_error(said.output));
    }
  }
}

}  // namespace

bool is_worker(const Foreign& foreign) {
  return foreign.kind == "nsop" ||
         (foreign.programs.size() == 1 && adapters::is_worker(foreign.programs[0]));
}

Built use_foreign(const BuildPlace& place, const std::string& path) {
  const Foreign& foreign = place.foreign;
  if (!foreign.kind.empty()) {
    return built_of(foreign, {adapters::program_at(path, foreign.kind, foreign.name)}, path);
  }
  if (!fs::is_directory(path)) {
    throw usage_error(fmt::format(
        "{}: expected a revision or a folder with the programs of nsop.toml; for a program give "
        "--adapter, too",
        path));
  }
  const std::vector<adapters::Program> programs = moved_to(place, path);
  must_be_there(programs, path);
  return built_of(foreign, programs, path);
}

Built build_foreign(const BuildPlace& place, const std::string& revision, const BuildNote& note) {
  const std::string commit = commit_of(place, revision);
  BuildPlace own = place;
  own.cache = fmt::format("{}/foreign/{}", place.cache, key_of(place, commit));
  std::error_code error;
  fs::create_directories(own.cache, error);
  if (error) {
    throw environment_error(fmt::format("{}: can't be created: {}", own.cache, error.message()));
  }
  const BuildsLock lock(own.cache, note);
  std::vector<adapters::Program> programs =
      moved_to(place, own.cache + "/tree/" + prefix_of(place));
  for (adapters::Program& program : programs) program.commit = commit;
  if (!fs::exists(own.cache + "/" + kDone)) {
    check_out(own, commit);
    build_in(programs, commit, note);
    must_be_there(programs, "commit " + short_commit(commit));
    write_file_atomically(own.cache + "/" + kDone, commit + "\n", Durability::kScratch);
  }
  Built built = built_of(place.foreign, programs, revision);
  built.commit = commit;
  return built;
}

}  // namespace nsop::judge
