// Programs of Google Benchmark, 1.5 and newer (no header: adapter.h declares it).
//
// Flags and fields: https://github.com/google/benchmark/blob/v1.7.1/docs/user_guide.md. Settings in
// the code win over flags, so what came back is looked at, not what was asked for.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <regex>

#include "harness/adapters/adapter.h"
#include "harness/adapters/child.h"
#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/io/json_field.h"
#include "harness/core/io/limited_json.h"
#include "harness/core/text.h"

namespace nsop::adapters {
namespace {

Error failed(const Program& program, const std::string& what) {
  return {ExitCode::kFailed, fmt::format("{}: {}", program.run.at(0), message_line(what))};
}

Error rubbish(const Program& program, const std::string& what) {
  return bad_data(fmt::format("{}: {}", program.run.at(0), message_line(what)));
}

ChildResult run(const Program& program, const std::vector<std::string>& flags, bool keep_output) {
  ChildOptions options{program.run, program.folder, keep_output};
  options.command.insert(options.command.end(), flags.begin(), flags.end());
  return run_child(options);
}

// The name alone, as a POSIX extended regular expression. `<` and `>` must not be escaped: `\<` is
// the begin of a word to some libraries. A `-` at the begin would negate the filter; `^` comes
// first.
std::string filter_of(const std::string& name) {
  std::string text = "^";
  for (const char c : name) {
    if (std::string_view("\\.[]{}()*+?|^$").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text + "$";
}

// The parts of a name that the library adds to what the author wrote, `/threads:2`.
std::optional<int> number_in(const std::string& name, const std::string& part) {
  std::smatch match;
  if (!std::regex_search(name, match, std::regex("/" + part + ":([0-9]{1,4})(/|$)"))) {
    return std::nullopt;
  }
  return std::stoi(match[1]);
}

// Does the author judge it by wall time?
bool is_by_wall(const std::string& name) {
  return std::regex_search(name, std::regex("/(real_time|manual_time|threads:[0-9]+)(/|$)"));
}

double ns_per(const std::string& unit, const Program& program) {
  if (unit == "ns") return 1;
  if (unit == "us") return 1e3;
  if (unit == "ms") return 1e6;
  if (unit == "s") return 1e9;
  throw rubbish(program, fmt::format("time_unit '{}' is none of ns, us, ms, s", unit));
}

struct Times {
  double wall = 0, cpu = 0;  // ns per iteration
};

Times times_of(const Json& row, const Program& program) {
  const double unit = ns_per(json_field_or<std::string>(row, "time_unit", "ns"), program);
  const Times times{json_field<double>(row, "real_time") * unit,
                    json_field<double>(row, "cpu_time") * unit};
  if (!std::isfinite(times.wall) || times.wall <= 0) {
    throw rubbish(program, fmt::format("real_time is {}, expected a time above 0", times.wall));
  }
  return times;
}

Repetition repetition_of(const Times& times, int64_t iterations, bool by_wall) {
  Repetition r;
  r.iterations = iterations;
  r.wall_ns = std::llround(times.wall * static_cast<double>(iterations));
  if (!by_wall && std::isfinite(times.cpu) && times.cpu > 0) {
    r.process_cpu_ns = std::llround(times.cpu * static_cast<double>(iterations));
  }
  return r;
}

// Rows of the benchmark: one for each repetition, or what the program made of them.
struct Rows {
  std::vector<const Json*> repetitions;
  const Json* median = nullptr;
};

Rows rows_of(const Json& document, const Program& program, const std::string& name) {
  Rows rows;
  if (!document.is_object() || !document.contains("benchmarks") ||
      !document["benchmarks"].is_array()) {
    throw rubbish(program, "its JSON has no list `benchmarks`");
  }
  for (const Json& row : document["benchmarks"]) {
    const auto own = json_field<std::string>(row, "name");
    if (json_field_or<std::string>(row, "run_name", own) != name) {
      throw rubbish(program, fmt::format("asked for '{}', it ran '{}'", name, own));
    }
    if (json_field_or<bool>(row, "error_occurred", false)) {
      throw failed(program,
                   fmt::format("{}: {}", name,
                               json_field_or<std::string>(row, "error_message", "it failed")));
    }
    if (json_field_or<bool>(row, "skipped", false)) {
      throw Error(ExitCode::kInconclusive,
                  fmt::format("{}: skips itself: {}", message_line(name),
                              message_line(json_field_or<std::string>(row, "skip_message", ""))));
    }
    if (json_field_or<std::string>(row, "run_type", "iteration") == "iteration") {
      const auto index = json_field_or<int64_t>(row, "repetition_index",
                                                static_cast<int64_t>(rows.repetitions.size()));
      if (index != static_cast<int64_t>(rows.repetitions.size())) {
        throw rubbish(program, fmt::format("{}: repetition {} in place of {}", name, index,
                                           rows.repetitions.size()));
      }
      rows.repetitions.push_back(&row);
    } else if (json_field_or<std::string>(row, "aggregate_name", "") == "median") {
      rows.median = &row;
    }
  }
  return rows;
}

class GoogleBenchmark : public Adapter {
 public:
  std::string engine() const override { return "google-benchmark, of the program"; }

  Listing list(const Program& program, const std::string&) const override {
    const ChildResult result = run(program, {"--benchmark_list_tests=true"}, true);
    if (result.status != 0) {
      throw failed(program, "--benchmark_list_tests: " + end_text(result));
    }
    Listing listing;
    for (const std::string& line : split(result.output, '\n')) {
      const std::string name = trim(line);
      if (name.empty()) continue;
      listing.cases.push_back({name, number_in(name, "threads").value_or(1)});
    }
    if (listing.cases.empty()) {
      throw rubbish(program,
                    "--benchmark_list_tests lists no benchmark: is it one of Google "
                    "Benchmark?");
    }
    return listing;
  }

  Timed time(const Program& program, const TimeRequest& request,
             const std::string& scratch) const override {
    const std::string file = scratch + "/benchmark.json";
    std::filesystem::remove(file);
    constexpr double kNsPerSecond = 1e9;
    const ChildResult result = run(
        program,
        {"--benchmark_filter=" + filter_of(request.name),
         fmt::format("--benchmark_repetitions={}", request.repetitions),
         fmt::format("--benchmark_min_time={:.9f}",
                     static_cast<double>(request.min_time_ns) / kNsPerSecond),
         "--benchmark_report_aggregates_only=false", "--benchmark_enable_random_interleaving=false",
         "--benchmark_color=false", "--benchmark_out=" + file, "--benchmark_out_format=json"},
        false);
    if (result.status != 0) throw failed(program, end_text(result));
    std::error_code error;
    if (std::filesystem::file_size(file, error) == 0 || error) {
      throw failed(program, fmt::format("it has no benchmark '{}'", request.name));
    }
    constexpr size_t kMostBytes = size_t{16} << 20;
    return timed(parse_limited(read_file(file, kMostBytes), file), program, request.name);
  }

 private:
  static Timed timed(const Json& document, const Program& program, const std::string& name) {
    const Rows rows = rows_of(document, program, name);
    const bool by_wall = is_by_wall(name);
    Timed timed;
    for (const Json* row : rows.repetitions) {
      const auto iterations = json_field<int64_t>(*row, "iterations");
      if (iterations < 1) {
        throw rubbish(program, fmt::format("{}: {} iterations", name, iterations));
      }
      timed.repetitions.push_back(repetition_of(times_of(*row, program), iterations, by_wall));
    }
    if (timed.repetitions.empty() && rows.median != nullptr) {
      // The program keeps its repetitions for itself. How many iterations they had isn't told; so
      // many keep a thousandth of a picosecond.
      constexpr int64_t kFraction = 1'000'000;
      timed.repetitions.push_back(
          repetition_of(times_of(*rows.median, program), kFraction, by_wall));
      timed.note = "the median of repetitions that the program doesn't tell";
    }
    if (timed.repetitions.empty()) {
      throw rubbish(program, fmt::format("it reports no time of '{}'", name));
    }
    return timed;
  }
};

}  // namespace

const Adapter& gbench_adapter() {
  static const GoogleBenchmark adapter;
  return adapter;
}

}  // namespace nsop::adapters
