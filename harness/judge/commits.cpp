#include "harness/judge/commits.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/util.h"
#include "harness/judge/command.h"

namespace nsop::judge {
namespace {

CommandResult git(const BuildPlace& place, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "git");
  return run_command(arguments, place.repository);
}

bool is_shallow(const BuildPlace& place) {
  return trim(git(place, {"rev-parse", "--is-shallow-repository"}).output) == "true";
}

bool is_commit_name(const std::string& text) {
  return text.size() >= 40 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

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

CommitOrder::CommitOrder(BuildPlace place, const std::string& head,
                         const std::set<std::string>& commits)
    : place_(std::move(place)) {
  const CommandResult line = git(place_, {"rev-list", "--topo-order", head, "--"});
  if (line.status != 0) throw environment_error("git rev-list: " + trim(line.output));
  for (const std::string& commit : split(trim(line.output), '\n')) {
    places_.emplace(trim(commit), places_.size());
  }
  std::vector<std::string> ask = {"rev-list", "--no-walk=unsorted", "--ignore-missing"};
  for (const std::string& commit : commits) {
    if (is_commit_name(commit) && !places_.contains(commit)) ask.push_back(commit);
  }
  if (ask.size() == 3) return;
  const CommandResult there = git(place_, ask);
  if (there.status != 0) return;  // it can't tell which it has
  for (const std::string& commit : split(trim(there.output), '\n')) foreign_.insert(trim(commit));
}

bool CommitOrder::is_foreign(const std::string& commit) const { return foreign_.contains(commit); }

bool CommitOrder::is_before(const std::string& a, const std::string& b) {
  const auto one = places_.find(a), other = places_.find(b);
  // Children come first: only what comes later may be an ancestor.
  if (one == places_.end() || other == places_.end() || one->second <= other->second) return false;
  const auto [it, fresh] = before_.try_emplace({a, b});
  if (fresh) it->second = is_ancestor(place_, a, b);
  return it->second;
}

std::vector<Strayed> strayed(const Line& line, CommitOrder& order) {
  std::vector<Strayed> all;
  std::string latest;
  for (const Point& point : line) {
    if (order.is_foreign(point.commit)) {
      all.push_back(Strayed::kBranch);
    } else if (order.is_before(point.commit, latest)) {
      all.push_back(Strayed::kLate);
    } else {
      all.push_back(Strayed::kNo);
      latest = point.commit;
    }
  }
  return all;
}

std::set<std::string> keep_followed(Line& line, CommitOrder& order) {
  const std::vector<Strayed> off = strayed(line, order);
  std::set<std::string> dropped;
  Line kept;
  for (size_t i = 0; i < line.size(); ++i) {
    if (off[i] == Strayed::kNo) {
      kept.push_back(std::move(line[i]));
    } else {
      dropped.insert(line[i].run_id);
    }
  }
  line = std::move(kept);
  return dropped;
}

std::string short_commit(const std::string& commit) { return commit.substr(0, 12); }

}  // namespace nsop::judge
