// What the history of commits says: order, subjects, whether it is complete.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/judge/nights.h"
#include "harness/judge/revisions.h"

namespace nsop::judge {

// The commits from `good` to `bad` along first parents, oldest first, both included. Throws Error
// (usage) when `good` is no ancestor of `bad` or the same commit, naming both, and, where the clone
// is shallow, what to fetch; (environment) without git.
std::vector<std::string> first_parents(const BuildPlace& place, const std::string& good,
                                       const std::string& bad);

// The first line of a commit's message; empty when it is unknown.
std::string subject_of(const BuildPlace& place, const std::string& commit);

// The suites of a commit by the names of their files, which are those of the suites; sorted. Empty:
// it has none, or is unknown.
std::vector<std::string> suites_of(const BuildPlace& place, const std::string& commit);

// The full name of a revision; nothing without git, outside a repository, or for an unknown one.
std::optional<std::string> known_commit(const BuildPlace& place, const std::string& revision);

// Is `ancestor` an ancestor of `commit`, or the same? False when either is unknown.
bool is_ancestor(const BuildPlace& place, const std::string& ancestor, const std::string& commit);

// The order of the commits that a history names. Commits that the clone doesn't have (it is
// shallow, or somebody pushed by force) say nothing: they are neither foreign nor before another.
class CommitOrder {
 public:
  // `head` ends the line that is followed. Throws Error (environment) without git.
  CommitOrder(BuildPlace place, const std::string& head, const std::set<std::string>& commits);
  bool is_foreign(const std::string& commit) const;            // there, and no ancestor of `head`
  bool is_before(const std::string& a, const std::string& b);  // is `a` a true ancestor of `b`?

 private:
  BuildPlace place_;
  std::map<std::string, size_t> places_;  // of the ancestors; children first
  std::set<std::string> foreign_;
  std::map<std::pair<std::string, std::string>, bool> before_;  // what git was asked
};

// Why a point is no part of the line of commits that is followed.
enum class Strayed {
  kNo,
  kBranch,  // its commit is foreign
  kLate,    // of a commit before one that an earlier night measured: a release, afterwards
};
std::vector<Strayed> strayed(const Line& line, CommitOrder& order);  // of each point

// Leaves the points of nights that followed the line. Returns the runs that were left out.
std::set<std::string> keep_followed(Line& line, CommitOrder& order);

// `1a2b3c4d5e6f`: enough of a commit for people.
std::string short_commit(const std::string& commit);

}  // namespace nsop::judge
