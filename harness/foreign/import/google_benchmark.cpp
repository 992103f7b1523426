// Google Benchmark's JSON reporter. No header: formats.h declares the readers.
// Sources: https://github.com/google/benchmark/blob/main/src/json_reporter.cc,
// docs/tools.md and docs/user_guide.md there.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "harness/core/error.h"
#include "harness/core/identity.h"
#include "harness/foreign/import/formats.h"
#include "harness/foreign/import/json_rows.h"
#include "harness/foreign/import/times.h"
#include "harness/foreign/import/units.h"

namespace nsop::foreign {
namespace {

constexpr std::array<std::string_view, 6> kAggregates = {"mean", "median", "stddev",
                                                         "cv",   "BigO",   "RMS"};
// Fields of a row that are no counters of the user's.
constexpr std::array<std::string_view, 23> kOwnFields = {"name",
                                                         "family_index",
                                                         "per_family_instance_index",
                                                         "run_name",
                                                         "run_type",
                                                         "repetitions",
                                                         "repetition_index",
                                                         "threads",
                                                         "iterations",
                                                         "real_time",
                                                         "cpu_time",
                                                         "time_unit",
                                                         "aggregate_name",
                                                         "aggregate_unit",
                                                         "label",
                                                         "error_occurred",
                                                         "error_message",
                                                         "skipped",
                                                         "skip_message",
                                                         "big_o",
                                                         "cpu_coefficient",
                                                         "real_coefficient",
                                                         "rms"};

// What an aggregate says of a benchmark, for one that has no other row.
struct Aggregates {
  std::map<std::string, double> ns;  // by `mean`, `median`
  int64_t count = 0, repetitions = 0;
  int threads = 1;
};

// `1.8.4` is below `1.9.0`; so is one that isn't known (before 1.8.4 none was written).
bool is_before_1_9(const std::string& version) {
  int major = 0, minor = 0;
  const std::string_view text = std::string_view(version).substr(version.starts_with('v') ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, major);
  if (error != std::errc()) return true;
  if (after != end && *after == '.') std::from_chars(after + 1, end, minor);
  return major < 1 || (major == 1 && minor < 9);
}

class GoogleBenchmarkReader {
 public:
  explicit GoogleBenchmarkReader(ForeignFile& file) : file_(file) {}

  void row(const Value& row, const Value& rest) {
    if (!divided_) divided_ = is_before_1_9(text_at(value_at(rest, "context"), "library_version"));
    file_.count_row();
    if (!row.is_object()) return file_.leave_out("it is no object", "");
    const std::string aggregate = aggregate_of(row);
    if (!aggregate.empty()) return add_aggregate(row, aggregate);
    if (const std::string base = base_of(row); !base.empty()) {
      suspects_[base].push_back(row);
      return;
    }
    add_row(row);
  }

  void finish(const Value& rest) {
    const Value& context = value_at(rest, "context");
    ForeignContext& c = file_.context();
    c.tool_version = text_at(context, "library_version");
    c.started_utc = utc_of_iso8601(text_at(context, "date"));
    c.host = text_at(context, "host_name");
    c.cpus = static_cast<int>(integer_at(context, "num_cpus").value_or(0));
    c.build_type = text_at(context, "library_build_type");
    for (const auto& [base, rows] : suspects_) settle_old(base, rows);
    for (const auto& [name, one] : aggregates_) settle(name, one);
  }

 private:
  // Which aggregate the row is; empty: it is a benchmark's own.
  static std::string aggregate_of(const Value& row) {
    const std::string type = text_at(row, "run_type");
    if (type == "aggregate") {
      const std::string name = text_at(row, "aggregate_name");
      return name.empty() ? "aggregate" : name;
    }
    if (!type.empty()) return {};
    return {};
  }
  // Before 1.5.0 only the name says that a row is an aggregate. The benchmark that it may be one
  // of; empty: none.
  static std::string base_of(const Value& row) {
    if (row.contains("run_type")) return {};
    const std::string name = text_at(row, "name");
    const size_t at = name.rfind('_');
    for (const std::string_view one : kAggregates) {
      if (at != std::string::npos && std::string_view(name).substr(at + 1) == one) {
        return name.substr(0, at);
      }
    }
    return {};
  }
  // It is one where the benchmark has rows, or several aggregates; else it is called so.
  void settle_old(const std::string& base, const std::vector<Value>& rows) {
    const int threads = threads_of(rows.front(), base);
    const bool aggregates = rows.size() > 1 || file_.has_row(identity_of(base, threads), threads);
    for (const Value& row : rows) {
      if (aggregates) {
        add_aggregate(row, text_at(row, "name").substr(base.size() + 1));
      } else {
        add_row(row);
      }
    }
  }

  static std::string run_name(const Value& row) {
    const std::string name = text_at(row, "run_name");
    return name.empty() ? text_at(row, "name") : name;
  }

  // The number behind the last `/threads:`, or the field of newer versions.
  static int threads_of(const Value& row, const std::string& name) {
    if (const auto field = integer_at(row, "threads"); field && *field >= 1 && *field <= 1 << 20) {
      return static_cast<int>(*field);
    }
    constexpr std::string_view kThreads = "/threads:";
    const size_t at = name.rfind(kThreads);
    int threads = 1;
    if (at != std::string::npos) {
      const char* end = name.data() + name.size();
      std::from_chars(name.data() + at + kThreads.size(), end, threads);
    }
    return threads >= 1 ? threads : 1;
  }

  Identity identity_of(const std::string& name, int threads) const {
    Identity identity{{"name", name}};
    // Until 1.9.0 wall time was divided by the number of threads: another quantity.
    if (threads > 1 && divided_.value_or(true)) identity.emplace_back("real_time", "per_thread");
    return identity;
  }

  void add_row(const Value& row) {
    const std::string name = run_name(row);
    if (name.empty()) return file_.leave_out("it has no name", "");
    const int threads = threads_of(row, name);
    const Identity identity = identity_of(name, threads);
    if (value_at(row, "skipped") == true) {
      return file_.add_failure(identity, threads, Status::kUnsupported,
                               text_at(row, "skip_message"));
    }
    if (value_at(row, "error_occurred") == true) {
      return file_.add_failure(identity, threads, Status::kError, text_at(row, "error_message"));
    }
    const std::string unit = text_at(row, "time_unit");
    const auto ns = ns_of_unit(unit.empty() ? "ns" : unit);
    const auto time = number_at(row, "real_time");
    const auto iterations = integer_at(row, "iterations");
    if (!ns) return file_.leave_out("its time unit is unknown", name);
    if (!time) return file_.leave_out("it has no real_time", name);
    if (!iterations || *iterations < 1) return file_.leave_out("it has no iterations", name);
    add_sample(row, identity, threads, {.ns = *time * *ns, .iterations = *iterations, .process = 0},
               *ns);
  }

  void add_sample(const Value& row, const Identity& identity, int threads, ForeignSample sample,
                  double unit) {
    const double cpu = number_at(row, "cpu_time").value_or(0) * unit;
    const bool of_process = identity[0].second.find("/process_time") != std::string::npos;
    (of_process ? sample.cpu_ns : sample.thread_cpu_ns) = cpu;
    std::optional<int64_t> index = integer_at(row, "repetition_index");
    if (!index && !row.contains("run_type")) index = old_index_[identity]++;
    add_counters(row, identity[0].second, sample);
    file_.add_sample(identity, threads, sample, index);
  }

  // User counters and what a memory manager counted; rates and totals are not per operation.
  void add_counters(const Value& row, const std::string& name, ForeignSample& sample) {
    for (const auto& item : row.items()) {
      const std::string& key = item.key();
      const bool own = std::find(kOwnFields.begin(), kOwnFields.end(), key) != kOwnFields.end();
      if (own) continue;
      const auto number = number_at(row, key.c_str());
      if (number && *number >= 0) {
        sample.metrics[key] = *number;
      } else {
        file_.leave_out("a counter is negative or no number", name + " " + key);
      }
    }
  }

  void add_aggregate(const Value& row, const std::string& aggregate) {
    std::string name = run_name(row);
    if (!row.contains("run_name")) name = name.substr(0, name.rfind('_'));
    Aggregates& one = aggregates_[name];
    ++one.count;
    one.threads = threads_of(row, name);
    one.repetitions = integer_at(row, "iterations").value_or(0);
    const auto unit = ns_of_unit(text_at(row, "time_unit"));
    const auto time = number_at(row, "real_time");
    if (unit && time && text_at(row, "aggregate_unit") != "percentage") {
      one.ns[aggregate] = *time * *unit;
    }
  }

  // With rows of its own, a benchmark's aggregates say nothing more.
  void settle(const std::string& name, const Aggregates& one) {
    const Identity identity = identity_of(name, one.threads);
    for (const char* best : {"median", "mean"}) {
      const auto at = one.ns.find(best);
      if (at == one.ns.end() || file_.has_row(identity, one.threads)) continue;
      if (file_.add_summary(identity, one.threads, at->second,
                            fmt::format("{} of {} repetitions", best, one.repetitions)) !=
          nullptr) {
        if (one.count > 1) file_.leave_out("aggregate of repetitions", name, one.count - 1);
        return;
      }
    }
    file_.leave_out("aggregate of repetitions", name, one.count);
  }

  ForeignFile& file_;
  std::optional<bool> divided_;
  std::map<Identity, int64_t> old_index_;
  std::map<std::string, Aggregates> aggregates_;
  std::map<std::string, std::vector<Value>> suspects_;  // by the benchmark
};

}  // namespace

bool is_google_benchmark(const Head& head) {
  return head.has("context.num_cpus") || head.has("context.library_build_type") ||
         (head.has("context") && head.has("benchmarks.[].real_time"));
}

void read_google_benchmark(TextSource& text, const ReadOptions& /*options*/, ForeignFile& file) {
  GoogleBenchmarkReader reader(file);
  const JsonRest rest = read_json_rows(
      text, file.where(), {{"benchmarks", "[]"}},
      [&](const Path&, const Value& row, const Value& context) { reader.row(row, context); });
  if (!rest.value.is_object()) throw bad_data(file.where() + ": expected a JSON object");
  reader.finish(rest.value);
  file.truncated = rest.truncated;
}

}  // namespace nsop::foreign
