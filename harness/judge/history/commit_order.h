// Which nights are of the line of commits that is followed.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/judge/builds/revisions.h"
#include "harness/judge/history/nights.h"

namespace nsop::judge {

// The order of the commits that a history names. Commits that the clone doesn't have (it is
// shallow, or somebody pushed by force) say nothing: they are neither foreign nor before another.
class CommitOrder {
 public:
  // `head` ends the line that is followed. Throws Error (environment) without git.
  CommitOrder(BuildPlace place, const std::string& head, const std::set<std::string>& commits);
  const std::string& head() const { return head_; }            // its full name
  bool is_foreign(const std::string& commit) const;            // there, and no ancestor of `head`
  bool is_before(const std::string& a, const std::string& b);  // is `a` a true ancestor of `b`?
  // How many commits of the line come after it, in one order in which parents come after their
  // children; nullopt: it isn't on the way to `head`.
  std::optional<size_t> place(const std::string& commit) const;

 private:
  BuildPlace place_;
  std::string head_;
  std::unordered_map<std::string, size_t> places_;  // of the ancestors; children first
  std::set<std::string> foreign_;
  std::map<std::pair<std::string, std::string>, bool> before_;  // what git was asked
};

// Why a point is no part of the line of commits that is followed.
enum class Strayed {
  kNo,
  kBranch,   // its commit is foreign
  kLate,     // of a commit before one that an earlier night measured: a release, afterwards
  kNowhere,  // measured afterwards, of a commit whose place isn't known
};
std::vector<Strayed> strayed(const Line& line, CommitOrder& order);  // of each point

// Moves points that were measured afterwards (`backfilled`) to where their commits are: before the
// first point of a commit that comes after theirs, or of the same one and measured later. What the
// clone doesn't have keeps its place.
void place_backfilled(Line& line, const CommitOrder& order);

// Leaves the points of nights that followed the line, each in its place. Returns the runs that were
// left out.
std::set<std::string> keep_followed(Line& line, CommitOrder& order);

}  // namespace nsop::judge
