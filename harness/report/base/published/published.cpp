#include "harness/report/base/published/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/suite/selector.h"
#include "harness/core/text.h"

namespace nsop::report {
namespace {

constexpr std::string_view kFields =
    "system,document,version,machine,case,role,here,ns_per_op,allocs_per_op,bytes_per_op,metric,"
    "value,unit,note";

// The fields of one line; nothing if a quote is never closed or stands inside of a plain field.
std::optional<std::vector<std::string>> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false, closed = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (quoted && c == '"') {
      quoted = false;
      closed = true;
    } else if (!quoted && c == ',') {
      fields.emplace_back();
      closed = false;
    } else if (!quoted && c == '"' && fields.back().empty() && !closed) {
      quoted = true;
    } else if (!quoted && (c == '"' || closed)) {
      return std::nullopt;
    } else {
      fields.back() += c;
    }
  }
  return quoted ? std::nullopt : std::optional(fields);
}

// A number that is not negative; nothing for an empty text.
std::optional<double> csv_number(const std::string& text, const std::string& name,
                                 const std::string& place) {
  if (text.empty()) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || !std::isfinite(value) || value < 0) {
    throw bad_data(fmt::format("{}: {} is `{}`, expected a number or nothing", place, name, text));
  }
  return value;
}

Published published_line(std::string_view line, const std::string& place) {
  const auto fields = csv_fields(line);
  if (!fields) throw bad_data(place + ": a quote is not closed, or stands within a field");
  const size_t expected = static_cast<size_t>(std::count(kFields.begin(), kFields.end(), ',')) + 1;
  if (fields->size() != expected) {
    throw bad_data(
        fmt::format("{}: {} fields, expected {}: {}", place, fields->size(), expected, kFields));
  }
  const std::vector<std::string>& f = *fields;
  Published out{f[0], f[1], f[2], f[3], f[4], f[5], f[6], {}, {}, {}, f[10], f[11], f[12], f[13]};
  out.ns = csv_number(f[7], "ns_per_op", place);
  out.allocs = csv_number(f[8], "allocs_per_op", place);
  out.bytes = csv_number(f[9], "bytes_per_op", place);
  for (const size_t at : {0, 1, 2, 3, 4, 5, 6}) {
    if (trim(f[at]).empty()) {
      throw bad_data(fmt::format("{}: {} is empty", place, split(std::string(kFields), ',')[at]));
    }
  }
  if (out.ns.has_value() == !out.metric.empty() || out.metric.empty() != out.value.empty()) {
    throw bad_data(place + ": expected either ns_per_op, or metric and value");
  }
  if (out.unit == "ns") csv_number(out.value, "value", place);
  try {
    Selector::parse(out.here);
  } catch (const Error& error) {
    throw bad_data(place + ": " + error.what());
  }
  return out;
}

}  // namespace

std::vector<Published> parse_published(std::string_view text, const std::string& path) {
  std::vector<Published> out;
  int number = 0;
  for (std::string line : split(text, '\n')) {
    if (line.ends_with('\r')) line.pop_back();
    const std::string place = fmt::format("{}:{}", path, ++number);
    if (number == 1) {
      if (line != kFields) throw bad_data(fmt::format("{}: expected the names {}", place, kFields));
    } else if (!trim(line).empty()) {
      out.push_back(published_line(line, place));
    }
  }
  return out;
}

std::vector<Published> published_in(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : entries_of(folder, error)) {
    if (entry.path().extension() == ".csv") paths.push_back(entry.path().string());
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw environment_error(fmt::format("{}: can't be read: {}", folder, error.message()));
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Published> out;
  for (const std::string& path : paths) {
    for (Published& one : parse_published(read_file(path), path)) out.push_back(std::move(one));
  }
  return out;
}

}  // namespace nsop::report
