#include "harness/foreign/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/core/case.h"
#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/hash.h"
#include "harness/core/text.h"
#include "harness/foreign/import/json_rows.h"

namespace nsop::foreign {
namespace {

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format& format : all_formats()) names.emplace_back(format.name);
  return names;
}

const Format& named_format(const std::string& name) {
  if (const Format* format = find_format(name)) return *format;
  const auto near = nearest(name, format_names());
  throw usage_error(fmt::format("unknown format '{}'{}; expected one of {}", name,
                                near ? fmt::format(", did you mean '{}'?", *near) : "",
                                join(format_names(), ", ")));
}

Head head_of(const std::string& text) {
  Head head{text, {}};
  for (std::string& path : json_paths(text)) head.paths.insert(std::move(path));
  return head;
}

const Format& detected_format(const Head& head, const std::string& where) {
  for (const Format& format : all_formats()) {
    if (format.detect(head)) return format;
  }
  throw bad_data(fmt::format("{}: no known format; --format names one of {}", where,
                             join(format_names(), ", ")));
}

int64_t rows_of(const ForeignFile& file) {
  int64_t rows = 0;
  for (const ForeignRun& run : file.runs()) rows += static_cast<int64_t>(run.rows.size());
  return rows;
}

void check(const ForeignFile& file, bool salvage) {
  const int64_t rows = rows_of(file);
  if (file.truncated && !salvage) {
    throw bad_data(fmt::format(
        "{}: truncated: it ends in the middle (of lines, the last one has no end); fetch it again, "
        "or keep its {} complete row{} with --salvage",
        file.where(), rows, rows == 1 ? "" : "s"));
  }
  if (rows > 0) return;
  std::string why;
  for (const auto& [reason, one] : file.left_out()) {
    why += fmt::format("{} {} ({})", why.empty() ? ":" : ",", reason, one.count);
  }
  throw bad_data(fmt::format("{}: nothing to import: {} rows were read, none can be stored{}",
                             file.where(), file.rows_read(), why));
}

constexpr size_t kMostSampleBytes = 64u << 20;

// The newest samples below a folder, in the order of their names.
std::vector<std::string> samples_below(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> found;
  for (const auto& entry : entries_of(folder, error, true)) {
    if (entry.path().string().ends_with("/new/sample.json")) found.push_back(entry.path().string());
  }
  if (error) throw environment_error(fmt::format("{}: {}", folder, error.message()));
  std::sort(found.begin(), found.end());
  return found;
}

std::string benchmark_beside(const std::string& sample) {
  return (std::filesystem::path(sample).parent_path() / "benchmark.json").string();
}

}  // namespace

bool is_our_export(const std::string& head) {
  const std::string line = head.substr(0, head.find('\n'));
  return line.starts_with('{') && line.find("\"schema\":\"nsop.") != std::string::npos;
}

ForeignRead read_foreign(std::istream& in, const std::string& where,
                         const ForeignOptions& options) {
  TextSource text(in);
  if (text.peek() == TextSource::kEnd) throw bad_data(where + ": it is empty");
  ForeignRead read{nullptr, ForeignFile(where)};
  if (options.format.empty()) {
    read.format = options.read.columns.empty() ? &detected_format(head_of(text.head()), where)
                                               : find_format("csv");
  } else {
    read.format = &named_format(options.format);
  }
  try {
    read.format->read(text, options.read, read.file);
  } catch (const Error& error) {
    const std::string message = error.what();
    if (error.code() != ExitCode::kBadData || message.starts_with(where)) throw;
    throw bad_data(fmt::format("{}: {}", where, message));
  }
  check(read.file, options.salvage);
  return read;
}

ForeignRead read_foreign_folder(const std::string& folder, const ForeignOptions& options) {
  if (!options.format.empty() && options.format != "criterion") {
    throw usage_error(fmt::format("{} is a folder: only those of Criterion.rs are read", folder));
  }
  ForeignRead read{find_format("criterion"), ForeignFile(folder)};
  for (const std::string& sample : samples_below(folder)) {
    read_criterion_sample(read_file(benchmark_beside(sample), kMostSampleBytes),
                          read_file(sample, kMostSampleBytes), read.file);
  }
  if (read.file.rows_read() == 0) {
    throw bad_data(
        fmt::format("{}: no folder of Criterion.rs: no file new/sample.json is below it", folder));
  }
  check(read.file, options.salvage);
  return read;
}

std::string folder_sha256(const std::string& folder) {
  std::string all;
  for (const std::string& sample : samples_below(folder)) {
    all += sha256_file(benchmark_beside(sample)) + sha256_file(sample);
  }
  return sha256_hex(all);
}

}  // namespace nsop::foreign
