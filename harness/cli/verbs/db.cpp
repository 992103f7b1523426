// nsop db, a verb (verbs.h): care for the database.
#include <fmt/format.h>

#include "harness/cli/session.h"
#include "harness/cli/verbs.h"
#include "harness/core/io/json.h"

namespace nsop::cli {
namespace {

struct NoOptions {};
struct BackupOptions {
  std::string to;
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
  context.note(fmt::format("{}: a copy of {}", o.to, context.settings.db));
  return ExitCode::kOk;
}

ExitCode migrate(Context& context, const NoOptions&) {
  open_for_reading(context.settings);
  const store::Store store(context.settings.db);  // opening for writing migrates
  context.note(fmt::format("{}: schema {}", context.settings.db, store::kSchemaVersion));
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
  add_verb<NoOptions>(verb, context, "migrate", "Bring an older schema up to date (keeps a copy)",
                      nothing, migrate);
}

}  // namespace nsop::cli
