// Programs of Google Benchmark, 1.5 and newer, an adapter of adapter.h.
//
// Flags: https://github.com/google/benchmark/blob/v1.7.1/docs/user_guide.md. Settings in the code
// win over flags, so what came back is looked at, not what was asked for.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <regex>
#include <string_view>

#include "harness/adapters/adapter.h"
#include "harness/adapters/child.h"
#include "harness/adapters/child_counts.h"
#include "harness/adapters/results.h"
#include "harness/core/error.h"
#include "harness/core/text.h"

namespace nsop::adapters {
namespace {

ChildResult run(const Program& program, const std::vector<std::string>& flags, bool keep_output,
                const std::vector<std::string>& environment = {}) {
  ChildOptions options{program.run, program.folder, keep_output, environment};
  options.command.insert(options.command.end(), flags.begin(), flags.end());
  return run_child(options);
}

// The name alone, as a POSIX extended regular expression. `<` and `>` must not be escaped: `\<` is
// the begin of a word to some libraries. A `-` at the begin would negate the filter; `^` comes
// first.
std::string gbench_filter(const std::string& name) {
  std::string text = "^";
  for (const char c : name) {
    if (std::string_view("\\.[]{}()*+?|^$").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text + "$";
}

// What the library adds to the name that the author wrote, `/threads:2`.
int threads_of(const std::string& name) {
  std::smatch match;
  static const std::regex threads("/threads:([0-9]{1,4})(/|$)");
  return std::regex_search(name, match, threads) ? std::stoi(match[1]) : 1;
}

// The author says which clock counts; of several threads it is none that adds up their times.
Clock clock_of(const std::string& name) {
  static const std::regex by_wall("/(real_time|manual_time|threads:[0-9]+)(/|$)");
  return std::regex_search(name, by_wall) ? Clock::kWall : Clock::kCpu;
}

class GoogleBenchmark : public Adapter {
 public:
  std::string engine() const override { return "google-benchmark, of the program"; }

  Listing list(const Program& program, const std::string&) const override {
    const ChildResult result = run(program, {"--benchmark_list_tests=true"}, true);
    if (result.status != 0) {
      throw Error(ExitCode::kFailed, fmt::format("{}: --benchmark_list_tests: {}",
                                                 program.run.at(0), end_text(result)));
    }
    Listing listing;
    for (const std::string& line : split(result.output, '\n')) {
      const std::string name = trim(line);
      if (!name.empty()) listing.cases.push_back({name, threads_of(name)});
    }
    if (listing.cases.empty()) {
      throw bad_data(
          fmt::format("{}: --benchmark_list_tests lists no benchmark: is it a program "
                      "of Google Benchmark?",
                      program.run.at(0)));
    }
    return listing;
  }

  Timed time(const Program& program, const TimeRequest& request,
             const std::string& scratch) const override {
    return timed(program, request, scratch, {});
  }

  // Of the last loop, whose number of iterations the program reports, too: that it is the one
  // which was counted shows that the library is laid out as we think.
  Counted count(const Program& program, const CountRequest& request,
                const std::string& scratch) const override {
    if (threads_of(request.name) > 1) {
      throw Error(ExitCode::kInconclusive,
                  "allocations of loops on several threads aren't counted");
    }
    const std::string counts = scratch + "/loops";
    constexpr int64_t kMinTimeNs = 1'000'000;
    const Timed timed_once = timed(program, {request.name, 1, kMinTimeNs}, scratch,
                                   counting_environment(CountWhat::kStateLoop, counts));
    const std::vector<AllocWindow> windows = counted_windows(CountWhat::kStateLoop, counts);
    if (windows.empty()) {
      throw Error(ExitCode::kInconclusive,
                  "allocations can't be counted: Google Benchmark is linked into the program; "
                  "with its shared library they can");
    }
    const AllocWindow& last = windows.back();
    if (last.iterations != timed_once.repetitions.back().iterations) {
      throw Error(ExitCode::kInconclusive,
                  fmt::format("allocations can't be counted: {} iterations were seen, {} reported",
                              last.iterations, timed_once.repetitions.back().iterations));
    }
    const auto shorter = std::find_if(windows.rbegin(), windows.rend(), [&](const AllocWindow& w) {
      return w.iterations < last.iterations;
    });
    return {windows.front(), {shorter == windows.rend() ? last : *shorter, last}, true};
  }

 private:
  static Timed timed(const Program& program, const TimeRequest& request, const std::string& scratch,
                     const std::vector<std::string>& environment) {
    const std::string file = scratch + "/benchmark.json";
    std::filesystem::remove(file);
    constexpr double kNsPerSecond = 1e9;
    const ChildResult result = run(
        program,
        {"--benchmark_filter=" + gbench_filter(request.name),
         fmt::format("--benchmark_repetitions={}", request.repetitions),
         fmt::format("--benchmark_min_time={:.9f}",
                     static_cast<double>(request.min_time_ns) / kNsPerSecond),
         "--benchmark_report_aggregates_only=false", "--benchmark_enable_random_interleaving=false",
         "--benchmark_color=false", "--benchmark_out=" + file, "--benchmark_out_format=json"},
        false, environment);
    if (result.status != 0) {
      throw Error(ExitCode::kFailed, fmt::format("{}: {}", program.run.at(0), end_text(result)));
    }
    const foreign::ForeignRead results = read_results(
        file, "google-benchmark",
        fmt::format("{}: it has no benchmark '{}'", program.run.at(0), message_line(request.name)));
    must_be_alone(results, request.name);
    return timed_in(results, request.name, clock_of(request.name));
  }

  // A program that ignores the filter measured others in the same process.
  static void must_be_alone(const foreign::ForeignRead& results, const std::string& name) {
    for (const foreign::ForeignRun& run : results.file.runs()) {
      for (const foreign::ForeignRow& row : run.rows) {
        const std::string& other = row.identity.front().second;
        if (other == name) continue;
        throw bad_data(
            fmt::format("asked for '{}', it ran '{}'", message_line(name), message_line(other)));
      }
    }
  }
};

}  // namespace

const Adapter& gbench_adapter() {
  static const GoogleBenchmark adapter;
  return adapter;
}

}  // namespace nsop::adapters
