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

bool is_go_text(const Head& head);
void read_go_text(TextSource& text, const ReadOptions& options, ForeignFile& file);
bool is_pytest_benchmark(const Head& head);
void read_pytest_benchmark(TextSource& text, const ReadOptions& options, ForeignFile& file);
bool is_hyperfine(const Head& head);
void read_hyperfine(TextSource& text, const ReadOptions& options, ForeignFile& file);
bool is_csv(const Head& head);
void read_csv(TextSource& text, const ReadOptions& options, ForeignFile& file);
bool is_google_benchmark(const Head& head);
void read_google_benchmark(TextSource& text, const ReadOptions& options, ForeignFile& file);

}  // namespace nsop::foreign
