// The formats that are read: one ordered table, a file of this folder per format.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "harness/foreign/file.h"
#include "harness/foreign/import/text_source.h"

namespace nsop::foreign {

// What a format is recognised by.
struct Head {
  std::string text;             // the beginning
  std::set<std::string> paths;  // of JSON, as json_paths() says them

  bool has(const std::string& path) const { return paths.contains(path); }
  bool has_line_with(std::string_view beginning) const;  // that begins so
};

struct ReadOptions {
  std::string columns{};  // of CSV: `name=COLUMN,time=COLUMN:UNIT,...`
};

struct Format {
  const char* name;  // of `--format`
  const char* tool;  // in the case text
  const char* what;  // in help and documents
  bool (*detect)(const Head& head);
  // Reads the whole text; throws Error (bad data, usage for wrong options) with the file's name.
  // Sets `truncated` where the text ends early.
  void (*read)(TextSource& text, const ReadOptions& options, ForeignFile& file);
};

// The first that detects a file reads it.
std::span<const Format> all_formats();
const Format* find_format(std::string_view name);  // nullptr: there is none

bool is_google_benchmark(const Head& head);
void read_google_benchmark(TextSource& text, const ReadOptions& options, ForeignFile& file);
bool is_go_text(const Head& head);
void read_go_text(TextSource& text, const ReadOptions& options, ForeignFile& file);
bool is_pytest_benchmark(const Head& head);
void read_pytest_benchmark(TextSource& text, const ReadOptions& options, ForeignFile& file);
bool is_cargo_criterion(const Head& head);
void read_cargo_criterion(TextSource& text, const ReadOptions& options, ForeignFile& file);
bool is_jmh(const Head& head);
void read_jmh(TextSource& text, const ReadOptions& options, ForeignFile& file);
bool is_hyperfine(const Head& head);
void read_hyperfine(TextSource& text, const ReadOptions& options, ForeignFile& file);
bool is_benchmark_dotnet(const Head& head);
void read_benchmark_dotnet(TextSource& text, const ReadOptions& options, ForeignFile& file);
bool is_catch2(const Head& head);
void read_catch2(TextSource& text, const ReadOptions& options, ForeignFile& file);
bool is_nanobench(const Head& head);
void read_nanobench(TextSource& text, const ReadOptions& options, ForeignFile& file);
bool is_action_data(const Head& head);
void read_action_data(TextSource& text, const ReadOptions& options, ForeignFile& file);
bool is_asv(const Head& head);
void read_asv(TextSource& text, const ReadOptions& options, ForeignFile& file);
bool is_bencher(const Head& head);
void read_bencher(TextSource& text, const ReadOptions& options, ForeignFile& file);
bool is_csv(const Head& head);
void read_csv(TextSource& text, const ReadOptions& options, ForeignFile& file);

// One benchmark of a folder of Criterion.rs: the texts of its benchmark.json and sample.json.
void read_criterion_sample(const std::string& benchmark_json, const std::string& sample_json,
                           ForeignFile& file);

}  // namespace nsop::foreign
