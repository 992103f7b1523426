// nsop import, a verb (verbs.h): reads runs that `nsop export` wrote, results of other tools, and
// values that somebody published.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

#include "harness/cli/session.h"
#include "harness/cli/text/import_output.h"
#include "harness/cli/verbs.h"
#include "harness/core/files.h"
#include "harness/core/hash.h"
#include "harness/core/identity.h"
#include "harness/core/io/json.h"
#include "harness/foreign/read.h"
#include "harness/foreign/record.h"
#include "harness/report/stored/published_runs.h"
#include "harness/store/record/exchange_parse.h"

namespace nsop::cli {
namespace {

struct ImportOptions {
  std::vector<std::string> files;
  foreign::ForeignOptions foreign;
  std::string host, started;
  bool published = false;
};

std::string name_of(const std::string& file) { return file == "-" ? "standard input" : file; }

// What the files hold, one at a time; standard input, which is there once, is kept.
class Texts {
 public:
  std::string of(const std::string& file) {
    if (file != "-") return read_file(file, store::kMaxImportBytes);
    if (!input_) input_ = read_input();
    return *input_;
  }
  std::unique_ptr<std::istream> stream_of(const std::string& file) {
    if (file == "-" || !std::filesystem::is_regular_file(file)) {
      return std::make_unique<std::istringstream>(of(file));
    }
    auto in = std::make_unique<std::ifstream>(file, std::ios::binary);
    if (!*in) throw unreadable_file(file);
    return in;
  }
  std::string sha256_of(const std::string& file) {
    const bool regular = file != "-" && std::filesystem::is_regular_file(file);
    return regular ? sha256_file(file) : sha256_hex(of(file));
  }
  // The first bytes.
  std::string head_of(const std::string& file) {
    std::string head(1 << 10, '\0');
    const auto in = stream_of(file);
    in->read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<size_t>(in->gcount()));
    return head;
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

// A file of another tool, read and translated.
struct ReadForeign {
  foreign::ForeignRead read;
  std::vector<foreign::ForeignRecord> records;
};

ReadForeign read_foreign(Texts& texts, const std::string& file, const ImportOptions& o,
                         const std::string& now) {
  const bool folder = std::filesystem::is_directory(file);
  ReadForeign result{folder
                         ? foreign::read_foreign_folder(file, o.foreign)
                         : foreign::read_foreign(*texts.stream_of(file), name_of(file), o.foreign),
                     {}};
  result.records = foreign::records_of(
      result.read.file, *result.read.format,
      {o.host, o.started.empty() ? now : o.started,
       folder ? foreign::folder_sha256(file) : texts.sha256_of(file), NSOP_VERSION});
  if (result.records.empty()) throw bad_data(name_of(file) + ": no row can be stored");
  return result;
}

bool is_ours(Texts& texts, const std::string& file, const ImportOptions& o) {
  if (std::filesystem::is_directory(file)) return false;
  const std::string head = texts.head_of(file);
  return o.foreign.format == "nsop" ||
         (o.foreign.format.empty() && (head.empty() || foreign::is_our_export(head)));
}

// The stored run of these bytes, whenever they were read: a second import changes nothing.
std::vector<StoredForeign> store_all(store::Store& store, const ReadForeign& found) {
  std::set<std::string> known;
  for (const store::RunSummary& summary : store.runs()) known.insert(summary.run.id);
  std::vector<StoredForeign> stored;
  for (const foreign::ForeignRecord& one : found.records) {
    if (known.contains(one.run.id)) {
      stored.push_back({&one, {one.run.id, false}});
    } else {
      stored.push_back({&one, store::import_record(store, one.record, found.read.file.where())});
    }
  }
  return stored;
}

// Files of published values, all of them or, if one is bad, none.
ExitCode import_published(Context& context, const ImportOptions& o) {
  Texts texts;
  std::vector<std::vector<report::PublishedRun>> files;
  for (const std::string& file : o.files) {
    const std::string name = name_of(file);
    try {
      files.push_back(
          report::published_runs(report::parse_published(texts.of(file), name),
                                 {o.started.empty() ? utc_now() : o.started, NSOP_VERSION}));
    } catch (const Error& error) {
      const std::string message = error.what();
      if (error.code() != ExitCode::kBadData || message.starts_with(name)) throw;
      throw bad_data(fmt::format("{}: {}", name, message));
    }
    if (files.back().empty()) throw bad_data(name + ": it holds no published value");
  }
  store::Store store(context.settings.db);
  Json list = Json::array();
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string name = name_of(o.files[i]);
    const std::vector<bool> are_new = report::store_published(store, files[i], name);
    if (context.json) {
      list.push_back(published_json(name, files[i], are_new));
    } else {
      note_published(context, name, files[i], are_new);
    }
  }
  if (context.json) print_imports(context, std::move(list));
  return ExitCode::kOk;
}

void check_started(const std::string& started) {
  if (started.empty() || utc_seconds(started)) return;
  throw usage_error(
      fmt::format("--started '{}': expected a time such as 2026-01-31T12:00:00Z", started));
}

ExitCode import_verb(Context& context, const ImportOptions& o) {
  check_started(o.started);
  if (o.published) return import_published(context, o);
  Texts texts;
  const std::string now = utc_now();
  std::optional<store::ReadExchange> only;  // of the only file, so that it isn't read twice
  // Bad data makes no database.
  if (!store::database_exists(context.settings.db)) {
    for (const std::string& file : o.files) {
      if (is_ours(texts, file, o)) {
        store::ReadExchange read = store::read_exchange(texts.of(file), name_of(file));
        if (o.files.size() == 1) only = std::move(read);
      } else {
        read_foreign(texts, file, o, now);
      }
    }
  }
  store::Store store(context.settings.db);
  Json files = Json::array();
  for (const std::string& file : o.files) {
    if (is_ours(texts, file, o)) {
      if (!only) only = store::read_exchange(texts.of(file), name_of(file));
      const std::string run_id = store::import_exchange(store, *only, name_of(file)).run_id;
      only.reset();
      context.note(fmt::format("{}: run {}", name_of(file), short_id(run_id)));
      files.push_back({{"file", name_of(file)}, {"format", "nsop"}, {"runs", {{{"run", run_id}}}}});
      continue;
    }
    const ReadForeign found = read_foreign(texts, file, o, now);
    const auto stored = store_all(store, found);
    if (context.json) {
      files.push_back(import_json(found.read.file, *found.read.format, stored));
    } else {
      note_import(context, found.read.file, *found.read.format, stored);
    }
  }
  if (context.json) print_imports(context, std::move(files));
  return ExitCode::kOk;
}

void declare_import(CLI::App& verb, ImportOptions& o) {
  verb.add_option("files", o.files, "Files; - is standard input")->required();
  CLI::Option* published =
      verb.add_flag("--published", o.published,
                    "The files hold values that somebody published (reference/published says how)");
  verb.add_option("--format", o.foreign.format,
                  "Of another tool's file (default: detected), e.g. google-benchmark")
      ->excludes(published);
  verb.add_flag("--salvage", o.foreign.salvage, "Keep the complete rows of a truncated file")
      ->excludes(published);
  verb.add_option("--host", o.host, "Name of the machine, for files that don't say it")
      ->excludes(published);
  verb.add_option("--started", o.started,
                  "When it was measured, for files that don't say it (default: now)");
  verb.add_option("--columns", o.foreign.read.columns,
                  "What the columns of a CSV file are: name=COLUMN,time=COLUMN:UNIT")
      ->excludes(published);
}

}  // namespace

void bind_import(CLI::App& verb, Context& context) {
  bind_verb<ImportOptions>(verb, context, declare_import, import_verb);
}

}  // namespace nsop::cli
