// What git says of commits: which lie between two, their subjects and suites.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/judge/builds/command.h"
#include "harness/judge/builds/revisions.h"

namespace nsop::judge {

// Runs git with these arguments and this input in the repository; see run_command().
CommandResult git(const BuildPlace& place, std::vector<std::string> arguments,
                  const std::string& input = {});

// Does the clone lack commits that the repository has?
bool is_shallow(const BuildPlace& place);

// The commits from `good` to `bad` along first parents, oldest first, both included. Throws Error
// (usage) when `good` is no ancestor of `bad` or the same commit, naming both, and, where the clone
// is shallow, what to fetch; (environment) without git.
std::vector<std::string> first_parents(const BuildPlace& place, const std::string& good,
                                       const std::string& bad);

// The first line of a commit's message; empty when it is unknown.
std::string subject_of(const BuildPlace& place, const std::string& commit);

// The names of a commit's suites, sorted. A suite has the name of its file. Empty: the commit has
// none, or is unknown.
std::vector<std::string> suites_of(const BuildPlace& place, const std::string& commit);

// The full name of a revision; nothing without git, outside a repository, or for an unknown one.
std::optional<std::string> known_commit(const BuildPlace& place, const std::string& revision);

// Is `ancestor` an ancestor of `commit`, or the same? False when either is unknown.
bool is_ancestor(const BuildPlace& place, const std::string& ancestor, const std::string& commit);

// `1a2b3c4d5e6f`: enough of a commit for people.
std::string short_commit(const std::string& commit);

}  // namespace nsop::judge
