#include "harness/cli/selection.h"

#include <fmt/format.h>

#include "harness/cli/session.h"
#include "harness/cli/text/numbers.h"
#include "harness/cli/text/progress_output.h"
#include "harness/core/error.h"
#include "harness/run/instructions.h"
#include "harness/run/measure.h"

namespace nsop::cli {
namespace {

// 0 where the option is not given.
double positive_seconds(const std::string& option, const std::string& text) {
  if (text.empty()) return 0;
  const double seconds = parse_seconds(option, text);
  if (seconds > 0) return seconds;
  throw usage_error(option + " " + text + ": expected more than nothing");
}

}  // namespace

void declare_selection(CLI::App& verb, MeasureOptions& o) {
  verb.add_option("cases", o.cases, "Case lines, e.g. 'relu pass=forward n=1000 range=-3:3'");
  verb.add_option("--profile", o.profile, "quick, comprehensive, full or manual");
  verb.add_option("--suite", o.suites, "Only these suites (repeatable)");
  verb.add_option("--variant", o.variants, "Only these, e.g. hwy or hwy@AVX2 (repeatable)");
  verb.add_option("--device", o.devices,
                  "Also on this device: opencl (NSOP_DEVICE: part of its name)")
      ->check(CLI::IsMember(run::known_devices()));
  verb.add_option("--threads", o.threads, "Thread counts")->check(CLI::Range(1, 4096));
  verb.add_option("--filter", o.filter, "Only matching cases, e.g. 'tanh n=*'");
  verb.add_option("--section", o.sections,
                  "Only cases of suites whose heading has this text in it (repeatable)");
  verb.add_option("--tag", o.tags, "Only cases of suites with this tag (repeatable)");
  verb.add_option("--warmup", o.warmup, "Time to warm up an invocation, e.g. 20ms (default 8ms)");
  verb.add_option("--min-time", o.min_time, "Least time of a repetition, e.g. 10ms (default 2ms)");
  verb.add_option("--rounds", o.rounds, "Invocations per row")->check(CLI::Range(1, 1000));
  declare_instructions(verb, o.instructions);
  declare_seed(verb, o.seed);
  verb.add_option("--trust", o.trust, "Where this runs")
      ->check(CLI::IsMember({"local", "ci", "pr"}));
  declare_lock_wait(verb, o.lock_wait_s);
}

std::vector<std::string> selection_arguments(const Context& context, const MeasureOptions& o) {
  std::vector<std::string> arguments;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) arguments.push_back(fmt::format("{}={}", option, value));
  };
  const auto add_all = [&](const char* option, const std::vector<std::string>& values) {
    for (const std::string& value : values) add(option, value);
  };
  add("--worker", context.worker_flag);
  add("--suites", context.suites_flag);
  add("--adapter", context.adapter_flag);
  add("--program", context.program_flag);
  add("--profile", o.profile);
  add_all("--suite", o.suites);
  add_all("--variant", o.variants);
  add_all("--device", o.devices);
  for (const int threads : o.threads) add("--threads", fmt::format("{}", threads));
  add("--filter", o.filter);
  add_all("--section", o.sections);
  add_all("--tag", o.tags);
  add("--warmup", o.warmup);
  add("--min-time", o.min_time);
  if (o.rounds > 0) add("--rounds", fmt::format("{}", o.rounds));
  if (o.instructions) arguments.push_back("--instructions");
  if (o.seed) add("--seed", fmt::format("{}", *o.seed));
  add("--trust", o.trust);
  add("--lock-wait", fmt::format("{}", o.lock_wait_s));
  arguments.insert(arguments.end(), o.cases.begin(), o.cases.end());
  return arguments;
}

run::Job new_job(const Settings& settings, const MeasureOptions& options) {
  run::JobOptions job = options;
  job.listed = !settings.foreign.adapter.empty();
  job.cases = lines_of(settings, options.cases);
  job.warmup_s = positive_seconds("--warmup", options.warmup);
  job.min_time_s = positive_seconds("--min-time", options.min_time);
  return run::new_job(job, program_places(settings),
                      [&](const auto& names) { return named_suites(settings, names); });
}

void measure_job(Context& context, const MeasureOptions& options, store::Store& store,
                 const run::Job& job) {
  if (job.plan.profile.measure.instructions) tell_missing_valgrind(context);
  ProgressOutput progress(context);
  run::measure_job(job, options.lock_wait_s, store, progress,
                   [&](const std::string& text) { context.note(text); });
}

void tell_missing_valgrind(Context& context) {
  if (const std::string text = run::missing_valgrind(); !text.empty()) context.note(text);
}

}  // namespace nsop::cli
