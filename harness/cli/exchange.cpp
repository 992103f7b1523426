// nsop export, nsop import: runs as NDJSON files, lossless.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <iterator>

#include "harness/cli/session.h"
#include "harness/core/files.h"
#include "harness/store/exchange_parse.h"

namespace nsop::cli {
namespace {

struct ExportOptions {
  std::vector<std::string> runs = {"@last"};
  std::string file = "-";
};
struct ImportOptions {
  std::vector<std::string> files;
};

ExitCode export_verb(Context& context, const ExportOptions& o) {
  const store::Store store = open_for_reading(context.settings);
  std::string text;
  for (const std::string& name : o.runs) {
    text += store::export_run(store, store.resolve_run(name, this_host().id));
  }
  if (o.file == "-") {
    context.out << text;
  } else {
    write_file_atomically(o.file, text);
    context.note(fmt::format("{}: {} run{}", o.file, o.runs.size(), o.runs.size() == 1 ? "" : "s"));
  }
  return ExitCode::kOk;
}

std::string name_of(const std::string& file) { return file == "-" ? "standard input" : file; }

ExitCode import_verb(Context& context, const ImportOptions& o) {
  std::vector<std::string> texts;
  for (const std::string& file : o.files) {
    texts.push_back(file == "-" ? std::string(std::istreambuf_iterator<char>(std::cin), {})
                                : read_file(file));
  }
  // Bad data makes no database.
  const bool is_new = !std::filesystem::exists(context.settings.db);
  for (size_t i = 0; is_new && i < texts.size(); ++i) {
    store::parse_exchange(texts[i], name_of(o.files[i]));
  }
  store::Store store(context.settings.db);
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string run_id = store::import_run(store, texts[i], name_of(o.files[i]));
    context.note(fmt::format("{}: run {}", name_of(o.files[i]), short_id(run_id)));
  }
  return ExitCode::kOk;
}

}  // namespace

void add_export(CLI::App& app, Context& context) {
  add_verb<ExportOptions>(
      app, context, "export", "Write a run as NDJSON",
      [](CLI::App& v, ExportOptions& o) {
        v.add_option("run", o.runs, "Run: @last, uuid prefix, commit or baseline")->expected(0, 1);
        v.add_option("-o,--out", o.file, "File; - is standard output");
      },
      export_verb);
}

void add_import(CLI::App& app, Context& context) {
  add_verb<ImportOptions>(
      app, context, "import", "Read runs that `nsop export` wrote; all of a file or nothing",
      [](CLI::App& v, ImportOptions& o) {
        v.add_option("files", o.files, "NDJSON files; - is standard input")->required();
      },
      import_verb);
}

}  // namespace nsop::cli
