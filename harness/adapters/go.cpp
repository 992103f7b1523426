// Test programs of Go, an adapter of adapter.h.
//
// Flags: https://pkg.go.dev/cmd/go#hdr-Testing_flags; of a test program each begins with `test.`.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "harness/adapters/adapter.h"
#include "harness/adapters/child.h"
#include "harness/adapters/results.h"
#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/text.h"

namespace nsop::adapters {
namespace {

// Each part of a name alone: `^BenchmarkA$/^k=v$` (RE2: https://pkg.go.dev/regexp/syntax).
std::string go_filter(const std::string& name) {
  std::string text;
  for (const std::string& part : split(name, '/')) {
    text += text.empty() ? "^" : "/^";
    for (const char c : part) {
      if (std::string_view("\\.+*?()|[]{}^$").find(c) != std::string_view::npos) text += '\\';
      text += c;
    }
    text += '$';
  }
  return text;
}

foreign::ForeignRead run(const Program& program, const std::vector<std::string>& flags,
                         const std::string& scratch, const std::string& nothing) {
  ChildOptions options{program.run, program.folder, true};
  options.command.insert(options.command.end(), flags.begin(), flags.end());
  options.command.insert(options.command.end(),
                         {"-test.run=^$", fmt::format("-test.cpu={}", program.threads),
                          "-test.benchmem", "-test.timeout=0"});
  const ChildResult result = run_child(options);
  if (result.status != 0 && result.output.find("--- FAIL: Benchmark") == std::string::npos) {
    throw Error(ExitCode::kFailed, fmt::format("{}: {}", program.run.at(0), end_text(result)));
  }
  // A name with a `-8` at its end is one of 8 threads; with one thread none is added.
  const std::string file = scratch + "/benchmarks.txt";
  write_file_atomically(file, result.output, Durability::kScratch);
  if (result.output.find("\nBenchmark") == std::string::npos &&
      !result.output.starts_with("Benchmark") && result.output.find("--- ") == std::string::npos) {
    throw Error(ExitCode::kFailed, fmt::format("{}: {}", program.run.at(0), nothing));
  }
  return read_results(file, "go", nothing);
}

// The name as the program knows it: without the number of threads that it adds.
std::string without_threads(const Program& program, const std::string& name) {
  const std::string end = fmt::format("-{}", program.threads);
  return program.threads > 1 && name.ends_with(end) ? name.substr(0, name.size() - end.size())
                                                    : name;
}

class Go : public Adapter {
 public:
  std::string engine() const override { return "go testing, of the program"; }

  Listing list(const Program& program, const std::string& scratch) const override {
    const foreign::ForeignRead results =
        run(program, {"-test.bench=.", "-test.benchtime=1x"}, scratch, "it has no benchmark");
    Listing listing;
    for (const foreign::ForeignRun& one : results.file.runs()) {
      for (const foreign::ForeignRow& row : one.rows) {
        listing.cases.push_back(
            {without_threads(program, row.identity.front().second), program.threads});
      }
    }
    return listing;
  }

  Timed time(const Program& program, const TimeRequest& request,
             const std::string& scratch) const override {
    // One iteration where no time is asked for.
    const std::string time =
        request.min_time_ns > 1 ? fmt::format("{}ns", request.min_time_ns) : "1x";
    const foreign::ForeignRead results =
        run(program,
            {"-test.bench=" + go_filter(request.name), "-test.benchtime=" + time,
             fmt::format("-test.count={}", request.repetitions)},
            scratch, fmt::format("it has no benchmark '{}'", message_line(request.name)));
    const std::string name =
        program.threads > 1 ? fmt::format("{}-{}", request.name, program.threads) : request.name;
    return timed_in(results, name, Clock::kWall);
  }
};

}  // namespace

const Adapter& go_adapter() {
  static const Go adapter;
  return adapter;
}

}  // namespace nsop::adapters
