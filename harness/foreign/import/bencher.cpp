// The Bencher Metric Format. No header: formats.h declares the readers.
// Source: https://bencher.dev/docs/reference/bencher-metric-format/: latency is in ns, throughput
// in operations per second.
#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/foreign/import/formats.h"
#include "harness/foreign/import/json_rows.h"
#include "harness/foreign/import/units.h"

namespace nsop::foreign {
namespace {

constexpr std::string_view kLatency = ".latency.value", kThroughput = ".throughput.value";

void add_benchmark(const std::string& name, const Value& measures, ForeignFile& file) {
  file.count_row();
  if (!measures.is_object() || measures.empty()) return file.leave_out("it has no measures", name);
  for (const auto& item : measures.items()) {
    const std::string& measure = item.key();
    const bool is_latency = measure == "latency";
    if (!is_latency && measure != "throughput") {
      file.leave_out("a measure that is no time", name + " " + measure);
      continue;
    }
    const auto value = number_at(item.value(), "value");
    if (!value) {
      file.leave_out("its value is no number", name);
      continue;
    }
    Identity identity{{"name", name}};
    if (!is_latency) identity.emplace_back("measure", measure);
    file.add_summary(identity, 1, *ns_per_op(*value, is_latency ? "ns" : "ops/s"), "value");
  }
}

}  // namespace

bool is_bencher(const Head& head) {
  for (const std::string& path : head.paths) {
    if (path.ends_with(kLatency) || path.ends_with(kThroughput)) return true;
  }
  return false;
}

void read_bencher(TextSource& text, const ReadOptions& /*options*/, ForeignFile& file) {
  const JsonRest rest = read_json_rows(text, file.where(), {{"*"}},
                                       [&](const Path& path, const Value& measures, const Value&) {
                                         add_benchmark(path[0], measures, file);
                                       });
  if (!rest.value.is_object()) throw bad_data(file.where() + ": expected a JSON object");
  file.truncated = rest.truncated;
}

}  // namespace nsop::foreign
