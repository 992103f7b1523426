// nsop export, a verb (verbs.h): runs as NDJSON files, lossless unless they are to be thinned, and
// in formats of other tools.
#include <fmt/format.h>

#include "harness/cli/session.h"
#include "harness/cli/verbs.h"
#include "harness/core/files.h"
#include "harness/core/host/host.h"
#include "harness/foreign/export/exports.h"

namespace nsop::cli {
namespace {

struct ExportOptions {
  std::vector<std::string> runs = {"@last"};
  std::string file = "-", format = "ndjson";
  bool thin = false;
};

foreign::ExportRun whole_run(const store::Store& store, const std::string& run_id) {
  foreign::ExportRun whole{store.run(run_id), {}, {}, store.invocations(run_id)};
  whole.host = store.host(whole.run.host_id);
  for (const Invocation& one : whole.invocations) {
    if (!whole.builds.contains(one.build_id))
      whole.builds[one.build_id] = store.build(one.build_id);
  }
  return whole;
}

// In a format of another tool; what it can't say is said.
std::string exported_elsewhere(Context& context, const store::Store& store,
                               const std::string& run_id, const std::string& format) {
  const foreign::Exported out =
      foreign::find_export_format(format)->write(whole_run(store, run_id));
  for (const auto& [reason, count] : out.left_out) {
    context.note(fmt::format("left out: {}: {}", count, reason));
  }
  return out.text;
}

ExitCode export_verb(Context& context, const ExportOptions& o) {
  const store::Store store = open_for_reading(context.settings);
  std::string text;
  if (o.thin && o.format != "ndjson") {
    throw usage_error("--thin goes with ndjson: other formats hold what they hold");
  }
  for (const std::string& name : o.runs) {
    const std::string run_id = store.resolve_run(name, this_host().id);
    text += o.format == "ndjson"
                ? store::export_run(store, run_id,
                                    o.thin ? store::Samples::kThinned : store::Samples::kAll)
                : exported_elsewhere(context, store, run_id, o.format);
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
        std::vector<std::string> formats = {"ndjson"};
        for (const auto& format : foreign::all_export_formats()) formats.emplace_back(format.name);
        v.add_option("--format", o.format,
                     "ndjson (ours, lossless), csv, benchstat, gbench (Google Benchmark's JSON) or "
                     "bmf (Bencher)")
            ->check(CLI::IsMember(formats));
        v.add_flag("--thin", o.thin,
                   "One repetition of each invocation, four digits: for runs that are kept for "
                   "long, in a sixth of the space");
      },
      export_verb);
}

}  // namespace nsop::cli
