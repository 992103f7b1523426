#include "harness/judge/gate/arms.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/judge/builds/commits.h"
#include "harness/judge/builds/foreign.h"
#include "harness/run/plan/named_suites.h"
#include "harness/run/workers/worker_client.h"

namespace nsop::judge {
namespace {

// A base that can't be measured leaves nothing to compare with; a head that can't has lost every
// case.
Error not_measurable(Arm arm, const std::string& name, const std::string& why) {
  const bool base = arm == Arm::kBase;
  return {base ? ExitCode::kInconclusive : ExitCode::kFailed,
          fmt::format("the {} ({}) can't be measured: {}", base ? "base" : "head", name, why)};
}

Built build_arm(const BuildPlace& place, const std::string& name, int layouts, Arm arm,
                const BuildNote& note) {
  const bool foreign = !place.foreign.adapter.empty();
  if (std::filesystem::exists(name)) return foreign ? use_foreign(place, name) : use_program(name);
  if (foreign) return build_foreign(place, name, note);
  try {
    return build_revision(place, name, layouts, note);
  } catch (const NoWorker& lacking) {
    throw not_measurable(arm, name, lacking.what());
  }
}

// What can be refused before a revision is built, for minutes.
void refuse_few_layouts_of(const ArmNames& names) {
  for (const std::string& name : {names.base, names.head}) {
    if (!std::filesystem::exists(name)) continue;
    const std::string mistake = too_few_layouts(use_program(name).workers.size());
    if (!mistake.empty()) throw usage_error(name + ": " + mistake);
  }
}

// With an adapter, both sides are programs.
void must_be_programs(const ArmNames& names) {
  for (const std::string& name : {names.base, names.head}) {
    if (std::filesystem::exists(name)) continue;
    throw usage_error(fmt::format(
        "{}: no program there; for a revision, name its program and build in nsop.toml", name));
  }
}

void note_doubts(const BuildPlace& place, const GateArms& arms, const BuildNote& note) {
  if (!arms.head.commit.empty() && is_dirty(place)) {
    note(
        "uncommitted changes are not measured: only commits are; commit them, or name a "
        "build folder as --head");
  }
  if (!arms.merge_base.empty() && arms.merge_base != arms.base.commit) {
    note(fmt::format(
        "the base is not the merge base ({}): what only the base has counts, too; --merge-base "
        "leaves it out",
        short_commit(arms.merge_base)));
  }
  if (arms.orders.session == 1) {
    note(
        "one link order each: an offset by layout can't be told from a change of the "
        "code; revisions in many link orders average over them");
  }
}

}  // namespace

std::string too_few_layouts(size_t layouts) {
  if (layouts < 2 || layouts >= stats::kFewestClusters) return {};
  return fmt::format(
      "{} link orders decide nothing, because rounds of one count as one observation: take 1, or "
      "{} and more",
      layouts, stats::kFewestClusters);
}

void must_have_suites(const BuildPlace& place, const SuitePlace& own, const std::string& head,
                      const std::vector<std::string>& suites) {
  if (suites.empty()) return;
  std::vector<std::string> known;
  if (!std::filesystem::exists(head)) {
    const std::optional<std::string> commit = known_commit(place, head);
    if (!commit) return;  // the build says what is wrong with it
    known = suites_of(place, *commit);
  }
  if (known.empty()) {
    run::named_suites(own.load(own.folder), suites);
  } else {
    run::must_be_suites(suites, known);
  }
}

GateArms build_arms(const BuildPlace& place, const ArmNames& names, const BuildNote& note) {
  if (!place.foreign.kind.empty()) must_be_programs(names);
  const bool revisions =
      !std::filesystem::exists(names.base) && !std::filesystem::exists(names.head);
  if (names.from_merge_base && !revisions) {
    throw usage_error("--merge-base: both sides must be revisions");
  }
  if (place.foreign.adapter.empty()) refuse_few_layouts_of(names);
  GateArms arms;
  if (revisions) arms.merge_base = merge_base_of(place, names.base, names.head);
  if (names.from_merge_base && arms.merge_base.empty()) {
    throw usage_error(fmt::format("{} and {} have no commit in common; is the clone shallow?",
                                  names.base, names.head));
  }
  const std::string base = names.from_merge_base ? arms.merge_base : names.base;
  const int layouts = link_orders_to_build(names.layouts, names.second_session);
  arms.base = build_arm(place, base, layouts, Arm::kBase, note);
  if (names.from_merge_base) arms.base.label = "merge base with " + names.base;
  arms.head = build_arm(place, names.head, layouts, Arm::kHead, note);
  const size_t both = std::min(arms.base.workers.size(), arms.head.workers.size());
  arms.base.workers.resize(both);
  arms.head.workers.resize(both);
  arms.orders = share_link_orders(both, names.second_session);
  note_doubts(place, arms, note);
  return arms;
}

bool are_identical(const Built& base, const Built& head) {
  return !base.objects_sha256.empty() && base.objects_sha256 == head.objects_sha256;
}

ArmWorkers start_arm(const Built& built, Arm arm) {
  try {
    return open_arm(built);
  } catch (const run::WorkerFailure& failure) {
    throw not_measurable(arm, built.label, failure.what());
  }
}

GateSide gate_side(const Built& built, const ArmWorkers& workers) {
  GateSide side{built.label, built.commit, {}};
  for (const run::Worker& worker : workers.layouts) side.build_ids.push_back(worker.build.id);
  return side;
}

}  // namespace nsop::judge
