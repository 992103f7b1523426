// Which commits a backfill measures: of a range of first parents, and which of them are there.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/core/sample.h"
#include "harness/judge/builds/revisions.h"
#include "harness/store/store.h"

namespace nsop::judge {

struct BackfillRange {
  std::string from, to;  // revisions, both included
  int every = 1;         // of the commits between them only each N-th, counted from `from` on
  std::vector<std::string> always{};  // prefixes of commits that are never left out: releases
};

// The commits of the range along first parents, newest first. Throws Error: (usage) for an unknown
// revision, for one commit twice, and where `from` is no ancestor of `to`, (environment) without
// git or outside a repository.
std::vector<std::string> backfill_commits(const BuildPlace& place, const BackfillRange& range);

// What a night must have measured to stand for the one that is wanted.
struct WantedNight {
  std::string host_id, profile;
  std::vector<std::string> suites;
  std::set<RowKey> rows;
};

struct PresentNight {
  std::string run_id, build_id;  // empty: the build of a night that is only a file
};

// The newest complete night of each commit that has all that is wanted, by commit. Runs of pull
// requests and builds with uncommitted changes are none.
std::map<std::string, PresentNight> present_nights(const store::Store& store,
                                                   const WantedNight& wanted,
                                                   const std::set<std::string>& commits);
// The same of a folder of files, which don't say their suites. Throws as read_nights().
std::map<std::string, PresentNight> present_files(const std::string& folder,
                                                  const WantedNight& wanted);

}  // namespace nsop::judge
