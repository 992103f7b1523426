#include "harness/adapters/results.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/foreign/record.h"

namespace nsop::adapters {
namespace {

// Why nothing was stored of what the file says.
std::string left_out_text(const foreign::ForeignFile& file) {
  std::string text;
  for (const auto& [reason, one] : file.left_out()) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", one.first, reason);
  }
  return text;
}

[[noreturn]] void throw_nothing(const foreign::ForeignFile& file, const std::string& name) {
  const std::string why = left_out_text(file);
  throw Error(why.empty() ? ExitCode::kFailed : ExitCode::kBadData,
              fmt::format("it reports no time of '{}'{}", message_line(name),
                          why.empty() ? "" : ": " + message_line(why)));
}

const foreign::ForeignRow& row_named(const foreign::ForeignFile& file, const std::string& name) {
  for (const foreign::ForeignRun& run : file.runs()) {
    for (const foreign::ForeignRow& row : run.rows) {
      if (row.identity.front().second == name || foreign::display_name(row.identity) == name) {
        return row;
      }
    }
  }
  throw_nothing(file, name);
}

}  // namespace

foreign::ForeignRead read_results(const std::string& path, const std::string& format,
                                  const std::string& what) {
  std::error_code error;
  if (std::filesystem::file_size(path, error) == 0 || error) {
    throw Error(ExitCode::kFailed, what);
  }
  std::ifstream in(path, std::ios::binary);
  foreign::ForeignOptions options;
  options.format = format;
  return foreign::read_foreign(in, "what it wrote", options);
}

Listing listed_in(const foreign::ForeignRead& results) {
  Listing listing;
  for (const foreign::ForeignRun& run : results.file.runs()) {
    for (const foreign::ForeignRow& row : run.rows) {
      listing.cases.push_back({foreign::display_name(row.identity), row.threads});
    }
  }
  return listing;
}

Timed timed_in(const foreign::ForeignRead& results, const std::string& name, Clock clock) {
  const foreign::ForeignRow& row = row_named(results.file, name);
  if (row.status != Status::kOk) {
    const std::string reason = row.reason.empty() ? "it failed" : message_line(row.reason);
    throw Error(row.status == Status::kUnsupported ? ExitCode::kInconclusive : ExitCode::kFailed,
                fmt::format("{}: {}", message_line(name), reason));
  }
  Timed timed;
  for (const foreign::ForeignSample& sample : row.samples.kept()) {
    Repetition r = foreign::repetition_of(sample);
    r.metrics.clear();  // the program's own counters are not ours
    if (r.process_cpu_ns == 0) r.process_cpu_ns = r.thread_cpu_ns;
    r.thread_cpu_ns = 0;
    if (clock == Clock::kWall) r.process_cpu_ns = 0;
    timed.repetitions.push_back(r);
  }
  if (timed.repetitions.empty()) throw_nothing(results.file, name);
  timed.note = row.summary;
  return timed;
}

}  // namespace nsop::adapters
