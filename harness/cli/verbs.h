// The verbs of nsop: one list, from which declarations, help, completion, errors and the tests of
// the documents derive. A new verb is a file of verbs/, and its line here.
#pragma once

#include "harness/cli/context.h"

// Name, what binds it, and its help, which is one line; in the order of the help.
#define NSOP_VERBS(VERB)                                                                          \
  VERB("run", bind_run, "Measure cases or suites and store every result")                         \
  VERB("submit", bind_submit,                                                                     \
       "Measure in shards, on a Slurm cluster's nodes or this machine's cores")                   \
  VERB("merge", bind_merge, "Store the shards of a submission as one run per kind of host")       \
  VERB("report", bind_report, "Write JSON, Markdown and plots of a stored run")                   \
  VERB("diff", bind_diff, "Compare two stored runs; exit 1 if a row is worse")                    \
  VERB("baseline", bind_baseline, "Name a run, to compare with later")                            \
  VERB("list", bind_list, "Show cases, variants, suites, forms of reports or stored runs")        \
  VERB("verify", bind_verify, "Compare every variant on every target with the oracle")            \
  VERB("doctor", bind_doctor, "Is this machine fit to measure? Prints what to do")                \
  VERB("init", bind_init, "Write an nsop.toml for the benchmarks that a project has")             \
  VERB("export", bind_export, "Write a run as NDJSON, or in a format of other tools")             \
  VERB("import", bind_import, "Read runs that `nsop export` wrote, or results of other tools")    \
  VERB("db", bind_db, "Verify, back up or migrate the database")                                  \
  VERB("gate", bind_gate, "Measure two builds alternately; exit 1 if a row of the head is worse") \
  VERB("check", bind_check, "Measure, compare with the history, confirm and search what changed") \
  VERB("backfill", bind_backfill, "Measure old commits into the history, beside a reference")     \
  VERB("history", bind_history, "Show a case over all runs of a host")                            \
  VERB("bisect", bind_bisect, "Find the commit that changed a case")                              \
  VERB("alert", bind_alert, "Regressions that nightly checks have confirmed")                     \
  VERB("site", bind_site, "Write static pages of the store: rows, histories, gates, rooflines")   \
  VERB("audit", bind_audit, "Compute a Markdown report's figures again; exit 1 if one is wrong")  \
  VERB("completion", bind_completion, "Print a script that completes verbs and flags in a shell")

namespace nsop::cli {

struct Verb {
  const char* name;
  const char* help;
  // Declares options and, if the verb is chosen, sets context.action.
  void (*bind)(CLI::App& verb, Context& context);
};

#define NSOP_DECLARE_VERB(name, bind, help) void bind(CLI::App& verb, Context& context);
NSOP_VERBS(NSOP_DECLARE_VERB)
#undef NSOP_DECLARE_VERB

#define NSOP_VERB_ROW(name, bind, help) {name, help, bind},
inline constexpr Verb kVerbs[] = {NSOP_VERBS(NSOP_VERB_ROW)};
#undef NSOP_VERB_ROW

}  // namespace nsop::cli
