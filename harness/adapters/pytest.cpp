// Folders of pytest-benchmark, an adapter of adapter.h.
//
// Flags: https://pytest-benchmark.readthedocs.io/en/latest/usage.html. A process runs one test by
// its node id. `run` is what starts pytest, `python3 -m pytest` and where its tests are.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "harness/adapters/adapter.h"
#include "harness/adapters/child.h"
#include "harness/adapters/results.h"
#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/text.h"

namespace nsop::adapters {
namespace {

// pytest's exit statuses: https://docs.pytest.org/en/stable/reference/exit-codes.html
constexpr int kPassed = 0, kTestsFailed = 1;

// pytest-benchmark writes what machine and commit it runs on, which takes it a second; nsop knows.
// Hooks: https://pytest-benchmark.readthedocs.io/en/latest/hooks.html
constexpr const char* kPlugin = "nsop_known_facts";
constexpr const char* kPluginText = R"(import pytest


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_benchmark_generate_machine_info():
    return {"node": "known"}


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_benchmark_generate_commit_info():
    return {"id": "known"}
)";

// A folder with the plugin, before those that are looked through for modules anyway.
std::string python_path(const std::string& scratch) {
  write_file_atomically(fmt::format("{}/{}.py", scratch, kPlugin), kPluginText,
                        Durability::kScratch);
  const char* others = std::getenv("PYTHONPATH");
  return others == nullptr || *others == '\0' ? scratch : fmt::format("{}:{}", scratch, others);
}

foreign::ForeignRead run(const Program& program, const std::vector<std::string>& more,
                         const std::string& scratch, bool all) {
  const std::string file = scratch + "/pytest.json";
  std::filesystem::remove(file);
  ChildOptions options{program.run, program.folder, true};
  const std::vector<std::string> flags = {"-q",
                                          "--benchmark-only",
                                          "--benchmark-disable-gc",
                                          "--benchmark-json=" + file,
                                          "-p",
                                          kPlugin,
                                          "-p",
                                          "no:cacheprovider",
                                          "-p",
                                          "no:xdist",
                                          "--benchmark-columns=min"};
  options.command.insert(options.command.end(), flags.begin(), flags.end());
  options.command.insert(options.command.end(), more.begin(), more.end());
  options.environment = {"PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1",
                         "PYTHONPATH=" + python_path(scratch)};
  const ChildResult result = run_child(options);
  if (result.status != kPassed && !(all && result.status == kTestsFailed)) {
    std::string why = end_text(result);
    if (result.errors.empty()) {
      const std::string said = trim(result.output);
      why += "; it printed: " + message_line(said.substr(said.rfind('\n') + 1));
    }
    throw Error(ExitCode::kFailed, fmt::format("{}: {}", program.name, why));
  }
  return read_results(
      file, "pytest-benchmark",
      fmt::format("{}: pytest wrote no results: is pytest-benchmark there?", program.name));
}

// The arguments that say where tests are would run all of them beside the one that is asked for.
Program with_interpreter_alone(const Program& program) {
  Program alone = program;
  for (size_t i = 0; i + 2 < alone.run.size(); ++i) {
    if (alone.run[i] == "-m" && alone.run[i + 1] == "pytest") {
      std::erase_if(alone.run, [&, at = size_t{0}](const std::string& word) mutable {
        const bool place = at++ > i + 1 && !word.starts_with('-');
        return place;
      });
      return alone;
    }
  }
  return alone;
}

class Pytest : public Adapter {
 public:
  std::string engine() const override { return "pytest-benchmark, of the program"; }

  Listing list(const Program& program, const std::string& scratch) const override {
    Listing listing = listed_in(run(program,
                                    {"--benchmark-min-rounds=1", "--benchmark-max-time=0.000001",
                                     "--benchmark-min-time=0.000001", "--benchmark-warmup=off"},
                                    scratch, true));
    for (Found& found : listing.cases) found.threads = program.threads;
    return listing;
  }

  Timed time(const Program& program, const TimeRequest& request,
             const std::string& scratch) const override {
    constexpr double kNsPerSecond = 1e9;
    const double least = static_cast<double>(request.min_time_ns) / kNsPerSecond;
    return timed_in(
        run(with_interpreter_alone(program),
            {request.name, fmt::format("--benchmark-min-rounds={}", request.repetitions),
             fmt::format("--benchmark-min-time={:.9f}", least),
             fmt::format("--benchmark-max-time={:.9f}", least * request.repetitions),
             request.repetitions > 1 ? "--benchmark-warmup=on" : "--benchmark-warmup=off",
             "--benchmark-warmup-iterations=1"},
            scratch, false),
        request.name, Clock::kWall);
  }
};

}  // namespace

const Adapter& pytest_adapter() {
  static const Pytest adapter;
  return adapter;
}

}  // namespace nsop::adapters
