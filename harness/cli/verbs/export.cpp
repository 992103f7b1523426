// nsop export, a verb (verbs.h): runs as NDJSON files, lossless unless they are to be thinned.
#include <fmt/format.h>

#include "harness/cli/session.h"
#include "harness/cli/verbs.h"
#include "harness/core/files.h"
#include "harness/core/host/host.h"

namespace nsop::cli {
namespace {

struct ExportOptions {
  std::vector<std::string> runs = {"@last"};
  std::string file = "-";
  bool thin = false;
};

ExitCode export_verb(Context& context, const ExportOptions& o) {
  const store::Store store = open_for_reading(context.settings);
  std::string text;
  for (const std::string& name : o.runs) {
    text += store::export_run(store, store.resolve_run(name, this_host().id),
                              o.thin ? store::Samples::kThinned : store::Samples::kAll);
  }
  if (o.file == "-") {
    context.out << text;
  } else {
    write_file_atomically(o.file, text);
    context.note(fmt::format("{}: {} run{}", o.file, o.runs.size(), o.runs.size() == 1 ? "" : "s"));
  }
  return ExitCode::kOk;
}

}  // namespace

void bind_export(CLI::App& verb, Context& context) {
  bind_verb<ExportOptions>(
      verb, context,
      [](CLI::App& v, ExportOptions& o) {
        v.add_option("run", o.runs, "Run: @last, uuid prefix, commit or baseline")->expected(0, 1);
        v.add_option("-o,--out", o.file, "File; - is standard output");
        v.add_flag("--thin", o.thin,
                   "One repetition of each invocation, four digits: for runs that are kept for "
                   "long, in a sixth of the space");
      },
      export_verb);
}

}  // namespace nsop::cli
