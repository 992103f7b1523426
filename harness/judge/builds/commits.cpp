#include "harness/judge/builds/commits.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/judge/builds/command.h"

namespace nsop::judge {

CommandResult git(const BuildPlace& place, std::vector<std::string> arguments,
                  const std::string& input) {
  arguments.insert(arguments.begin(), "git");
  return run_command(arguments, place.repository, input);
}

bool is_shallow(const BuildPlace& place) {
  return trim(git(place, {"rev-parse", "--is-shallow-repository"}).output) == "true";
}

std::vector<std::string> first_parents(const BuildPlace& place, const std::string& good,
                                       const std::string& bad) {
  const std::string first = commit_of(place, good), last = commit_of(place, bad);
  if (first == last) {
    throw usage_error(fmt::format("{} and {} are the same commit: nothing to search", good, bad));
  }
  if (!is_ancestor(place, first, last)) {
    throw usage_error(fmt::format("{} is no ancestor of {}{}", good, bad,
                                  is_shallow(place)
                                      ? "; the clone is shallow: git fetch --unshallow"
                                      : ": name a good commit that the bad one grew from"));
  }
  const CommandResult log =
      git(place, {"rev-list", "--first-parent", "--reverse", first + ".." + last});
  if (log.status != 0) throw environment_error("git rev-list: " + trim(log.output));
  std::vector<std::string> line = {first};
  for (const std::string& commit : split(trim(log.output), '\n')) line.push_back(trim(commit));
  return line;
}

std::string subject_of(const BuildPlace& place, const std::string& commit) {
  const CommandResult result = git(place, {"log", "-1", "--format=%s", commit, "--"});
  return result.status == 0 ? trim(result.output) : "";
}

std::vector<std::string> suites_of(const BuildPlace& place, const std::string& commit) {
  const CommandResult listed =
      git(place, {"ls-tree", "-z", "--full-tree", "--name-only", commit, "harness/suites/"});
  if (listed.status != 0) return {};
  std::vector<std::string> names;
  for (const std::string& line : split(listed.output, '\0')) {
    const std::filesystem::path file = line;
    if (file.extension() == ".toml") names.push_back(file.stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::string> known_commit(const BuildPlace& place, const std::string& revision) {
  try {
    return commit_of(place, revision);
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool is_ancestor(const BuildPlace& place, const std::string& ancestor, const std::string& commit) {
  return git(place, {"merge-base", "--is-ancestor", ancestor, commit}).status == 0;
}

std::string short_commit(const std::string& commit) { return commit.substr(0, 12); }

}  // namespace nsop::judge
