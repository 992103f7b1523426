// nsop gate: two builds measured alternately, row by row; exit 1 if a row of the head is worse.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <random>

#include "harness/cli/gate_output.h"
#include "harness/cli/session.h"
#include "harness/core/host.h"
#include "harness/core/json.h"
#include "harness/core/util.h"
#include "harness/judge/stored_gate.h"
#include "harness/judge/worker_measurer.h"
#include "harness/run/interrupt.h"
#include "harness/run/lock.h"
#include "harness/run/progress.h"

namespace nsop::cli {
namespace {

struct Options {
  std::string base, head = "HEAD", filter, budget = "5m";
  std::vector<std::string> suites, cases;
  int layouts = 10;
  uint64_t seed = 0;
  double lock_wait_s = 0;
  bool time_identical = false, quick = false;
};

void declare(CLI::App& verb, Options& o) {
  verb.add_option("cases", o.cases, "Case lines (default: those of the suites)");
  verb.add_option("--base", o.base, "Revision, worker program or build folder")->required();
  verb.add_option("--head", o.head, "The same (default HEAD)");
  verb.add_option("--suite", o.suites, "Only these suites (repeatable)");
  verb.add_option("--filter", o.filter, "Only matching cases, e.g. 'conv2d k=3'");
  verb.add_flag("--quick", o.quick, "Only the cases tagged quick");
  verb.add_option("--budget", o.budget, "Time for rows that stay open, e.g. 90s or 5m");
  verb.add_option("--layouts", o.layouts, "Link orders of each build (10)")
      ->check(CLI::Range(1, 100));
  verb.add_option("--seed", o.seed, "Of the shuffling (default: a fresh one; stored)");
  verb.add_option("--lock-wait", o.lock_wait_s, "Seconds to wait for another measuring process");
  verb.add_flag("--time-identical", o.time_identical, "Also time builds of identical objects");
}

double seconds_of(const std::string& text) {
  const std::map<std::string, double> units = {{"s", 1}, {"m", 60}, {"h", 3600}};
  size_t digits = 0;
  while (digits < text.size() && (std::isdigit(text[digits]) != 0 || text[digits] == '.')) ++digits;
  const auto unit = units.find(digits == text.size() ? "s" : text.substr(digits));
  if (digits == 0 || unit == units.end()) {
    throw usage_error(fmt::format("--budget {}: expected a time like 90s, 5m or 1h", text));
  }
  return std::stod(text.substr(0, digits)) * unit->second;
}

judge::Built build_arm(Context& context, const judge::BuildPlace& place, const std::string& name,
                       int layouts) {
  if (std::filesystem::exists(name)) return judge::use_program(name);
  return judge::build_revision(place, name, layouts,
                               [&](const std::string& note) { context.note(note); });
}

GateArms build_arms(Context& context, const Options& o) {
  const judge::BuildPlace place{context.settings.root, judge::default_builds_folder()};
  const bool head_is_revision = !std::filesystem::exists(o.head);
  GateArms arms{build_arm(context, place, o.base, o.layouts),
                build_arm(context, place, o.head, o.layouts)};
  if (head_is_revision && judge::is_dirty(place)) {
    context.note(
        "uncommitted changes are not measured: only commits are; commit them, or name a "
        "build folder as --head");
  }
  arms.layouts = static_cast<int>(std::min(arms.base.workers.size(), arms.head.workers.size()));
  arms.base.workers.resize(static_cast<size_t>(arms.layouts));
  arms.head.workers.resize(static_cast<size_t>(arms.layouts));
  if (arms.layouts == 1) {
    context.note(
        "one link order each: an offset by layout can't be told from a change of the "
        "code; name revisions to average over link orders");
  }
  return arms;
}

// Our own rows: what the suites show as `after`.
run::Plan plan_of(const Options& o, const Settings& settings, const run::Worker& head,
                  run::WorkerClient& reference, uint64_t seed) {
  const run::Profile profile = run::profile_named(o.quick ? "quick" : "comprehensive");
  std::vector<run::PlanRequest> requests;
  for (const std::string& line : o.cases) requests.push_back({line, "", {{"hwy", "best"}}, {1}});
  if (o.cases.empty()) {
    for (const Suite& suite : named_suites(settings, o.suites)) {
      for (run::PlanRequest& r : run::suite_requests(suite, profile)) {
        r.selectors = {suite.after};
        r.peers.clear();
        r.optional.clear();
        requests.push_back(std::move(r));
      }
    }
  }
  run::Plan plan = run::make_plan(requests, {head}, reference, profile, seed);
  run::filter_plan(plan, o.filter, "", 0);
  std::erase_if(plan.rows, [](const run::PlanRow& row) { return !row.unsupported.empty(); });
  if (plan.rows.empty()) throw usage_error("nothing to judge: no row matches");
  return plan;
}

// Two rows of frozen code, the base's build in both arms: they move only when the machine does.
std::vector<judge::GateRow> rows_of(run::Plan& plan, run::WorkerClient& reference) {
  std::vector<judge::GateRow> rows;
  for (const char* text :
       {"relu pass=forward n=1000 range=-3:3", "matmul m=64 n=64 k=64 trans=nn"}) {
    plan.cases[text] = reference.describe(text);
    rows.push_back({{text, "elementwise", "x86-64", 1}, true, judge::RowKind::kBoth});
  }
  for (const run::PlanRow& row : plan.rows) rows.push_back({row.key, false, judge::RowKind::kBoth});
  return rows;
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
std::string command_text(const Options& o, const GateArms& arms, uint64_t seed) {
  const auto side = [](const judge::Built& built) {
    return quoted(built.commit.empty() ? built.label : built.commit);
  };
  std::string text = fmt::format("nsop gate --base {} --head {}", side(arms.base), side(arms.head));
  for (const std::string& line : o.cases) text += " " + quoted(line);
  for (const std::string& suite : o.suites) text += " --suite " + quoted(suite);
  if (!o.filter.empty()) text += " --filter " + quoted(o.filter);
  if (o.quick) text += " --quick";
  if (o.time_identical) text += " --time-identical";
  return text +
         fmt::format(" --budget {} --layouts {} --seed {}", quoted(o.budget), o.layouts, seed);
}

judge::GateSide side_of(const judge::Built& built, const judge::ArmWorkers& workers) {
  judge::GateSide side{built.label, built.commit, {}};
  for (const run::Worker& worker : workers.layouts) side.build_ids.push_back(worker.build.id);
  return side;
}

judge::GatePlan gate_plan(const Options& o, const GateArms& arms,
                          const std::array<const judge::ArmWorkers*, 2>& workers,
                          const judge::GateOptions& options,
                          const std::vector<judge::GateRow>& rows) {
  judge::GatePlan gate;
  gate.base = side_of(arms.base, *workers[0]);
  gate.head = side_of(arms.head, *workers[1]);
  gate.layouts = options.layouts;
  gate.policy = options.policy;
  gate.command = command_text(o, arms, options.seed);
  gate.rows = rows;
  return gate;
}

Run new_run(const run::Plan& plan, const judge::GatePlan& gate) {
  Run run;
  run.id = new_uuid();
  run.host_id = this_host().id;
  run.conditions = read_conditions();
  run.origin = "gate";
  run.profile = "gate";
  run.seed = plan.seed;
  for (const auto& [text, description] : plan.cases) run.facts[text] = description.facts;
  run.plan_json = judge::gate_plan_text(gate);
  run.started_utc = utc_now();
  run.tool_version = NSOP_VERSION;
  return run;
}

judge::ArmWorkers open_arm(const judge::Built& built, const char* which) {
  try {
    return judge::open_arm(built);
  } catch (const run::WorkerFailure& failure) {
    throw Error(ExitCode::kInconclusive, fmt::format("the {} ({}) can't be measured: {}", which,
                                                     built.label, failure.what()));
  }
}

ExitCode gate_verb(Context& context, const Options& o) {
  judge::GateOptions options;
  options.budget_s = seconds_of(o.budget);
  const GateArms arms = build_arms(context, o);
  if (!o.time_identical && !arms.base.objects_sha256.empty() &&
      arms.base.objects_sha256 == arms.head.objects_sha256) {
    return say_identical(context, arms);
  }
  const judge::ArmWorkers base = open_arm(arms.base, "base"), head = open_arm(arms.head, "head");
  const Programs programs = open_programs(context.settings);
  run::WorkerClient reference(programs.reference.timing, {}, 1);
  options.seed = o.seed != 0 ? o.seed : std::random_device{}();
  options.layouts = arms.layouts;
  run::Plan plan = plan_of(o, context.settings, head.layouts[0], reference, options.seed);
  const std::vector<judge::GateRow> rows = rows_of(plan, reference);

  const run::MeasuringLock lock(
      run::measuring_lock_path(), o.lock_wait_s,
      [](const std::string& holder) { fmt::print(stderr, "waiting: {} is measuring\n", holder); });
  store::Store store(context.settings.db);
  const judge::GatePlan gate = gate_plan(o, arms, {&base, &head}, options, rows);
  const Run run = new_run(plan, gate);
  store.put_host(this_host());
  for (const auto* arm : {&base, &head}) {
    for (const run::Worker& worker : arm->layouts) store.put_build(worker.build);
  }
  store.begin_run(run);
  const run::ScratchFolder scratch;
  run::OracleCache oracle = open_oracle(programs.reference, scratch.path());
  judge::WorkerMeasurer measurer(base, head, plan.cases, oracle, scratch.path());
  run::ProgressLine progress(stderr,
                             context.quiet             ? run::ProgressLine::Mode::kSilent
                             : context.err_is_terminal ? run::ProgressLine::Mode::kTerminal
                                                       : run::ProgressLine::Mode::kPlain,
                             80);
  int64_t done = 0;
  const int64_t planned =
      static_cast<int64_t>(rows.size()) * (2 + 2 * options.policy.looks[0].rounds);
  try {
    const judge::GateResult result =
        judge::run_gate(rows, options, measurer, [&](judge::Arm, Invocation invocation) {
          invocation.run_id = run.id;
          store.append(invocation);
          ++done;
          progress.update(invocation.row.text(), done, std::max(done, planned), 0);
        });
    progress.clear();
    store.end_run(run.id, RunState::kComplete, utc_now());
    return show_gate(context, result, arms, run.id);
  } catch (const run::Interrupted&) {
    run::clear_interrupt();
    store.end_run(run.id, RunState::kAborted, utc_now());
    throw;
  }
}

}  // namespace

void add_gate(CLI::App& app, Context& context) {
  add_verb<Options>(app, context, "gate",
                    "Measure two builds alternately; exit 1 if a row of the head is worse", declare,
                    gate_verb);
}

}  // namespace nsop::cli
