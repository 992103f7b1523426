#include "harness/cli/selection.h"

#include "harness/cli/session.h"
#include "harness/cli/text/numbers.h"
#include "harness/cli/text/progress_output.h"
#include "harness/run/measure.h"

namespace nsop::cli {

void declare_selection(CLI::App& verb, MeasureOptions& o) {
  verb.add_option("cases", o.cases, "Case lines, e.g. 'relu pass=forward n=1000 range=-3:3'");
  verb.add_option("--profile", o.profile, "quick, comprehensive, full or manual");
  verb.add_option("--suite", o.suites, "Only these suites (repeatable)");
  verb.add_option("--variant", o.variants, "Only these, e.g. hwy or hwy@AVX2 (repeatable)");
  verb.add_option("--threads", o.threads, "Thread counts")->check(CLI::Range(1, 4096));
  verb.add_option("--filter", o.filter, "Only matching cases, e.g. 'tanh n=*'");
  verb.add_option("--rounds", o.rounds, "Invocations per row")->check(CLI::Range(1, 1000));
  declare_seed(verb, o.seed);
  verb.add_option("--trust", o.trust, "Where this runs")
      ->check(CLI::IsMember({"local", "ci", "pr"}));
  declare_lock_wait(verb, o.lock_wait_s);
}

run::Job new_job(const Settings& settings, const MeasureOptions& options) {
  return run::new_job(options, program_places(settings),
                      [&](const auto& names) { return named_suites(settings, names); });
}

void measure_job(Context& context, const MeasureOptions& options, store::Store& store,
                 const run::Job& job) {
  ProgressOutput progress(context);
  run::measure_job(job, options.lock_wait_s, store, progress,
                   [&](const std::string& text) { context.note(text); });
}

}  // namespace nsop::cli
