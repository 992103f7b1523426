// Texts of other tools, read as files are.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/foreign/read.h"
#include "harness/foreign/record.h"

namespace nsop::foreign::test {

inline ForeignRead read(const std::string& text, const ForeignOptions& options = {}) {
  std::istringstream in(text);
  return read_foreign(in, "x", options);
}

// The error's message, which must be bad data (exit 4); empty: there was none.
inline std::string refusal(const std::string& text, const ForeignOptions& options = {}) {
  try {
    read(text, options);
    return {};
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadData) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
}

// `NAME STATUS: NS NS ...` of every row of every run, with `(SUMMARY)`.
inline std::vector<std::string> lines_of(const ForeignFile& file) {
  std::vector<std::string> lines;
  for (const ForeignRun& run : file.runs()) {
    for (const ForeignRow& row : run.rows) {
      std::ostringstream line;
      line << display_name(row.identity) << ' ' << status_text(row.status) << ':';
      for (const ForeignSample& sample : row.samples.kept()) line << ' ' << sample.ns;
      if (!row.summary.empty()) line << " (" << row.summary << ')';
      if (!row.reason.empty()) line << " [" << row.reason << ']';
      lines.push_back(line.str());
    }
  }
  return lines;
}

// `COUNT REASON`, of everything that was left out.
inline std::vector<std::string> left_out(const ForeignFile& file) {
  std::vector<std::string> lines;
  for (const auto& [reason, one] : file.left_out()) {
    lines.push_back(std::to_string(one.count) + " " + reason);
  }
  return lines;
}

inline std::vector<ForeignRecord> records(ForeignRead& read, const std::string& host = "here") {
  return records_of(read.file, *read.format, {host, "2026-01-01T00:00:00Z", "00", "1.0"});
}

}  // namespace nsop::foreign::test
