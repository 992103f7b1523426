#include "harness/judge/nightly/eligible.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/core/error.h"
#include "harness/core/identity.h"
#include "harness/judge/builds/commits.h"

namespace nsop::judge {
namespace {

// A history is of complete runs that measured commits, on this host.
void must_be_night(const Run& run, const std::string& host_id) {
  const std::string name = "run " + short_id(run.id);
  if (run.host_id != host_id) {
    throw Error(ExitCode::kInconclusive, name + " is of another host: judge it there");
  }
  if (run.state != RunState::kComplete) {
    throw Error(ExitCode::kInconclusive,
                fmt::format("{} is {}: finish it by `nsop run --resume`, or measure again", name,
                            run_state_text(run.state)));
  }
  if (run.origin != "measured" && run.origin != "imported") {
    throw usage_error(fmt::format("{} is of origin {}: no night", name, run.origin));
  }
  if (run.trust == "pr") throw usage_error(name + " is of a pull request, which makes no history");
}

}  // namespace

void must_be_of_commit(const BuildPlace& place, const std::string& worker, bool is_own,
                       const Build& build, const BuildNote& note) {
  if (build.dirty) {
    throw Error(ExitCode::kInconclusive,
                fmt::format("{}: was built with uncommitted changes, which no history can name; "
                            "commit them and build again",
                            worker));
  }
  const auto head = known_commit(place, "HEAD");
  if (!head || build.commit == "unknown") {
    note(
        "no git, or a worker that names no commit: suspects can't be measured again or searched "
        "for");
    return;
  }
  const auto built = known_commit(place, build.commit);
  if (built == head) return;
  const std::string text = fmt::format("{} was built from commit {}, {} is checked out", worker,
                                       short_commit(build.commit), short_commit(*head));
  if (is_own) throw usage_error(text + ": build it first, or name it with --worker");
  note(text);
}

void must_be_latest(const Past& past, const std::string& host_id, const std::string& now,
                    const BuildNote& note) {
  constexpr int64_t kSoonSeconds = 2 * 86400;
  const auto later = past.later_nights(host_id, now);
  if (later.empty()) return;
  const std::string& newest = later.rbegin()->started_utc;
  const int64_t ahead = utc_seconds(newest).value_or(0) - utc_seconds(now).value_or(0);
  const std::string run =
      fmt::format("run {} of this host began {}", short_id(later.rbegin()->run_id), newest);
  if (later.size() == 1 && ahead > kSoonSeconds) {
    return note(fmt::format(
        "{}, later than now ({}): it is left out; if the clock went back, set it", run, now));
  }
  throw Error(
      ExitCode::kInconclusive,
      fmt::format(
          "the clock says {}, but {}{}: set the clock; if it is right, {}; nothing was "
          "measured",
          now, run,
          later.size() == 1 ? "" : fmt::format(" (and {} more later ones)", later.size() - 1),
          ahead > kSoonSeconds ? "take their files out of the folder of --history, or name "
                                 "another database by --db"
                               : "wait until then"));
}

bool began_in(const Past& past, const std::string& host_id, const std::string& now) {
  const auto begun = past.later_nights(host_id, "");
  return std::any_of(begun.begin(), begun.end(),
                     [&](const Past::BegunRun& run) { return run.started_utc == now; });
}

Night stored_night(const store::Store& store, const std::string& run_id,
                   const std::string& host_id) {
  must_be_night(store.run(run_id), host_id);
  std::map<std::string, int> counts;
  for (const Invocation& i : store.invocations(run_id)) ++counts[i.build_id];
  if (counts.empty()) throw usage_error(fmt::format("run {} is empty", short_id(run_id)));
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (store.build(most->first).dirty) {
    throw Error(ExitCode::kInconclusive,
                fmt::format("run {} is of a build with uncommitted changes, which no history can "
                            "name",
                            short_id(run_id)));
  }
  return night_of(store, run_id, most->first);
}

}  // namespace nsop::judge
