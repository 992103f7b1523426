// Text for benchstat. No header: exports.h declares the writers.
// Source: https://pkg.go.dev/golang.org/x/perf/benchfmt
#include <fmt/format.h>

#include <cctype>

#include "harness/core/text.h"
#include "harness/foreign/export/exports.h"
#include "harness/foreign/name.h"

namespace nsop::foreign {
namespace {

// A name is one word: `Benchmark`, an upper-case letter, and `/` before each `key=value`.
std::string name_of(const RowKey& row) {
  std::string name = exported_name(row, "go");
  if (name.starts_with("Benchmark") && name.find(' ') == std::string::npos) return name;
  for (char& c : name) {
    if (c == ' ') c = '/';
  }
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return "Benchmark" + name;
}

// The package of a row that came from Go; empty: it has none.
std::string package_of(const RowKey& row) {
  const auto foreign = parse_case_text(row.case_text);
  if (!foreign || foreign->tool != "go") return {};
  for (const auto& [key, value] : foreign->identity) {
    if (key == "pkg") return value;
  }
  return {};
}

std::string config_of(const ExportRun& run) {
  std::string text = fmt::format("run: {}\ndate: {}\nhost: {}\n", run.run.id, run.run.started_utc,
                                 printable(run.host.cpu_model));
  if (run.builds.size() == 1 && run.builds.begin()->second.commit != "unknown") {
    text += fmt::format("commit: {}\n", printable(run.builds.begin()->second.commit));
  }
  return text;
}

std::string line_of(const Invocation& one, const AllocsByRow& allocs) {
  const Repetition& r = fastest(one);
  std::string line =
      fmt::format("{} {} {} ns/op", name_of(one.row), r.iterations, wall_ns_per_op(r));
  if (const auto counts = allocs.find(one.row); counts != allocs.end()) {
    line += fmt::format(" {} B/op {} allocs/op", counts->second->bytes_per_op,
                        counts->second->allocs_per_op);
  }
  return line + "\n";
}

}  // namespace

Exported to_benchstat(const ExportRun& run) {
  Exported out{config_of(run), 0, {}};
  const AllocsByRow allocs = allocs_of(run);
  std::map<std::string, std::string> by_package;
  for (const Invocation& one : run.invocations) {
    if (one.phase == Phase::kCount) continue;
    std::string& text = by_package[package_of(one.row)];
    if (one.status == Status::kUnsupported) {
      text += fmt::format("--- SKIP: {}\n", name_of(one.row));
    } else if (one.status != Status::kOk || one.repetitions.empty()) {
      text += fmt::format("--- FAIL: {}\n", name_of(one.row));
    } else {
      text += line_of(one, allocs);
    }
    ++out.rows;
  }
  for (const auto& [package, text] : by_package) {
    if (!package.empty()) out.text += fmt::format("pkg: {}\n", printable(package));
    out.text += text;
  }
  return out;
}

}  // namespace nsop::foreign
