// hyperfine's JSON. No header: formats.h declares the readers.
// Source: https://github.com/sharkdp/hyperfine/blob/master/src/benchmark/benchmark_result.rs:
// seconds, less the time of the shell.
#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/foreign/import/formats.h"
#include "harness/foreign/import/json_rows.h"
#include "harness/foreign/import/units.h"

namespace nsop::foreign {
namespace {

Identity hyperfine_identity(const Value& row) {
  Identity identity{{"name", text_at(row, "command")}};
  const Value& parameters = value_at(row, "parameters");
  if (parameters.is_object()) {
    for (const auto& item : parameters.items()) {
      identity.emplace_back("p." + item.key(), plain_text(item.value()));
    }
  }
  return identity;
}

// How a run ended; empty: well, or the file doesn't say it.
std::string failure_of(const Value& exit_codes, size_t i) {
  if (!exit_codes.is_array() || i >= exit_codes.size()) return {};
  const Value& code = exit_codes[i];
  if (code.is_null()) return "the command was killed";
  return code == 0 ? "" : "the command ended with exit code " + plain_text(code);
}

void add_summary(const Value& row, const Identity& identity, ForeignFile& file) {
  const Value& codes = value_at(row, "exit_codes");
  for (size_t i = 0; codes.is_array() && i < codes.size(); ++i) {
    const std::string failure = failure_of(codes, i);
    if (!failure.empty()) return file.add_failure(identity, 1, Status::kError, failure);
  }
  for (const char* best : {"median", "mean"}) {
    if (const auto seconds = number_at(row, best)) {
      file.add_summary(identity, 1, *seconds * kNsPerS, fmt::format("{} of its runs", best));
      return;
    }
  }
  file.leave_out("it has neither samples nor a median", display_name(identity));
}

// Every run is a process of its own.
void add_hyperfine_row(const Value& row, ForeignFile& file) {
  file.count_row();
  const Identity identity = hyperfine_identity(row);
  const std::string name = display_name(identity);
  if (identity[0].second.empty()) return file.leave_out("it has no command", name);
  if (file.has_row(identity, 1)) {
    throw bad_data(fmt::format("{}: '{}' is there twice: give one of the two another name",
                               file.where(), name.substr(0, 80)));
  }
  const Value& times = value_at(row, "times");
  if (!times.is_array() || times.empty()) return add_summary(row, identity, file);
  const Value& memory = value_at(row, "memory_usage_byte");
  std::string failure;
  int stored = 0;
  for (size_t i = 0; i < times.size(); ++i) {
    const std::string failed = failure_of(value_at(row, "exit_codes"), i);
    if (!failed.empty() || !times[i].is_number()) {
      failure = failed.empty() ? "a time is no number" : failed;
      continue;
    }
    ForeignSample sample{
        .ns = times[i].get<double>() * kNsPerS, .iterations = 1, .process = static_cast<int>(i)};
    if (memory.is_array() && i < memory.size() && memory[i].is_number_unsigned()) {
      sample.metrics["memory_usage_bytes"] = memory[i].get<double>();
    }
    stored += file.add_sample(identity, 1, sample, static_cast<int64_t>(i)) != nullptr;
  }
  const auto failed = static_cast<int64_t>(times.size()) - stored;
  if (failure.empty()) return;
  if (stored == 0) return file.add_failure(identity, 1, Status::kError, failure);
  file.leave_out("a run of the command failed", name, failed);
}

}  // namespace

bool is_hyperfine(const Head& head) { return head.has("results.[].command"); }

void read_hyperfine(TextSource& text, const ReadOptions& /*options*/, ForeignFile& file) {
  const JsonRest rest = read_json_rows(
      text, file.where(), {{"results", "[]"}},
      [&](const Path&, const Value& row, const Value&) { add_hyperfine_row(row, file); });
  if (!rest.value.is_object()) throw bad_data(file.where() + ": expected a JSON object");
  file.truncated = rest.truncated;
}

}  // namespace nsop::foreign
