#include "harness/cli/text/backfill_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/cli/text/table.h"
#include "harness/core/io/json.h"
#include "harness/core/sample.h"
#include "harness/core/text.h"
#include "harness/judge/builds/commits.h"
#include "harness/report/base/format.h"

namespace nsop::cli {
namespace {

using judge::BackfillCommit;
using judge::BackfillState;
using judge::SessionDrift;

const char* state_text(BackfillState state) {
  switch (state) {
    case BackfillState::kWanted:
      return "to measure";
    case BackfillState::kPresent:
      return "there";
    case BackfillState::kMeasured:
      return "measured";
    case BackfillState::kSkipped:
      break;
  }
  return "skipped";
}

std::string range_text(double least, double most) {
  return fmt::format("{} to {}", report::change_text(least - 1), report::change_text(most - 1));
}

const SessionDrift* drift_of(const BackfillView& view, const std::string& commit) {
  const auto found = std::find_if(view.drifts.begin(), view.drifts.end(),
                                  [&](const auto& drift) { return drift.commit == commit; });
  return found == view.drifts.end() ? nullptr : &*found;
}

Json json_of(const BackfillView& view) {
  Json commits = Json::array(), sessions = Json::array();
  for (const BackfillCommit& one : view.commits) {
    commits.push_back({{"commit", one.commit},
                       {"subject", judge::subject_of(view.place, one.commit)},
                       {"state", state_text(one.state)},
                       {"run", one.run_id.empty() ? Json() : Json(one.run_id)},
                       {"why", one.why.empty() ? Json() : Json(one.why)}});
  }
  for (const SessionDrift& drift : view.drifts) {
    sessions.push_back({{"commit", drift.commit},
                        {"reference_run", drift.run_id},
                        {"ratio", drift.ratio},
                        {"rounds", drift.rounds}});
  }
  return {{"schema", "nsop.backfill/1"},
          {"reference", view.reference},
          {"commits", std::move(commits)},
          {"sessions", std::move(sessions)}};
}

}  // namespace

void show_backfill(Context& context, const BackfillView& view) {
  if (context.json) {
    context.out << json_of(view).dump(2) << '\n';
    return;
  }
  Table table({{"commit"}, {"state"}, {"run"}, {"reference", true}, {"its rounds", true}, {""}});
  for (const BackfillCommit& one : view.commits) {
    const SessionDrift* drift = drift_of(view, one.commit);
    std::string session, rounds;
    if (drift != nullptr) session = report::change_text(drift->ratio - 1);
    if (drift != nullptr && !drift->rounds.empty()) {
      const auto [least, most] = std::minmax_element(drift->rounds.begin(), drift->rounds.end());
      rounds = range_text(*least, *most);
    }
    table.add({judge::short_commit(one.commit), state_text(one.state), short_id(one.run_id),
               session, rounds,
               printable(one.why.empty() ? judge::subject_of(view.place, one.commit) : one.why)});
  }
  table.print(context.out);
}

std::string backfill_summary(const BackfillView& view) {
  const auto count = [&](BackfillState state) { return judge::count_state(view.commits, state); };
  std::string text =
      fmt::format("{} measured, {} there before, {} skipped", count(BackfillState::kMeasured),
                  count(BackfillState::kPresent), count(BackfillState::kSkipped));
  if (view.drifts.empty()) return text;
  const auto [least, most] =
      std::minmax_element(view.drifts.begin(), view.drifts.end(),
                          [](const auto& a, const auto& b) { return a.ratio < b.ratio; });
  return text +
         fmt::format("; the reference {} differed from its usual time by {} between sessions",
                     judge::short_commit(view.reference), range_text(least->ratio, most->ratio));
}

}  // namespace nsop::cli
