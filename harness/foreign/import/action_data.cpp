// The data.js of github-action-benchmark. No header: formats.h declares the readers.
// Source: https://github.com/benchmark-action/github-action-benchmark/blob/master/src/write.ts
#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/identity.h"
#include "harness/foreign/import/formats.h"
#include "harness/foreign/import/json_rows.h"
#include "harness/foreign/import/units.h"

namespace nsop::foreign {
namespace {

constexpr int64_t kMostMs = 253'402'300'799'000;  // the year 9999

// One value per name; its unit is a text that may change from commit to commit.
void add_bench(const Value& bench, const std::string& suite, ForeignFile& file) {
  file.count_row();
  const Identity identity{{"name", text_at(bench, "name")}, {"suite", suite}};
  if (identity[0].second.empty()) return file.leave_out("it has no name", "");
  const std::string name = display_name(identity);
  const auto value = number_at(bench, "value");
  if (!value) return file.leave_out("its value is no number", name);
  const std::string unit = text_at(bench, "unit");
  const auto ns = ns_per_op(*value, unit == "iter/sec" ? "iter/s" : unit);
  if (!ns) return file.leave_out("its unit is no time", name);
  file.add_summary(identity, 1, *ns, "value of one commit");
}

void add_commit(const std::string& suite, const Value& entry, ForeignFile& file) {
  const Value& commit = value_at(entry, "commit");
  ForeignContext context;
  context.commit = text_at(commit, "id");
  context.tool_version = text_at(entry, "tool");
  const auto date = integer_at(entry, "date");
  if (date && *date > 0 && *date < kMostMs) context.started_utc = utc_text(*date / 1000);
  file.begin_run(std::move(context));
  const Value& benches = value_at(entry, "benches");
  if (!benches.is_array()) return file.leave_out("a commit without benches", suite);
  for (const Value& bench : benches) add_bench(bench, suite, file);
}

}  // namespace

bool is_action_data(const Head& head) {
  return head.text.starts_with("window.BENCHMARK_DATA") || head.has("repoUrl");
}

void read_action_data(TextSource& text, const ReadOptions& /*options*/, ForeignFile& file) {
  while (text.peek() != TextSource::kEnd && text.peek() != '{') text.get();  // an assignment
  const JsonRest rest = read_json_rows(text, file.where(), {{"entries", "*", "[]"}},
                                       [&](const Path& path, const Value& entry, const Value&) {
                                         add_commit(path[1], entry, file);
                                       });
  if (!rest.value.is_object()) throw bad_data(file.where() + ": expected a JSON object");
  file.truncated = rest.truncated;
}

}  // namespace nsop::foreign
