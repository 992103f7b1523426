// nsop import, a verb (verbs.h): reads runs that `nsop export` wrote.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <iterator>

#include "harness/cli/session.h"
#include "harness/cli/verbs.h"
#include "harness/core/files.h"
#include "harness/store/record/exchange_parse.h"

namespace nsop::cli {
namespace {

struct ImportOptions {
  std::vector<std::string> files;
};

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

void bind_import(CLI::App& verb, Context& context) {
  bind_verb<ImportOptions>(
      verb, context,
      [](CLI::App& v, ImportOptions& o) {
        v.add_option("files", o.files, "NDJSON files; - is standard input")->required();
      },
      import_verb);
}

}  // namespace nsop::cli
