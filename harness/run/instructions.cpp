#include "harness/run/instructions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/text.h"

namespace nsop::run {
namespace {

// One process runs the operation once, another one so often: what the first operation does once
// goes with the difference.
constexpr int kOperations = 3;
constexpr int64_t kCountTimeoutMs = 600'000;
constexpr int64_t kMostStepNs = 1'000'000'000;
constexpr size_t kMostBytes = size_t{1} << 28;  // of callgrind's file

// Why a row isn't counted; thrown within this file only.
struct Uncounted {
  std::string reason;
};

Role role_of(const Worker& worker, const RowKey& row) {
  const std::string op = case_op(row.case_text);
  const auto& variants = worker.hello.variants;
  const auto it = std::find_if(variants.begin(), variants.end(), [&](const VariantInfo& v) {
    return v.op == op && v.name == row.variant;
  });
  return it == variants.end() ? Role::kOurs : it->role;
}

// What can be said before anything is started; empty: it can be tried.
std::string uncountable(const Worker& worker, const SeenRow& seen) {
  if (!missing_valgrind().empty()) return "valgrind is not installed";
  if (seen.row.threads != 1) return "counted on one thread only";
  if (worker.hello.has("reusable")) return "this worker takes too long to start under callgrind";
  // A step within a step: entering the inner one would end the counting.
  if (role_of(worker, seen.row) == Role::kProbe) return "probes are not counted";
  if (seen.step_ns > kMostStepNs) {
    return fmt::format("an operation takes {:.1f} s, which is minutes under callgrind",
                       static_cast<double>(seen.step_ns) / 1e9);
  }
  return {};
}

// Callgrind replaces `%` and what follows it in the names of files.
std::string escaped(const std::string& path) {
  std::string text;
  for (const char c : path) text.append(c == '%' ? 2 : 1, c);
  return text;
}

WorkerCommand under_callgrind(const WorkerCommand& worker, const std::string& file) {
  WorkerCommand command = worker;
  command.command = {program_on_path("valgrind"),
                     "--tool=callgrind",
                     "--quiet",
                     "--instr-atstart=yes",
                     "--collect-atstart=no",
                     "--toggle-collect=*Step*::run()",
                     "--separate-threads=no",
                     "--cache-sim=no",
                     "--branch-sim=no",
                     "--vgdb=no",
                     "--dump-line=no",
                     "--callgrind-out-file=" + escaped(file)};
  command.command.insert(command.command.end(), worker.command.begin(), worker.command.end());
  command.environment.emplace_back("VALGRIND_OPTS=");
  command.environment.emplace_back("DEBUGINFOD_URLS=");  // or it asks the network for symbols
  return command;
}

struct Total {
  CallgrindTotal callgrind;
  std::string target;
};

// Loads the row, on the best target there where the simulated processor lacks the row's.
Loaded load_there(WorkerClient& worker, RowKey& row, const CountPlace& place) {
  try {
    return worker.load(row, place.inputs, place.scratch, kCountTimeoutMs);
  } catch (const WorkerFailure& failure) {
    if (failure.status() != Status::kUnsupported) throw;
  }
  row.target = "best";
  Loaded loaded = worker.load(row, place.inputs, place.scratch, kCountTimeoutMs);
  row.target = loaded.target;
  return loaded;
}

Total total_of(const CountPlace& place, const SeenRow& seen, int operations) {
  const std::string file = place.scratch + "/callgrind.out";
  std::filesystem::remove(file);
  WorkerClient worker(under_callgrind(place.worker.timing, file), place.cpus, 1);
  RowKey row = seen.row;
  for (int i = 0; i < operations; ++i) {
    const Loaded loaded = load_there(worker, row, place);
    const bool same_way = loaded.target == row.target &&
                          (row.target != seen.row.target || loaded.chose == seen.chose);
    if (!same_way) {
      throw Uncounted{fmt::format("it runs another way under callgrind: {} on {}", loaded.chose,
                                  loaded.target)};
    }
  }
  worker.quit();
  const auto total =
      read_callgrind(std::filesystem::exists(file) ? read_file(file, kMostBytes) : std::string());
  if (!total) throw Uncounted{"callgrind wrote no count: is the worker a script?"};
  if (total->instructions == 0) {
    throw Uncounted{"the program has no symbol of the operation: was it stripped?"};
  }
  return {*total, row.target};
}

// The rest of the last whole line that begins so; empty: there is none.
std::string_view last_line(std::string_view text, std::string_view start) {
  std::string_view found;
  for (size_t end = 0; (end = text.find('\n')) != std::string_view::npos;) {
    if (text.starts_with(start)) found = text.substr(start.size(), end - start.size());
    text.remove_prefix(end + 1);
  }
  return found;
}

}  // namespace

std::string missing_valgrind() {
  if (!program_on_path("valgrind").empty()) return {};
  return "valgrind is not on the PATH: instructions are not counted; install the package valgrind";
}

std::optional<CallgrindTotal> read_callgrind(const std::string& text) {
  constexpr size_t kMostName = 100;
  const std::string_view creator = last_line(text, "creator: "),
                         total = last_line(text, "totals: ");
  int64_t instructions = 0;
  const auto [end, error] =
      std::from_chars(total.data(), total.data() + total.size(), instructions);
  const bool whole = error == std::errc() && end == total.data() + total.size();
  if (!whole || instructions < 0 || creator.empty() || creator.size() > kMostName) return {};
  return CallgrindTotal{message_line(std::string(creator)), instructions};
}

InstructionCounts count_instructions(const CountPlace& place, const SeenRow& seen) {
  InstructionCounts counts;
  counts.reason = uncountable(place.worker, seen);
  if (!counts.reason.empty()) return counts;
  try {
    const Total one = total_of(place, seen, 1), all = total_of(place, seen, kOperations);
    const int64_t later = all.callgrind.instructions - one.callgrind.instructions;
    if (later <= 0) throw Uncounted{"later operations count nothing"};
    counts.counted_by = all.callgrind.creator;
    counts.target = all.target;
    counts.per_op = static_cast<double>(later) / (kOperations - 1);
  } catch (const Uncounted& uncounted) {
    counts.reason = uncounted.reason;
  } catch (const WorkerFailure& failure) {
    counts.reason = std::string("under callgrind: ") + failure.what();
  } catch (const Error& error) {  // a case that it refuses there, a file that can't be read
    counts.reason = std::string("under callgrind: ") + error.what();
  }
  return counts;
}

}  // namespace nsop::run
