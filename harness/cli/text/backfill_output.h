// What became of the commits of a backfill.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/context.h"
#include "harness/judge/backfill/backfill.h"

namespace nsop::cli {

struct BackfillView {
  judge::BuildPlace place;  // that knows the subjects of commits
  std::string reference;    // its commit
  std::vector<judge::BackfillCommit> commits;
  std::vector<judge::SessionDrift> drifts;  // of the reference
};

// A line for each commit: what became of it, its run, by how much the reference differed from its
// usual time in that session and in its rounds, and its subject or why it was skipped; as JSON of
// schema `nsop.backfill/1` if that is asked for.
void show_backfill(Context& context, const BackfillView& view);

// In one line: how many commits, and how far the reference moved.
std::string backfill_summary(const BackfillView& view);

}  // namespace nsop::cli
