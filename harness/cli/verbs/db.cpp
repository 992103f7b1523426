// nsop db, a verb (verbs.h): care for the database.
#include <fmt/format.h>

#include <algorithm>

#include "harness/cli/session.h"
#include "harness/cli/text/numbers.h"
#include "harness/cli/text/table.h"
#include "harness/cli/verbs.h"
#include "harness/core/host/host.h"
#include "harness/core/identity.h"
#include "harness/core/io/json.h"
#include "harness/run/scratch.h"
#include "harness/store/backend/address.h"
#include "harness/store/backend/rights.h"
#include "harness/store/copy.h"
#include "harness/store/unfinished.h"

namespace nsop::cli {
namespace {

struct NoOptions {};
struct BackupOptions {
  std::string to;
};
struct CopyOptions {
  std::string from, to;
};
struct GrantOptions {
  std::string rights, role;
};
struct PruneOptions {
  std::string older_than, before;
  bool dry_run = false;
};
struct RemoveRunOptions {
  std::string run, reason;
};

ExitCode verify(Context& context, const NoOptions&) {
  const store::VerifyReport report = open_for_reading(context.settings).verify();
  if (context.json) {
    context.out << Json{{"schema", "nsop.db-verify/1"},
                        {"runs", report.runs},
                        {"invocations", report.invocations},
                        {"problems", report.problems}}
                       .dump(2)
                << '\n';
  } else {
    for (const std::string& problem : report.problems) context.out << problem << '\n';
    context.out << fmt::format("{} runs, {} invocations, {} problems\n", report.runs,
                               report.invocations, report.problems.size());
  }
  return report.problems.empty() ? ExitCode::kOk : ExitCode::kBadData;
}

ExitCode backup(Context& context, const BackupOptions& o) {
  open_for_reading(context.settings).backup(o.to);
  context.note(fmt::format("{}: a copy of {}", o.to, store::shown_address(context.settings.db)));
  return ExitCode::kOk;
}

ExitCode copy(Context& context, const CopyOptions& o) {
  const store::Copied copied = store::copy_history(o.from, o.to);
  if (context.json) {
    context.out << Json{{"schema", "nsop.db-copy/1"}, {"runs", copied.runs},
                        {"known", copied.known},      {"running", copied.running},
                        {"removed", copied.removed},  {"events", copied.events}}
                       .dump(2)
                << '\n';
    return ExitCode::kOk;
  }
  context.out << fmt::format("{} runs and {} events copied, {} runs were there\n", copied.runs,
                             copied.events, copied.known);
  if (copied.running > 0) {
    context.note(fmt::format("{} runs that have not ended are left out", copied.running));
  }
  if (copied.removed > 0) {
    context.note(fmt::format("{} runs that were removed from {} are left out", copied.removed,
                             store::shown_address(o.to)));
  }
  return ExitCode::kOk;
}

ExitCode grant(Context& context, const GrantOptions& o) {
  const store::Rights rights = store::rights_from_text(o.rights);
  store::grant_rights(context.settings.db, rights, o.role);
  context.note(
      fmt::format("{}: {} is {}", store::shown_address(context.settings.db), o.role, o.rights));
  return ExitCode::kOk;
}

ExitCode migrate(Context& context, const NoOptions&) {
  const store::Store migrated = store::open_existing(context.settings.db, store::Mode::kReadWrite);
  context.note(fmt::format("{}: schema {}", store::shown_address(context.settings.db),
                           migrated.schema_version()));
  return ExitCode::kOk;
}

ExitCode remove_run(Context& context, const RemoveRunOptions& o) {
  const std::string id = [&] {
    const store::Store store = open_for_reading(context.settings);
    return store.resolve_run(o.run, this_host().id);
  }();
  store::Store(context.settings.db).remove_run(id, o.reason);
  context.note(fmt::format("run {} is removed; what remains of it: nsop db removed", id));
  return ExitCode::kOk;
}

ExitCode removed(Context& context, const NoOptions&) {
  const auto runs = open_for_reading(context.settings).removed_runs();
  if (context.json) {
    Json list = Json::array();
    for (const store::RemovedRun& r : runs) {
      list.push_back({{"run", r.run_id},
                      {"host", r.host_id},
                      {"origin", r.origin},
                      {"started", r.started_utc},
                      {"sha256", r.sha256},
                      {"invocations", r.invocations},
                      {"reason", r.reason},
                      {"removed", r.at_utc}});
    }
    context.out << Json{{"schema", "nsop.db-removed/1"}, {"runs", list}}.dump(2) << '\n';
    return ExitCode::kOk;
  }
  Table table({{"run"}, {"origin"}, {"started"}, {"invocations", true}, {"removed"}, {"reason"}});
  for (const store::RemovedRun& r : runs) {
    table.add({short_id(r.run_id), r.origin, r.started_utc, fmt::format("{}", r.invocations),
               r.at_utc, r.reason});
  }
  table.print(context.out);
  return ExitCode::kOk;
}

// The time so long before now: `90d`.
std::string time_before_now(const std::string& age) {
  const auto seconds = static_cast<int64_t>(parse_seconds("--older-than", age));
  return utc_text(std::max<int64_t>(0, utc_seconds(utc_now()).value() - seconds));
}

std::string start_of(const std::string& day) {
  const std::string time = day + "T00:00:00Z";
  const std::optional<int64_t> seconds = utc_seconds(time);
  if (!seconds || utc_text(*seconds) != time) {
    throw usage_error(fmt::format("--before '{}': expected a day, e.g. 2026-01-31", day));
  }
  return time;
}

ExitCode prune(Context& context, const PruneOptions& o) {
  if (o.before.empty() && o.older_than.empty()) {
    throw usage_error("which runs are to be pruned? Give --older-than 90d or --before DAY");
  }
  const std::string before = o.before.empty() ? time_before_now(o.older_than) : start_of(o.before);
  const store::Mode mode = o.dry_run ? store::Mode::kReadOnly : store::Mode::kReadWrite;
  const store::Pruned done =
      store::open_existing(context.settings.db, mode).prune(before, o.dry_run);
  if (context.json) {
    context.out << Json{{"schema", "nsop.db-prune/1"},
                        {"before", before},
                        {"dry_run", o.dry_run},
                        {"runs", done.runs},
                        {"invocations", done.invocations},
                        {"sample_bytes", done.sample_bytes},
                        {"kept",
                         {{"not_complete", done.not_complete},
                          {"gates", done.gates},
                          {"baselines", done.baselines}}}}
                       .dump(2)
                << '\n';
    return ExitCode::kOk;
  }
  context.out << fmt::format("{} runs {}, with {} invocations: {:.1f} MB of samples {}\n",
                             done.runs, o.dry_run ? "would be pruned" : "pruned", done.invocations,
                             static_cast<double>(done.sample_bytes) / 1e6,
                             o.dry_run ? "that they have, most of which would go" : "are gone");
  if (done.not_complete + done.gates + done.baselines > 0) {
    context.note(
        fmt::format("whole stay {} gates and confirmations, {} baselines, {} runs that are "
                    "not complete",
                    done.gates, done.baselines, done.not_complete));
  }
  return ExitCode::kOk;
}

// What killed processes left: folders of outputs in memory, and files that were never finished,
// beside the database and in the current folder.
ExitCode clean(Context& context, const NoOptions&) {
  const Leftovers scratch = run::remove_dead_scratch();
  Leftovers copies = remove_unfinished_in(".");
  const Leftovers here = store::is_server(context.settings.db)
                             ? Leftovers{}
                             : store::remove_unfinished(context.settings.db);
  copies.files += here.files;
  copies.bytes += here.bytes;
  const int64_t things = scratch.folders + copies.files;
  if (context.json) {
    context.out << Json{{"schema", "nsop.db-clean/1"},
                        {"folders", scratch.folders},
                        {"files", copies.files},
                        {"bytes", scratch.bytes + copies.bytes}}
                       .dump(2)
                << '\n';
  } else {
    context.out << fmt::format("{} leftovers of killed processes removed, {:.1f} MB\n", things,
                               static_cast<double>(scratch.bytes + copies.bytes) / 1e6);
  }
  return ExitCode::kOk;
}

}  // namespace

void bind_db(CLI::App& verb, Context& context) {
  verb.require_subcommand(1);
  const auto nothing = [](CLI::App&, NoOptions&) {};
  add_verb<NoOptions>(verb, context, "verify", "Check integrity and every stored hash", nothing,
                      verify);
  add_verb<BackupOptions>(
      verb, context, "backup", "Copy it while it is in use",
      [](CLI::App& v, BackupOptions& o) {
        v.add_option("to", o.to, "New file; must not exist")->required();
      },
      backup);
  add_verb<CopyOptions>(
      verb, context, "copy", "Add to a database what another one has; goes on where it was stopped",
      [](CLI::App& v, CopyOptions& o) {
        v.add_option("from", o.from, "File, postgresql://… or service=NAME")->required();
        v.add_option("to", o.to, "The same; made where it is missing")->required();
      },
      copy);
  add_verb<GrantOptions>(
      verb, context, "grant", "Give a role of a PostgreSQL server rights to the history",
      [](CLI::App& v, GrantOptions& o) {
        v.add_option("rights", o.rights,
                     "reader; contributor (runs of pull requests); writer; admin (removes runs)")
            ->required();
        v.add_option("role", o.role, "Role, e.g. ci_bot")->required();
      },
      grant);
  add_verb<NoOptions>(verb, context, "migrate", "Bring an older schema up to date (keeps a copy)",
                      nothing, migrate);
  add_verb<RemoveRunOptions>(
      verb, context, "remove-run",
      "Take a run out, for good; that it was there, and why it is not, "
      "is kept",
      [](CLI::App& v, RemoveRunOptions& o) {
        v.add_option("run", o.run, "Run, e.g. @last or the start of its id")->required();
        v.add_option("--reason", o.reason, "Why, one line; kept")->required();
      },
      remove_run);
  add_verb<NoOptions>(verb, context, "removed", "The runs that were taken out, and why", nothing,
                      removed);
  add_verb<PruneOptions>(
      verb, context, "prune",
      "Keep of old runs one repetition of each invocation, which is its value; the rest of their "
      "samples goes",
      [](CLI::App& v, PruneOptions& o) {
        v.add_option("--older-than", o.older_than, "Runs that began so long ago, e.g. 90d");
        v.add_option("--before", o.before, "Runs that began before that day (UTC), e.g. 2026-01-31")
            ->excludes("--older-than");
        v.add_flag("--dry-run", o.dry_run, "Only say what would go");
      },
      prune);
  add_verb<NoOptions>(verb, context, "clean", "Remove what killed processes left", nothing, clean);
}

}  // namespace nsop::cli
