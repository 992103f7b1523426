// Programs of Catch2, versions 2 and 3, an adapter of adapter.h.
//
// Flags: https://github.com/catchorg/Catch2/blob/devel/docs/command-line.md. A process runs one
// test case, with all benchmarks in it; of each it tells the mean of its samples alone.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/adapters/adapter.h"
#include "harness/adapters/child.h"
#include "harness/adapters/results.h"
#include "harness/core/error.h"
#include "harness/core/text.h"

namespace nsop::adapters {
namespace {

constexpr const char* kSeed = "1";

ChildResult run(const Program& program, const std::vector<std::string>& flags) {
  ChildOptions options{program.run, program.folder, true};
  options.command.insert(options.command.end(), flags.begin(), flags.end());
  return run_child(options);
}

// A test case alone. Signs of patterns are escaped.
std::string catch2_filter(const std::string& test_case) {
  std::string text;
  for (const char c : test_case) {
    if (std::string_view("\\,[]*~\"").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text;
}

foreign::ForeignRead measured(const Program& program, const std::vector<std::string>& flags,
                              const std::string& scratch) {
  const std::string file = scratch + "/catch2.xml";
  std::filesystem::remove(file);
  std::vector<std::string> all = {"-r",         "xml", "-o", file, "--benchmark-no-analysis",
                                  "--rng-seed", kSeed};
  all.insert(all.end(), flags.begin(), flags.end());
  const ChildResult result = run(program, all);
  // A test that fails is a status above 0, too, and what it measured before is whole.
  constexpr int kSignals = 128;
  if (result.status > kSignals) {
    throw Error(ExitCode::kFailed, fmt::format("{}: {}", program.run.at(0), end_text(result)));
  }
  return read_results(file, "catch2",
                      fmt::format("{}: {}: is it a program of Catch2 with benchmarks?",
                                  program.run.at(0), end_text(result)));
}

// The longest name of a test case with which what the benchmark lies in begins. Version 3 lists
// them one per line with `-v quiet`, version 2 with a flag of its own.
std::string test_case_of(const Program& program, const std::string& name) {
  const size_t at = name.find(" in=");
  const std::string in = at == std::string::npos ? "" : name.substr(at + 4);
  std::string longest;
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{"--list-test-names-only"},
        std::vector<std::string>{"--list-tests", "--verbosity", "quiet"}}) {
    const ChildResult result = run(program, flags);
    for (const std::string& line : split(result.output, '\n')) {
      const std::string one = trim(line);
      const bool begins = in == one || in.starts_with(one + "/");
      if (!one.empty() && begins && one.size() > longest.size()) longest = one;
    }
    if (!longest.empty()) return longest;
  }
  throw Error(ExitCode::kFailed, fmt::format("{}: it has no test case of '{}'", program.run.at(0),
                                             message_line(name)));
}

class Catch2 : public Adapter {
 public:
  std::string engine() const override { return "catch2, of the program"; }

  Listing list(const Program& program, const std::string& scratch) const override {
    Listing listing = listed_in(
        measured(program, {"--benchmark-samples", "1", "--benchmark-warmup-time", "0"}, scratch));
    for (Found& found : listing.cases) found.threads = program.threads;
    return listing;
  }

  Timed time(const Program& program, const TimeRequest& request,
             const std::string& scratch) const override {
    const std::string samples = fmt::format("{}", samples_for(request));
    Timed timed =
        timed_in(measured(program,
                          {catch2_filter(test_case_of(program, request.name)),
                           "--benchmark-samples", samples, "--benchmark-warmup-time", "10"},
                          scratch),
                 request.name, Clock::kWall);
    timed.note = "mean of its samples";
    return timed;
  }

 private:
  // How long a sample is, the library decides: at least a thousand ticks of the clock
  // (minimum_ticks in its catch_benchmark.hpp), about 25 us. How many there are is what can be
  // asked for: as many as fill the repetitions' time. More would do the other benchmarks of the
  // test case no good.
  static int64_t samples_for(const TimeRequest& request) {
    constexpr int64_t kSampleNs = 25'000, kMost = 1000;
    const int64_t least = std::max(request.repetitions, 1);
    if (request.operation_ns == 0) return least;
    const int64_t filling = least * request.min_time_ns / std::max(request.operation_ns, kSampleNs);
    return std::clamp(filling, least, std::max(kMost, least));
  }
};

}  // namespace

const Adapter& catch2_adapter() {
  static const Catch2 adapter;
  return adapter;
}

}  // namespace nsop::adapters
