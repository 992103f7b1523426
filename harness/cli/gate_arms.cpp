#include "harness/cli/gate_arms.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/cli/session.h"
#include "harness/cli/text/numbers.h"
#include "harness/core/error.h"
#include "harness/judge/builds/commits.h"

namespace nsop::cli {
namespace {

// A base that can't be measured leaves nothing to compare with; a head that can't has lost every
// case.
Error not_measurable(judge::Arm arm, const std::string& name, const std::string& why) {
  const bool base = arm == judge::Arm::kBase;
  return {base ? ExitCode::kInconclusive : ExitCode::kFailed,
          fmt::format("the {} ({}) can't be measured: {}", base ? "base" : "head", name, why)};
}

judge::Built build_arm(Context& context, const judge::BuildPlace& place, const std::string& name,
                       int layouts, judge::Arm arm) {
  if (std::filesystem::exists(name)) return judge::use_program(name);
  try {
    return judge::build_revision(place, name, layouts,
                                 [&](const std::string& note) { context.note(note); });
  } catch (const judge::NoWorker& lacking) {
    throw not_measurable(arm, name, lacking.what());
  }
}

// What can be refused before a revision is built, for minutes.
void refuse_few_layouts_of(const ArmNames& names) {
  for (const std::string& name : {names.base, names.head}) {
    if (!std::filesystem::exists(name)) continue;
    refuse_few_layouts(name, judge::use_program(name).workers.size());
  }
}

void note_doubts(Context& context, const judge::BuildPlace& place, const GateArms& arms) {
  if (!arms.head.commit.empty() && judge::is_dirty(place)) {
    context.note(
        "uncommitted changes are not measured: only commits are; commit them, or name a "
        "build folder as --head");
  }
  if (!arms.merge_base.empty() && arms.merge_base != arms.base.commit) {
    context.note(fmt::format(
        "the base is not the merge base ({}): what only the base has counts, too; --merge-base "
        "leaves it out",
        judge::short_commit(arms.merge_base)));
  }
  if (arms.orders.session == 1) {
    context.note(
        "one link order each: an offset by layout can't be told from a change of the "
        "code; revisions in many link orders average over them");
  }
}

}  // namespace

void must_have_suites(const Context& context, const std::string& head,
                      const std::vector<std::string>& suites) {
  if (suites.empty()) return;
  if (std::filesystem::exists(head)) {
    named_suites(context.settings, suites);
    return;
  }
  const judge::BuildPlace place{context.settings.root, ""};
  const std::optional<std::string> commit = judge::known_commit(place, head);
  if (!commit) return;  // the build says what is wrong with it
  const std::vector<std::string> known = judge::suites_of(place, *commit);
  if (known.empty()) {
    named_suites(context.settings, suites);
  } else {
    must_be_suites(suites, known);
  }
}

GateArms build_arms(Context& context, const ArmNames& names) {
  const judge::BuildPlace place{context.settings.root, judge::default_builds_folder()};
  const bool revisions =
      !std::filesystem::exists(names.base) && !std::filesystem::exists(names.head);
  if (names.from_merge_base && !revisions) {
    throw usage_error("--merge-base: both sides must be revisions");
  }
  refuse_few_layouts_of(names);
  GateArms arms;
  if (revisions) arms.merge_base = judge::merge_base_of(place, names.base, names.head);
  if (names.from_merge_base && arms.merge_base.empty()) {
    throw usage_error(fmt::format("{} and {} have no commit in common; is the clone shallow?",
                                  names.base, names.head));
  }
  const std::string base = names.from_merge_base ? arms.merge_base : names.base;
  const int layouts = judge::link_orders_to_build(names.layouts, names.second_session);
  arms.base = build_arm(context, place, base, layouts, judge::Arm::kBase);
  if (names.from_merge_base) arms.base.label = "merge base with " + names.base;
  arms.head = build_arm(context, place, names.head, layouts, judge::Arm::kHead);
  const size_t both = std::min(arms.base.workers.size(), arms.head.workers.size());
  arms.base.workers.resize(both);
  arms.head.workers.resize(both);
  arms.orders = judge::share_link_orders(both, names.second_session);
  note_doubts(context, place, arms);
  return arms;
}

bool are_identical(const GateArms& arms) {
  return !arms.base.objects_sha256.empty() && arms.base.objects_sha256 == arms.head.objects_sha256;
}

judge::ArmWorkers open_arm(const judge::Built& built, judge::Arm arm) {
  try {
    return judge::open_arm(built);
  } catch (const run::WorkerFailure& failure) {
    throw not_measurable(arm, built.label, failure.what());
  }
}

}  // namespace nsop::cli
