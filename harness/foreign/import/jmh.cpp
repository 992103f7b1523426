// JMH's JSON. No header: formats.h declares the readers.
// Source:
// https://github.com/openjdk/jmh/blob/master/jmh-core/src/main/java/org/openjdk/jmh/results/format/JSONResultFormat.java
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/core/error.h"
#include "harness/foreign/import/formats.h"
#include "harness/foreign/import/json_rows.h"
#include "harness/foreign/import/units.h"

namespace nsop::foreign {
namespace {

constexpr const char* kProfiler =
    "\xc2\xb7";  // a middle dot begins the names of profilers' results
constexpr int64_t kMostCount = 1'000'000'000;

class JmhReader {
 public:
  explicit JmhReader(ForeignFile& file) : file_(file) {}

  void row(const Value& row) {
    file_.count_row();
    Identity identity{{"name", text_at(row, "benchmark")}, {"mode", text_at(row, "mode")}};
    if (identity[0].second.empty()) return file_.leave_out("it has no name", "");
    const Value& params = value_at(row, "params");
    if (params.is_object()) {
      for (const auto& item : params.items()) {
        identity.emplace_back("p." + item.key(), plain_text(item.value()));
      }
    }
    const int threads =
        static_cast<int>(std::clamp<int64_t>(integer_at(row, "threads").value_or(1), 1, 1 << 20));
    add_metric(row, identity, threads, value_at(row, "primaryMetric"));
    const Value& secondary = value_at(row, "secondaryMetrics");
    if (secondary.is_object()) {
      for (const auto& item : secondary.items()) {
        add_secondary(row, identity, threads, item.key(), item.value());
      }
    }
    ForeignContext& c = file_.context();
    c.tool_version = text_at(row, "jmhVersion");
    c.compiler = text_at(row, "vmName") + " " + text_at(row, "vmVersion");
  }

 private:
  // Members of a group are measured beside each other; profilers' numbers are no times.
  void add_secondary(const Value& row, Identity identity, int threads, const std::string& name,
                     const Value& metric) {
    if (name.starts_with(kProfiler) || name.starts_with("gc.")) {
      return file_.leave_out("the result of a profiler", identity[0].second + " " + name);
    }
    identity.emplace_back("member", name);
    add_metric(row, identity, threads, metric);
  }

  void add_metric(const Value& row, const Identity& identity, int threads, const Value& metric) {
    const std::string name = display_name(identity);
    const std::string unit = text_at(metric, "scoreUnit");
    if (!ns_per_op(1, unit)) return file_.leave_out("its unit is no time", name);
    if (file_.has_row(identity, threads)) {
      throw bad_data(fmt::format("{}: '{}' is there twice", file_.where(), name.substr(0, 120)));
    }
    const Value& raw = value_at(metric, "rawData");
    const Value& histogram = value_at(metric, "rawDataHistogram");
    if (raw.is_array() && !raw.empty()) return add_raw(raw, identity, threads, unit);
    if (histogram.is_array() && !histogram.empty()) {
      return add_histogram(histogram, identity, threads, unit);
    }
    const auto score = number_at(metric, "score");
    if (!score) return file_.leave_out("its score is no number", name);
    const int64_t count = integer_at(row, "measurementIterations").value_or(0);
    file_.add_summary(identity, threads, *ns_per_op(*score, unit),
                      fmt::format("score of {} iterations", count));
  }

  // By fork, by iteration: a fork is a process.
  void add_raw(const Value& raw, const Identity& identity, int threads, const std::string& unit) {
    int64_t index = 0;
    for (size_t fork = 0; fork < raw.size(); ++fork) {
      if (!raw[fork].is_array()) continue;
      for (const Value& one : raw[fork]) {
        if (!one.is_number()) {
          file_.leave_out("the time is no number", display_name(identity));
          continue;
        }
        file_.add_sample(
            identity, threads,
            {.ns = *ns_per_op(one.get<double>(), unit), .process = static_cast<int>(fork)},
            index++);
      }
    }
  }

  // By fork, by iteration, [value, how often]: of so many, every so-manieth is given on.
  void add_histogram(const Value& forks, const Identity& identity, int threads,
                     const std::string& unit) {
    struct Bin {
      double ns;
      int64_t count;
      int fork;
    };
    std::vector<Bin> bins;
    int64_t total = 0;
    for (size_t fork = 0; fork < forks.size(); ++fork) {
      if (!forks[fork].is_array()) continue;
      for (const Value& iteration : forks[fork]) {
        if (!iteration.is_array()) continue;
        for (const Value& bin : iteration) {
          const bool good = bin.is_array() && bin.size() == 2 && bin[0].is_number() &&
                            bin[1].is_number_unsigned() && bin[1].get<int64_t>() <= kMostCount;
          if (!good) {
            file_.leave_out("the time is no number", display_name(identity));
            continue;
          }
          bins.push_back({*ns_per_op(bin[0].get<double>(), unit), bin[1].get<int64_t>(),
                          static_cast<int>(fork)});
          total += bins.back().count;
        }
      }
    }
    const int64_t stride = std::max<int64_t>(1, total / static_cast<int64_t>(SampleList::kMost));
    int64_t seen = 0, kept = 0;
    for (const Bin& bin : bins) {
      const int64_t first = (seen + stride - 1) / stride * stride;
      for (int64_t at = first; at < seen + bin.count; at += stride) {
        file_.add_sample(identity, threads, {.ns = bin.ns, .process = bin.fork}, kept++);
      }
      seen += bin.count;
    }
    if (total > kept) {
      file_.leave_out("sample of a histogram: evenly spaced ones are kept", display_name(identity),
                      total - kept);
    }
  }

  ForeignFile& file_;
};

}  // namespace

bool is_jmh(const Head& head) { return head.has("[].primaryMetric") || head.has("[].jmhVersion"); }

void read_jmh(TextSource& text, const ReadOptions& /*options*/, ForeignFile& file) {
  JmhReader reader(file);
  const JsonRest rest =
      read_json_rows(text, file.where(), {{"[]"}},
                     [&](const Path&, const Value& row, const Value&) { reader.row(row); });
  if (!rest.value.is_array()) throw bad_data(file.where() + ": expected a JSON array");
  file.truncated = rest.truncated;
}

}  // namespace nsop::foreign
