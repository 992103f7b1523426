// The verbs of nsop: one list, from which declarations, help, completion, errors and the tests of
// the documents derive. A new verb is a file of verbs/ and its two lines here.
#pragma once

#include "harness/cli/context.h"

namespace nsop::cli {

struct Verb {
  const char* name;
  const char* help;  // one line
  // Declares options and, if the verb is chosen, sets context.action.
  void (*bind)(CLI::App& verb, Context& context);
};

void bind_alert(CLI::App& verb, Context& context);
void bind_backfill(CLI::App& verb, Context& context);
void bind_baseline(CLI::App& verb, Context& context);
void bind_bisect(CLI::App& verb, Context& context);
void bind_check(CLI::App& verb, Context& context);
void bind_completion(CLI::App& verb, Context& context);
void bind_db(CLI::App& verb, Context& context);
void bind_diff(CLI::App& verb, Context& context);
void bind_doctor(CLI::App& verb, Context& context);
void bind_export(CLI::App& verb, Context& context);
void bind_gate(CLI::App& verb, Context& context);
void bind_history(CLI::App& verb, Context& context);
void bind_import(CLI::App& verb, Context& context);
void bind_list(CLI::App& verb, Context& context);
void bind_report(CLI::App& verb, Context& context);
void bind_run(CLI::App& verb, Context& context);
void bind_verify(CLI::App& verb, Context& context);

// In the order of the help.
inline constexpr Verb kVerbs[] = {
    {"run", "Measure cases or suites and store every result", bind_run},
    {"report", "Write JSON, Markdown and plots of a stored run", bind_report},
    {"diff", "Compare two stored runs; exit 1 if a row is worse", bind_diff},
    {"baseline", "Name a run, to compare with later", bind_baseline},
    {"list", "Show cases, variants, suites, forms of reports or stored runs", bind_list},
    {"verify", "Compare every variant on every target with the oracle", bind_verify},
    {"doctor", "Is this machine fit to measure? Prints what to do", bind_doctor},
    {"export", "Write a run as NDJSON", bind_export},
    {"import", "Read runs that `nsop export` wrote; all of a file or nothing", bind_import},
    {"db", "Verify, back up or migrate the database", bind_db},
    {"gate", "Measure two builds alternately; exit 1 if a row of the head is worse", bind_gate},
    {"check", "Measure, compare with the history, confirm and search what changed", bind_check},
    {"backfill", "Measure old commits into the history, beside a reference", bind_backfill},
    {"history", "Show a case over all runs of a host", bind_history},
    {"bisect", "Find the commit that changed a case", bind_bisect},
    {"alert", "Regressions that nightly checks have confirmed", bind_alert},
    {"completion", "Print a script that completes verbs and flags in a shell", bind_completion},
};

}  // namespace nsop::cli
