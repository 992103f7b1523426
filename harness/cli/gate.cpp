// nsop gate: two builds measured alternately, row by row; exit 1 if a row of the head is worse.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>

#include "harness/cli/duration.h"
#include "harness/cli/gate_output.h"
#include "harness/cli/gate_plan.h"
#include "harness/cli/gate_view.h"
#include "harness/cli/numbers.h"
#include "harness/cli/session.h"
#include "harness/core/host/host.h"
#include "harness/core/identity.h"
#include "harness/core/suite/known_changes.h"
#include "harness/judge/builds/commits.h"
#include "harness/judge/builds/row_code.h"
#include "harness/judge/gate/clock_watch.h"
#include "harness/judge/gate/identical.h"
#include "harness/judge/gate/measurer.h"
#include "harness/judge/gate/probe.h"
#include "harness/judge/gate/stored.h"
#include "harness/run/interrupt.h"
#include "harness/run/lock.h"
#include "harness/run/progress.h"

namespace nsop::cli {
namespace {

struct GateOptions {
  std::string base, head = "HEAD", filter, budget = "5m";
  std::vector<std::string> suites, cases;
  int layouts = judge::kLinkOrders, rounds = 0;
  std::optional<uint64_t> seed;
  double lock_wait_s = 0;
  bool time_identical = false, quick = false, merge_base = false, require_quiet = false;
};

void declare_gate(CLI::App& verb, GateOptions& o) {
  verb.add_option("cases", o.cases, "Case lines (default: those of the suites)");
  verb.add_option("--base", o.base, "Revision, worker program or build folder")->required();
  verb.add_option("--head", o.head, "The same (default HEAD)");
  verb.add_option("--suite", o.suites, "Only these suites (repeatable)");
  verb.add_option("--filter", o.filter, "Only matching cases, e.g. 'conv2d k=3'");
  verb.add_flag("--quick", o.quick, "Only the cases tagged quick");
  verb.add_option("--budget", o.budget,
                  "Looks beyond the ordinary ones begin only within this time, e.g. 90s or 5m; the "
                  "ordinary ones are always taken, and a second session has as many as the first");
  declare_layouts(verb, o.layouts, "Link orders of a build, as many again for a second session");
  verb.add_option("--rounds", o.rounds,
                  "Look once only, after so many rounds, without a second session that confirms")
      ->check(CLI::Range(6, 10000));
  declare_seed(verb, o.seed);
  declare_lock_wait(verb, o.lock_wait_s);
  verb.add_flag("--merge-base", o.merge_base, "Measure against what base and head have in common");
  verb.add_flag("--require-quiet", o.require_quiet,
                "Exit 3 at once when the machine is too noisy to judge");
  verb.add_flag("--time-identical", o.time_identical,
                "Also time what runs the same machine code in both builds");
}

// A measurement of fixed length instead of a decision as early as possible.
void fix_rounds(judge::GateOptions& options, int rounds) {
  options.policy.looks = {{rounds, 0.01}};
  options.policy.further.clear();
  options.second_session = false;
}

// Marks the rows that the project declares to get worse. A declaration that names a commit counts
// where the head has it and the base hasn't.
void declare_known(std::vector<judge::GateRow>& rows, const std::vector<KnownChange>& known,
                   const judge::BuildPlace& place, const GateArms& arms) {
  const auto is_of = [&](const std::string& commit) {
    return !arms.head.commit.empty() && judge::is_ancestor(place, commit, arms.head.commit) &&
           (arms.base.commit.empty() || !judge::is_ancestor(place, commit, arms.base.commit));
  };
  for (judge::GateRow& row : rows) {
    if (row.canary) continue;
    const KnownChange* found =
        find_known_change(known, {row.key, "worse", 1}, utc_now().substr(0, 10), is_of);
    if (found == nullptr) continue;
    row.declared = fmt::format("declared in {}: {}", found->where, found->reason);
    row.declared_percent = found->at_most_percent.value_or(0);
  }
}

std::string quoted(const std::string& word) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_./:@=+,").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

// The command that does it again, whatever the branches point at by then.
std::string command_text(const GateOptions& o, const GateArms& arms, uint64_t seed) {
  const auto side = [](const judge::Built& built) {
    return quoted(built.commit.empty() ? built.label : built.commit);
  };
  std::string text = fmt::format("nsop gate --base {} --head {}", side(arms.base), side(arms.head));
  for (const std::string& line : o.cases) text += " " + quoted(line);
  for (const std::string& suite : o.suites) text += " --suite " + quoted(suite);
  if (!o.filter.empty()) text += " --filter " + quoted(o.filter);
  if (o.quick) text += " --quick";
  if (o.time_identical) text += " --time-identical";
  if (o.rounds > 0) text += fmt::format(" --rounds {}", o.rounds);
  return text +
         fmt::format(" --budget {} --layouts {} --seed {}", quoted(o.budget), o.layouts, seed);
}

judge::GateSide side_of(const judge::Built& built, const judge::ArmWorkers& workers) {
  judge::GateSide side{built.label, built.commit, {}};
  for (const run::Worker& worker : workers.layouts) side.build_ids.push_back(worker.build.id);
  return side;
}

judge::GatePlan gate_plan(const GateOptions& o, const GateArms& arms,
                          const std::array<const judge::ArmWorkers*, 2>& workers,
                          const judge::GateOptions& options, std::vector<judge::GateRow> rows) {
  judge::GatePlan gate;
  gate.base = side_of(arms.base, *workers[0]);
  gate.head = side_of(arms.head, *workers[1]);
  gate.layouts = options.layouts;
  gate.fresh_layouts = options.fresh_layouts;
  gate.policy = options.policy;
  gate.second_session = options.second_session;
  gate.command = command_text(o, arms, options.seed);
  gate.rows = std::move(rows);
  gate.merge_base = arms.merge_base;
  return gate;
}

Run new_run(const std::map<std::string, run::CaseDescription>& cases, uint64_t seed,
            const judge::GatePlan& gate) {
  Run run;
  run.id = new_uuid();
  run.host_id = this_host().id;
  run.conditions = read_conditions();
  run.origin = "gate";
  run.profile = "gate";
  run.seed = seed;
  for (const auto& [text, description] : cases) run.facts[text] = description.facts;
  run.plan_json = judge::gate_plan_text(gate);
  run.started_utc = utc_now();
  run.tool_version = NSOP_VERSION;
  return run;
}

// Nothing is measured, but the finding is kept, so that it can be reported.
std::string store_identical(Context& context, const GateOptions& o, const GateArms& arms) {
  judge::GatePlan gate;
  gate.base = {arms.base.label, arms.base.commit, {}};
  gate.head = {arms.head.label, arms.head.commit, {}};
  gate.merge_base = arms.merge_base;
  gate.identical = true;
  gate.layouts = arms.orders.session;
  gate.command = command_text(o, arms, o.seed.value_or(0));
  store::Store store(context.settings.db);
  store.put_host(this_host());
  const Run run = new_run({}, o.seed.value_or(0), gate);
  store.begin_run(run);
  store.end_run(run.id, RunState::kComplete, utc_now());
  return run.id;
}

run::ProgressLine progress_line(const Context& context) {
  return {stderr,
          context.quiet             ? run::ProgressLine::Mode::kSilent
          : context.err_is_terminal ? run::ProgressLine::Mode::kTerminal
                                    : run::ProgressLine::Mode::kPlain,
          80};
}

// How long until the next look. Which rows stay open then nobody knows before.
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
  run::ProgressLine progress = progress_line(context);
  const judge::ClockWatch clock;
  try {
    judge::GateResult result = judge::run_gate(
        rows, options, measurer,
        [&](judge::Arm, Invocation invocation) {
          invocation.run_id = run_id;
          store.append(invocation);
        },
        [&](const RowKey& row, const judge::GateProgress& at) {
          progress.update(row.text(), at.done, at.planned, left_text(at, measurer.seconds()));
        });
    progress.clear();
    store.end_run(run_id, RunState::kComplete, utc_now());
    if (const std::string jump = clock.jump(); !jump.empty()) context.note(jump);
    return result;
  } catch (const run::Interrupted&) {
    run::clear_interrupt();
    progress.clear();
    store.end_run(run_id, RunState::kAborted, utc_now());
    context.note(fmt::format("interrupted; what was measured is stored as {}, without a verdict",
                             short_id(run_id)));
    throw;
  }
}

// How noisy the machine is; says so, and refuses it if that was asked for.
judge::HostProbe probe(Context& context, const GateOptions& o,
                       const std::vector<judge::GateRow>& rows, judge::Measurer& measurer) {
  const judge::HostProbe found = judge::probe_host(rows, measurer, read_conditions());
  if (!found.noisy) return found;
  const std::string text = "the machine is noisy: " + probe_text(found);
  if (o.require_quiet) {
    throw Error(ExitCode::kInconclusive, text + "; stop other programs and try again");
  }
  context.note(text);
  return found;
}

void must_be_storable(const std::string& db) {
  const std::filesystem::path folder = std::filesystem::absolute(db).parent_path();
  const bool there = std::filesystem::exists(db);
  if (access((there ? db : folder.string()).c_str(), W_OK) == 0) return;
  throw environment_error(fmt::format("{}: can't be written: {}; name another database by --db", db,
                                      std::strerror(errno)));
}

ExitCode gate_verb(Context& context, const GateOptions& o) {
  judge::GateOptions options;
  options.budget_s = parse_seconds("--budget", o.budget);
  if (o.rounds > 0) fix_rounds(options, o.rounds);
  const std::vector<KnownChange> known =
      load_known_changes(context.settings.root + "/" + kKnownChangesFile);
  const Programs programs = open_programs(context.settings);
  run::WorkerClient reference(programs.reference.timing, {}, 1);
  const GateCases wanted{o.cases, o.suites, o.filter, o.quick};
  // What can be refused now is not refused after minutes of building.
  check_lines(wanted, reference);
  must_have_suites(context, o.head, o.suites);
  must_be_storable(context.settings.db);
  const GateArms arms =
      build_arms(context, {o.base, o.head, o.merge_base, o.layouts, options.second_session});
  if (!o.time_identical && are_identical(arms)) {
    return say_identical(context, arms, store_identical(context, o, arms));
  }
  const judge::ArmWorkers base = open_arm(arms.base, judge::Arm::kBase),
                          head = open_arm(arms.head, judge::Arm::kHead);
  options.seed = seed_of(o.seed);
  options.layouts = arms.orders.session;
  judge::set_fresh_layouts(options, arms.orders.fresh);
  GateRowsPlan plan = plan_gate(context, wanted, arms, base.layouts[0], head.layouts[0], reference);
  if (!o.time_identical) judge::mark_identical(plan.rows, arms.base.rows, arms.head.rows);
  declare_known(plan.rows, known, {context.settings.root, judge::default_builds_folder()}, arms);

  const run::MeasuringLock lock(run::measuring_lock_path(), o.lock_wait_s,
                                [&](const std::string& text) { context.note(text); });
  const run::ScratchFolder scratch;
  run::OracleCache oracle = open_oracle(programs.reference, scratch.path());
  judge::WorkerMeasurer measurer(base, head, plan.cases, oracle, scratch.path());
  judge::GatePlan gate = gate_plan(o, arms, {&base, &head}, options, std::move(plan.rows));
  gate.probe = probe(context, o, gate.rows, measurer);
  store::Store store(context.settings.db);
  store.put_host(this_host());
  for (const auto* arm : {&base, &head}) {
    for (const run::Worker& worker : arm->layouts) store.put_build(worker.build);
  }
  const Run run = new_run(plan.cases, options.seed, gate);
  store.begin_run(run);
  const judge::GateResult result = measure(context, gate.rows, options, measurer, store, run.id);
  return show_gate(context, result, arms, run.id, gate.probe);
}

}  // namespace

void add_gate(CLI::App& app, Context& context) {
  add_verb<GateOptions>(app, context, "gate",
                        "Measure two builds alternately; exit 1 if a row of the head is worse",
                        declare_gate, gate_verb);
}

}  // namespace nsop::cli
