// Any program: its whole run is the operation (no header: adapter.h declares it).
#include <fmt/format.h>

#include <algorithm>

#include "harness/adapters/adapter.h"
#include "harness/adapters/child.h"
#include "harness/adapters/child_counts.h"
#include "harness/core/error.h"
#include "harness/core/text.h"

namespace nsop::adapters {
namespace {

constexpr const char* kOnlyCase = "run";
constexpr size_t kMostCases = 10'000;

using Values = std::vector<std::pair<std::string, std::string>>;

// Every combination of the parameters' values, the last one varying fastest.
std::vector<Values> combinations(const Program& program) {
  std::vector<Values> all = {{}};
  for (const auto& [name, values] : program.parameters) {
    std::vector<Values> longer;
    for (const Values& begun : all) {
      for (const std::string& value : values) {
        longer.push_back(begun);
        longer.back().emplace_back(name, value);
        if (longer.size() > kMostCases) {
          throw usage_error(
              fmt::format("{}: more than {} combinations of parameters", program.name, kMostCases));
        }
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::string name_of(const Values& values) {
  if (values.empty()) return kOnlyCase;
  std::vector<std::string> parts;
  for (const auto& [name, value] : values) parts.push_back(name + "=" + value);
  return join(parts, " ");
}

std::vector<std::string> filled_in(std::vector<std::string> words, const Values& values) {
  for (std::string& word : words) {
    for (const auto& [name, value] : values) {
      const std::string hole = "{" + name + "}";
      for (size_t at = word.find(hole); at != std::string::npos;
           at = word.find(hole, at + value.size())) {
        word.replace(at, hole.size(), value);
      }
    }
  }
  return words;
}

Values values_of(const Program& program, const std::string& name) {
  for (Values& values : combinations(program)) {
    if (name_of(values) == name) return values;
  }
  throw Error(ExitCode::kFailed,
              fmt::format("{}: has no case '{}'", program.name, message_line(name)));
}

// A command beside the timed one, which must succeed.
void run_beside(const Program& program, const std::vector<std::string>& command,
                const Values& values, const char* which) {
  if (command.empty()) return;
  const ChildResult result = run_child({filled_in(command, values), program.folder, false});
  if (result.status == 0) return;
  throw Error(ExitCode::kFailed, fmt::format("{}: {}: {}", program.name, which, end_text(result)));
}

class Command : public Adapter {
 public:
  std::string engine() const override { return "nsop, a process per operation"; }

  Listing list(const Program& program, const std::string&) const override {
    Listing listing;
    for (const Values& values : combinations(program)) {
      listing.cases.push_back({name_of(values), program.threads});
    }
    return listing;
  }

  Timed time(const Program& program, const TimeRequest& request,
             const std::string&) const override {
    const Values values = values_of(program, request.name);
    const std::vector<std::string> command = filled_in(program.run, values);
    Timed timed;
    std::vector<int64_t> switches;
    for (int i = 0; i < request.repetitions; ++i) {
      run_beside(program, program.prepare, values, "prepare");
      ChildResult result = run_child({command, program.folder, program.compare == "stdout"});
      must_be_accepted(program, result);
      run_beside(program, program.conclude, values, "conclude");
      Repetition r;
      r.iterations = 1;
      r.wall_ns = result.wall_ns;
      switches.push_back(result.involuntary_switches);
      r.minor_faults = result.minor_faults;
      r.major_faults = result.major_faults;
      timed.repetitions.push_back(r);
      timed.printed = std::move(result.output);
    }
    const std::vector<int64_t> beyond = beyond_usual(switches);
    for (size_t i = 0; i < beyond.size(); ++i) {
      timed.repetitions[i].involuntary_switches = beyond[i];
    }
    return timed;
  }

  // Of whole processes, two of them, with those that they start.
  Counted count(const Program& program, const CountRequest& request,
                const std::string& scratch) const override {
    const Values values = values_of(program, request.name);
    const std::string counts = scratch + "/processes";
    Counted counted;
    for (size_t i = 0; i < request.iterations.size(); ++i) {
      run_beside(program, program.prepare, values, "prepare");
      const ChildResult result = run_child({filled_in(program.run, values), program.folder, false,
                                            counting_environment(CountWhat::kProcess, counts)});
      must_be_accepted(program, result);
      run_beside(program, program.conclude, values, "conclude");
      const std::vector<AllocWindow> windows = counted_windows(CountWhat::kProcess, counts);
      if (windows.empty()) {
        throw Error(ExitCode::kInconclusive,
                    "allocations can't be counted: the program is linked statically, or ends "
                    "without exit()");
      }
      counted.windows.push_back(windows.front());
    }
    counted.first = counted.windows.at(0);
    counted.own_iterations = true;
    return counted;
  }

 private:
  static void must_be_accepted(const Program& program, const ChildResult& result) {
    const auto& accepted = program.exit_statuses;
    if (std::find(accepted.begin(), accepted.end(), result.status) != accepted.end()) return;
    throw Error(ExitCode::kFailed, fmt::format("{}: {}", join(program.run, " "), end_text(result)));
  }
};

}  // namespace

const Adapter& command_adapter() {
  static const Command adapter;
  return adapter;
}

}  // namespace nsop::adapters
