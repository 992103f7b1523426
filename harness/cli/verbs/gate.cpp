// nsop gate, a verb (verbs.h): two builds measured alternately, row by row; exit 1 if a row of the
// head is worse.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "harness/cli/selection.h"
#include "harness/cli/session.h"
#include "harness/cli/submission.h"
#include "harness/cli/text/gate_output.h"
#include "harness/cli/text/numbers.h"
#include "harness/cli/text/progress_output.h"
#include "harness/cli/verbs.h"
#include "harness/core/files.h"
#include "harness/core/host/host.h"
#include "harness/core/suite/known_changes.h"
#include "harness/core/text.h"
#include "harness/judge/gate/arms.h"
#include "harness/judge/gate/identical.h"
#include "harness/judge/gate/measured.h"
#include "harness/judge/gate/measurer.h"
#include "harness/judge/gate/plan.h"
#include "harness/judge/gate/probe.h"
#include "harness/report/forms/forms.h"
#include "harness/report/gate/report.h"
#include "harness/run/job.h"
#include "harness/run/lock.h"
#include "harness/run/plan/programs.h"
#include "harness/run/scratch.h"
#include "harness/run/workers/interrupt.h"
#include "harness/shards/gates.h"
#include "harness/shards/shard.h"
#include "harness/shards/task.h"
#include "harness/store/backend/address.h"
#include "harness/store/store.h"

namespace nsop::cli {
namespace {

struct GateOptions : SubmissionOptions {
  std::string base, head = "HEAD", filter, budget = "5m", shard, into;
  std::vector<std::string> suites, cases;
  int layouts = judge::kLinkOrders, rounds = 0;
  std::optional<uint64_t> seed;
  double lock_wait_s = 0;
  bool instructions = false, time_identical = false, quick = false, merge_base = false,
       require_quiet = false;
};

void declare_gate(CLI::App& verb, GateOptions& o) {
  verb.add_option("cases", o.cases, "Case lines (default: those of the suites)");
  verb.add_option("--base", o.base, "Revision, worker program or build folder")->required();
  verb.add_option("--head", o.head, "The same (default HEAD)");
  verb.add_option("--suite", o.suites, "Only these suites (repeatable)");
  verb.add_option("--filter", o.filter, "Only matching cases, e.g. 'conv2d k=3'");
  verb.add_flag("--quick", o.quick, "Only the cases tagged quick");
  verb.add_option("--budget", o.budget,
                  "Looks beyond the ordinary ones begin only within this time of measuring, e.g. "
                  "90s or 5m; the "
                  "ordinary ones are always taken, and a second session has as many as the first");
  declare_layouts(verb, o.layouts, "Link orders of a build, as many again for a second session");
  verb.add_option("--rounds", o.rounds,
                  "Look once only, after so many rounds, without a second session that confirms")
      ->check(CLI::Range(6, 10000));
  declare_instructions(verb, o.instructions);
  declare_seed(verb, o.seed);
  declare_lock_wait(verb, o.lock_wait_s);
  verb.add_flag("--merge-base", o.merge_base, "Measure against what base and head have in common");
  verb.add_flag("--require-quiet", o.require_quiet,
                "Exit 3 at once when the machine is too noisy to judge");
  verb.add_flag("--time-identical", o.time_identical,
                "Also time what runs the same machine code in both builds");
  declare_submission(verb, o);
  CLI::Option* const shard = verb.add_option(
      "--shard", o.shard, "Only the cases of shard I of N, e.g. 3/8; both arms of a row are in it");
  verb.add_option("--into", o.into, "Into the folder of a submission")->needs(shard);
}

// The command that does it again, whatever the branches point at by then.
std::string command_text(const Context& context, const GateOptions& o, const judge::GateArms& arms,
                         uint64_t seed) {
  const auto side = [](const judge::Built& built) {
    return shell_word(built.commit.empty() ? built.label : built.commit);
  };
  std::string text = fmt::format("nsop gate --base {} --head {}", side(arms.base), side(arms.head));
  if (!context.adapter_flag.empty()) text += " --adapter " + shell_word(context.adapter_flag);
  if (!context.program_flag.empty()) text += " --program " + shell_word(context.program_flag);
  for (const std::string& line : o.cases) text += " " + shell_word(line);
  for (const std::string& suite : o.suites) text += " --suite " + shell_word(suite);
  if (!o.filter.empty()) text += " --filter " + shell_word(o.filter);
  if (o.quick) text += " --quick";
  if (o.instructions) text += " --instructions";
  if (o.time_identical) text += " --time-identical";
  if (o.rounds > 0) text += fmt::format(" --rounds {}", o.rounds);
  return text +
         fmt::format(" --budget {} --layouts {} --seed {}", shell_word(o.budget), o.layouts, seed);
}

// The same for another process, as arguments of its own.
std::vector<std::string> gate_arguments(const Context& context, const GateOptions& o,
                                        const judge::GateArms& arms, uint64_t seed) {
  std::vector<std::string> arguments;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) arguments.push_back(fmt::format("{}={}", option, value));
  };
  const auto side = [](const judge::Built& built, const std::string& named) {
    return built.commit.empty() ? std::filesystem::absolute(named).string() : built.commit;
  };
  add("--base", side(arms.base, o.base));
  add("--head", side(arms.head, o.head));
  add("--worker", context.worker_flag);
  add("--suites", context.suites_flag);
  add("--adapter", context.adapter_flag);
  add("--program", context.program_flag);
  for (const std::string& suite : o.suites) add("--suite", suite);
  add("--filter", o.filter);
  for (const auto& [flag, is_set] : {std::pair("--quick", o.quick),
                                     {"--instructions", o.instructions},
                                     {"--require-quiet", o.require_quiet},
                                     {"--time-identical", o.time_identical}}) {
    if (is_set) arguments.emplace_back(flag);
  }
  if (o.rounds > 0) add("--rounds", fmt::format("{}", o.rounds));
  add("--budget", o.budget);
  add("--layouts", fmt::format("{}", o.layouts));
  add("--seed", fmt::format("{}", seed));
  add("--lock-wait", fmt::format("{}", o.lock_wait_s));
  arguments.insert(arguments.end(), o.cases.begin(), o.cases.end());
  return arguments;
}

// Is the gate one of a submission, to be measured by others?
bool is_submitted(const GateOptions& o) { return o.nodes > 0 || o.shards > 0 || o.local > 0; }

// The node measures a shard of its own into a database of its own. False: it is measured already.
bool begin_shard(Context& context, const GateOptions& o) {
  const auto number = shards::shard_from_text(o.shard);
  const auto note = [&](const std::string& text) { context.note(text); };
  if (shards::is_gate_measured(o.into, number, note)) return false;
  context.settings.db = shards::shard_database(o.into, number.index);
  return true;
}

std::optional<run::PlanShard> plan_shard(const GateOptions& o) {
  if (o.shard.empty()) return std::nullopt;
  const auto number = shards::shard_from_text(o.shard);
  const std::string id = o.into.empty() ? "" : shards::read_submission(o.into).id;
  return run::PlanShard{number.index, number.of, id, shards::node_name()};
}

// The plan as it is stored, but for rows and builds.
judge::GatePlan gate_plan(const Context& context, const GateOptions& o, const judge::GateArms& arms,
                          const judge::GateOptions& options) {
  judge::GatePlan gate = judge::gate_plan_of(options);
  gate.base = {arms.base.label, arms.base.commit, {}};
  gate.head = {arms.head.label, arms.head.commit, {}};
  gate.merge_base = arms.merge_base;
  gate.command = command_text(context, o, arms, options.seed);
  return gate;
}

// Nothing is measured, but the finding is kept, so that it can be reported.
ExitCode store_and_say_identical(Context& context, const GateOptions& o,
                                 const judge::GateArms& arms) {
  judge::GateOptions options;
  options.seed = o.seed.value_or(0);
  options.layouts = arms.orders.session;
  judge::GatePlan gate = gate_plan(context, o, arms, options);
  gate.identical = true;
  store::Store store(context.settings.db);
  return say_identical(
      context, arms, judge::store_identical(store, gate, {"gate", options.seed, NSOP_VERSION, {}}));
}

// How long until the next look. Which rows are inconclusive then nobody knows before.
std::string left_text(const judge::GateProgress& at, double seconds) {
  const double left =
      seconds * static_cast<double>(at.planned - at.done) / static_cast<double>(at.done);
  const std::string time = run::duration_text(left);
  if (at.session == 0) return time + " left of counting allocations";
  return fmt::format("{} to the look after {} rounds{}", time, at.look,
                     at.session == 2 ? " of the second session" : "");
}

// Measures what was planned, with every invocation stored as it ends.
judge::GateResult measure(Context& context, const std::vector<judge::GateRow>& rows,
                          const judge::GateOptions& options, judge::Measurer& measurer,
                          store::Store& store, const std::string& run_id) {
  run::ProgressLine progress(stderr, progress_mode(context), 80);
  const auto note = [&](const std::string& text) {
    progress.clear();
    context.note(text);
  };
  try {
    return judge::measure_gate(rows, options, measurer, store, run_id, note,
                               [&](const RowKey& row, const judge::GateProgress& at) {
                                 progress.update(row.text(), at.done, at.planned,
                                                 left_text(at, measurer.seconds()));
                               });
  } catch (const run::Interrupted&) {
    note(fmt::format("interrupted; what was measured is stored as {}, without a verdict",
                     short_id(run_id)));
    throw;
  }
}

// How noisy the machine is; says so, and refuses it if that was asked for.
judge::HostProbe probe(Context& context, const GateOptions& o,
                       const std::vector<judge::GateRow>& rows, judge::Measurer& measurer) {
  const judge::HostProbe found = judge::probe_host(rows, measurer, read_conditions());
  if (!found.noisy) return found;
  const std::string text = "the machine is noisy: " + report::probe_text(found);
  const ExitCode code = judge::exit_of(found, o.require_quiet);
  if (code != ExitCode::kOk) throw Error(code, text + "; stop other programs and try again");
  context.note(text);
  return found;
}

void must_be_storable(const std::string& db) {
  if (store::is_server(db)) return void(store::Store(db));
  const std::filesystem::path folder = std::filesystem::absolute(db).parent_path();
  const bool there = std::filesystem::exists(db);
  if (access((there ? db : folder.string()).c_str(), W_OK) == 0) return;
  throw environment_error(fmt::format("{}: can't be written: {}; name another database by --db", db,
                                      std::strerror(errno)));
}

// What can be refused now is not refused after minutes of building.
void refuse_early(const Context& context, const GateOptions& o, const judge::GateSelection& wanted,
                  const judge::SuitePlace& suites, run::WorkerClient& reference) {
  if (context.settings.foreign.adapter.empty()) {
    judge::check_lines(wanted, reference);
    judge::must_have_suites({context.settings.root, ""}, suites, o.head, o.suites);
  }
  must_be_storable(context.settings.db);
}

judge::GateOptions options_of(const GateOptions& o) {
  judge::GateOptions options;
  options.budget_s = parse_seconds("--budget", o.budget);
  if (o.rounds > 0) judge::set_fixed_rounds(options, o.rounds);
  options.seed = run::seed_of(o.seed);
  return options;
}

judge::BuildPlace place_of(const Context& context, const GateOptions& o) {
  judge::BuildPlace place = build_place(context.settings);
  // Both sides are called alike, or no row of one would be one of the other.
  if (place.foreign.name.empty()) {
    place.foreign.name = context.settings.program.empty()
                             ? std::filesystem::path(o.head).filename().string()
                             : context.settings.program;
  }
  return place;
}

judge::GateSelection selection_of(const Context& context, const GateOptions& o) {
  return {lines_of(context.settings, o.cases), o.suites, o.filter, o.quick};
}

judge::SuitePlace suite_place(const Context& context) {
  return {context.settings.suites,
          [](const std::string& folder) { return load_suites(folder, report::suite_forms()); }};
}

// What is compared, and what asks for it.
struct Sides {
  judge::BuildPlace place;
  judge::GateArms arms;
  judge::ArmWorkers base, head;
  bool foreign() const { return !place.foreign.adapter.empty(); }
};

judge::GateRowsPlan planned(Context& context, const GateOptions& o, const Sides& sides,
                            const std::vector<KnownChange>& known, run::WorkerClient& reference) {
  std::optional<run::WorkerClient> base_reference, head_reference;
  judge::GatePlanners planners{sides.base.layouts[0], sides.head.layouts[0], reference};
  if (sides.foreign()) {
    planners.base_reference =
        &base_reference.emplace(sides.base.layouts[0].timing, std::vector<int>(), 1);
    planners.head_reference =
        &head_reference.emplace(sides.head.layouts[0].timing, std::vector<int>(), 1);
  }
  judge::GateRowsPlan plan = judge::plan_gate(selection_of(context, o), sides.arms,
                                              suite_place(context), context.settings.root, planners,
                                              [&](const std::string& text) { context.note(text); });
  if (!o.time_identical) {
    judge::mark_identical(plan.rows, sides.arms.base.rows, sides.arms.head.rows);
  }
  judge::declare_known(plan.rows, known, sides.place, sides.arms);
  return plan;
}

ExitCode submit_gate(Context& context, const GateOptions& o, const Sides& sides,
                     const judge::GateRowsPlan& plan, uint64_t seed) {
  SubmissionOptions submission = o;
  if (o.shards == 0) submission.shards = o.nodes > 0 ? o.nodes : o.local;
  return submit(context, submission, "gate", gate_arguments(context, o, sides.arms, seed),
                shards::gate_cases(plan));
}

ExitCode measure_here(Context& context, const GateOptions& o, const judge::GateOptions& options,
                      const Sides& sides, judge::GateRowsPlan plan, const run::Programs& programs) {
  if (o.instructions) tell_missing_valgrind(context);
  const run::MeasuringLock lock(run::measuring_lock_path(), o.lock_wait_s,
                                [&](const std::string& text) { context.note(text); });
  const run::ScratchFolder scratch;
  run::OracleCache oracle = run::open_oracle(programs.reference, scratch.path());
  // What the base prints is what the head must print.
  run::OracleCache base_oracle(sides.base.layouts[0].timing, "", "", scratch.path());
  const judge::Controls controls{programs.workers[0], oracle};
  judge::WorkerMeasurer measurer(sides.base, sides.head, plan.cases,
                                 sides.foreign() ? base_oracle : oracle, scratch.path(),
                                 o.instructions, sides.foreign() ? &controls : nullptr);
  judge::GatePlan gate = gate_plan(context, o, sides.arms, options);
  gate.base = judge::gate_side(sides.arms.base, sides.base);
  gate.head = judge::gate_side(sides.arms.head, sides.head);
  gate.rows = std::move(plan.rows);
  gate.shard = plan_shard(o);
  gate.probe = probe(context, o, gate.rows, measurer);
  store::Store store(context.settings.db);
  std::vector<const judge::ArmWorkers*> measured = {&sides.base, &sides.head};
  const judge::ArmWorkers own{{programs.workers[0]}};
  if (sides.foreign()) measured.push_back(&own);
  const std::string run_id =
      judge::begin_gate(store, gate, {"gate", options.seed, NSOP_VERSION, plan.cases}, measured);
  const judge::GateResult result = measure(context, gate.rows, options, measurer, store, run_id);
  if (!o.into.empty()) shards::publish_shard(o.into, gate.shard->index, store, run_id);
  return show_gate(context, result, sides.arms, run_id, gate.probe);
}

ExitCode gate_verb(Context& context, const GateOptions& o) {
  judge::GateOptions options = options_of(o);
  if (!o.into.empty() && !begin_shard(context, o)) return ExitCode::kOk;
  if (is_submitted(o)) {
    if (!o.shard.empty()) throw usage_error("--shard excludes --shards, --nodes and --local");
    refuse_secret(context.settings);
  }
  const std::vector<KnownChange> known =
      load_known_changes(context.settings.root + "/" + kKnownChangesFile);
  const run::Programs programs = run::open_programs(own_places(context.settings));
  run::WorkerClient reference(programs.reference.timing, {}, 1);
  refuse_early(context, o, selection_of(context, o), suite_place(context), reference);
  Sides sides{place_of(context, o), {}, {}, {}};
  sides.arms = judge::build_arms(sides.place,
                                 {o.base, o.head, o.merge_base, o.layouts, options.second_session},
                                 [&](const std::string& text) { context.note(text); });
  if (!o.time_identical && judge::are_identical(sides.arms.base, sides.arms.head)) {
    return store_and_say_identical(context, o, sides.arms);
  }
  sides.base = judge::start_arm(sides.arms.base, judge::Arm::kBase);
  sides.head = judge::start_arm(sides.arms.head, judge::Arm::kHead);
  options.layouts = sides.arms.orders.session;
  judge::set_fresh_layouts(options, sides.arms.orders.fresh);
  judge::GateRowsPlan plan = planned(context, o, sides, known, reference);
  if (is_submitted(o)) return submit_gate(context, o, sides, plan, options.seed);
  if (!o.shard.empty()) shards::keep_gate_shard(plan, shards::shard_from_text(o.shard));
  return measure_here(context, o, options, sides, std::move(plan), programs);
}

}  // namespace

void bind_gate(CLI::App& verb, Context& context) {
  bind_verb<GateOptions>(verb, context, declare_gate, gate_verb);
}

}  // namespace nsop::cli
