#include "harness/foreign/import/formats.h"

#include <array>

namespace nsop::foreign {
namespace {

constexpr std::array kFormats = {
    Format{"google-benchmark", "google-benchmark", "Google Benchmark's JSON", is_google_benchmark,
           read_google_benchmark},
    Format{"go", "go", "the text of `go test -bench`", is_go_text, read_go_text},
    Format{"pytest-benchmark", "pytest-benchmark", "pytest-benchmark's JSON", is_pytest_benchmark,
           read_pytest_benchmark},
    Format{"hyperfine", "hyperfine", "hyperfine's JSON", is_hyperfine, read_hyperfine},
    Format{"csv", "csv", "CSV with --columns", is_csv, read_csv},
};

}  // namespace

bool Head::has_line_with(std::string_view beginning) const {
  return text.starts_with(beginning) ||
         text.find("\n" + std::string(beginning)) != std::string::npos;
}

std::span<const Format> all_formats() { return kFormats; }

const Format* find_format(std::string_view name) {
  for (const Format& format : kFormats) {
    if (name == format.name) return &format;
  }
  return nullptr;
}

}  // namespace nsop::foreign
