// What the history of commits says: order, subjects, whether it is complete.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/revisions.h"

namespace nsop::judge {

// The commits from `good` to `bad` along first parents, oldest first, both included. Throws Error
// (usage) when `good` is no ancestor of `bad` or the same commit, naming both, and, where the clone
// is shallow, what to fetch; (environment) without git.
std::vector<std::string> first_parents(const BuildPlace& place, const std::string& good,
                                       const std::string& bad);

// The first line of a commit's message; empty when it is unknown.
std::string subject_of(const BuildPlace& place, const std::string& commit);

// Is `ancestor` an ancestor of `commit`, or the same? False when either is unknown.
bool is_ancestor(const BuildPlace& place, const std::string& ancestor, const std::string& commit);

// `1a2b3c4d5e6f`: enough of a commit for people.
std::string short_commit(const std::string& commit);

}  // namespace nsop::judge
