#include "harness/foreign/import/formats.h"

#include <array>

namespace nsop::foreign {
namespace {

constexpr std::array kImportFormats = {
    Format{"google-benchmark", "google-benchmark", "Google Benchmark's JSON", is_google_benchmark,
           read_google_benchmark},
    Format{"go", "go", "the text of `go test -bench`", is_go_text, read_go_text},
    Format{"pytest-benchmark", "pytest-benchmark", "pytest-benchmark's JSON", is_pytest_benchmark,
           read_pytest_benchmark},
    Format{"criterion", "criterion", "the lines of `cargo criterion --message-format=json`",
           is_cargo_criterion, read_cargo_criterion},
    Format{"jmh", "jmh", "JMH's JSON", is_jmh, read_jmh},
    Format{"hyperfine", "hyperfine", "hyperfine's JSON", is_hyperfine, read_hyperfine},
    Format{"benchmark-dotnet", "benchmark-dotnet", "BenchmarkDotNet's JSON", is_benchmark_dotnet,
           read_benchmark_dotnet},
    Format{"catch2", "catch2", "Catch2's XML", is_catch2, read_catch2},
    Format{"nanobench", "nanobench", "nanobench's JSON", is_nanobench, read_nanobench},
    Format{"action-data", "github-action-benchmark", "the data.js of github-action-benchmark",
           is_action_data, read_action_data},
    Format{"asv", "asv", "a file of results of airspeed velocity", is_asv, read_asv},
    Format{"bencher", "bencher", "the Bencher Metric Format", is_bencher, read_bencher},
    Format{"csv", "csv", "CSV with --columns", is_csv, read_csv},
};

}  // namespace

bool Head::has_line_with(std::string_view beginning) const {
  return text.starts_with(beginning) ||
         text.find("\n" + std::string(beginning)) != std::string::npos;
}

std::span<const Format> all_formats() { return kImportFormats; }

const Format* find_format(std::string_view name) {
  for (const Format& format : kImportFormats) {
    if (name == format.name) return &format;
  }
  return nullptr;
}

}  // namespace nsop::foreign
