// nsop import, a verb (verbs.h): reads runs that `nsop export` wrote.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <iostream>
#include <optional>

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

// What the files hold, one at a time in memory; standard input, which is there once, is kept.
class Texts {
 public:
  std::string of(const std::string& file) {
    if (file != "-") return read_file(file, store::kMaxImportBytes);
    if (!input_) input_ = read_input();
    return *input_;
  }

 private:
  static std::string read_input() {
    std::string text;
    std::array<char, 1 << 16> piece;
    while (text.size() <= store::kMaxImportBytes) {
      std::cin.read(piece.data(), piece.size());
      if (std::cin.gcount() == 0) return text;
      text.append(piece.data(), static_cast<size_t>(std::cin.gcount()));
    }
    throw bad_data(fmt::format("standard input: larger than {} MiB", store::kMaxImportBytes >> 20));
  }

  std::optional<std::string> input_;
};

ExitCode import_verb(Context& context, const ImportOptions& o) {
  Texts texts;
  // Bad data makes no database.
  if (!std::filesystem::exists(context.settings.db)) {
    for (const std::string& file : o.files) store::parse_exchange(texts.of(file), name_of(file));
  }
  store::Store store(context.settings.db);
  for (const std::string& file : o.files) {
    const std::string run_id = store::import_run(store, texts.of(file), name_of(file));
    context.note(fmt::format("{}: run {}", name_of(file), short_id(run_id)));
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
