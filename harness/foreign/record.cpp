#include "harness/foreign/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/core/identity.h"
#include "harness/core/text.h"
#include "harness/store/record/exchange_parse.h"
#include "harness/store/record/limits.h"
#include "harness/store/record/sealed.h"

namespace nsop::foreign {
namespace {

constexpr int64_t kMostAheadS = 2 * 86400;
constexpr double kRounding = 1e-6;   // of a time, relative
constexpr double kMostTotal = 9e15;  // of a repetition: the store's numbers end at 2^53
constexpr const char* kTarget = "imported";
constexpr size_t kMostContext = 200;  // bytes of a text of the file's context

// One line of bounded length, as others may print it.
std::string plain(const std::string& text) {
  return printable(text.substr(0, std::min(text.size(), kMostContext)));
}

// What a file says of its machine beside the name.
std::string machine_of(const ForeignContext& context) {
  std::vector<std::string> parts;
  for (const std::string& part : {context.os, context.cpu_model}) {
    if (!trim(part).empty()) parts.push_back(plain(part));
  }
  if (context.cpus > 0) parts.push_back(fmt::format("{} CPUs", context.cpus));
  return join(parts, ", ");
}

Build build_of(const ForeignContext& context, const Format& format) {
  Build build;
  build.commit = context.commit.empty() ? "unknown" : plain(context.commit);
  build.dirty = context.dirty;
  build.compiler = plain(context.compiler);
  build.build_type = plain(context.build_type);
  build.engine =
      format.tool + (context.tool_version.empty() ? "" : " " + plain(context.tool_version));
  build.id = sha256_hex(fmt::format("{}\n{}\n{}\n{}\n{}", build.commit, build.dirty, build.compiler,
                                    build.build_type, build.engine));
  return build;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

// Exact where all samples agree; else the medians, which are then not steady.
AllocCounts counts_of(const ForeignRow& row) {
  std::vector<double> allocs, bytes;
  for (const auto& [a, b] : row.allocs_and_bytes.kept()) {
    allocs.push_back(a);
    bytes.push_back(b);
  }
  AllocCounts counts;
  counts.allocs_per_op = median_of(allocs);
  counts.bytes_per_op = median_of(bytes);
  counts.steady = row.allocs_and_bytes.steady();
  return counts;
}

class RunBuilder {
 public:
  RunBuilder(const ForeignRun& foreign, const Format& format, const RecordOptions& options,
             size_t index)
      : foreign_(foreign), format_(format), build_(build_of(foreign.context, format)) {
    const ForeignContext& c = foreign.context;
    result_.host = foreign_host(c.host.empty() ? options.host : plain(c.host));
    Run& run = result_.run;
    run.id = store::uuid_of(
        fmt::format("{}\n{}\n{}\n{}", format.name, result_.host.id, options.sha256, index));
    run.host_id = result_.host.id;
    run.origin = run.trust = "imported";
    run.profile = "imported";
    run.conditions.os = machine_of(c);
    run.started_utc = c.started_utc.empty() ? options.started_utc : c.started_utc;
    run.ended_utc = run.started_utc;
    run.state = RunState::kComplete;
    run.tool_version = options.tool_version;
  }

  ForeignRecord build(ForeignFile& file) {
    const Run& run = result_.run;
    if (*utc_seconds(run.started_utc) > *utc_seconds(utc_now()) + kMostAheadS) {
      throw bad_data(fmt::format(
          "{}: the run began at {}, in the future: set the clock of this machine, or of the one "
          "that measured",
          file.where(), run.started_utc));
    }
    for (const ForeignRow& row : foreign_.rows) add_row(row, file);
    if (invocations_.size() > store::kMaxInvocations) {
      throw bad_data(
          fmt::format("{}: more than {} samples in a run", file.where(), store::kMaxInvocations));
    }
    result_.record =
        store::sealed_record(result_.run, result_.host, build_, std::move(invocations_));
    return std::move(result_);
  }

 private:
  void add_row(const ForeignRow& row, ForeignFile& file) {
    const RowKey key{case_text(format_.tool, row.identity), format_.tool, kTarget, row.threads};
    const std::string name = display_name(row.identity);
    if (key.case_text.size() > store::kMaxNameBytes) {
      return file.leave_out(fmt::format("its name takes more than {} bytes", store::kMaxNameBytes),
                            name);
    }
    const auto dropped = row.samples.seen() - static_cast<int64_t>(row.samples.kept().size());
    if (dropped > 0) {
      file.leave_out("more samples than are kept: evenly spaced ones stand for all", name, dropped);
    }
    ++result_.rows;
    if (!row.summary.empty()) ++result_.summaries;
    if (row.status != Status::kOk) {
      ++result_.failures;
      Invocation& failed = add_invocation(key, 0, 1, Phase::kTime);
      failed.status = row.status;
      failed.reason = row.reason;
      ++slot_;
      return;
    }
    add_samples(row, key);
    if (!row.allocs_and_bytes.empty()) {
      add_invocation(key, 0, 0, Phase::kCount).allocs = counts_of(row);
    }
    ++slot_;
  }

  void add_samples(const ForeignRow& row, const RowKey& key) {
    int round = 0;
    for (const ForeignSample& sample : row.samples.kept()) {
      Invocation& one = add_invocation(key, sample.process, ++round, Phase::kTime);
      one.repetitions.push_back(repetition_of(sample));
      if (!row.summary.empty()) {
        one.warnings.push_back(
            fmt::format("the file has no samples: the {} stands for them, without an interval",
                        plain(row.summary)));
      }
      ++result_.samples;
    }
  }

  Invocation& add_invocation(const RowKey& key, int session, int round, Phase phase) {
    Invocation one;
    one.phase = phase;
    one.session = session;
    one.round = round;
    one.slot = slot_;
    one.build_id = build_.id;
    one.row = key;
    one.check.ok = true;  // whoever measured it says so; nothing was compared here
    one.at_utc = result_.run.started_utc;
    invocations_.push_back(std::move(one));
    return invocations_.back();
  }

  const ForeignRun& foreign_;
  const Format& format_;
  Build build_;
  ForeignRecord result_;
  std::vector<Invocation> invocations_;
  int slot_ = 0;
};

}  // namespace

Host foreign_host(const std::string& name) {
  Host host;
  host.cpu_model = name.empty() ? "unknown" : name;
  host.id = sha256_hex("imported\n" + host.cpu_model);
  host.hypervisor = "unknown";  // so its runs are taken to differ as those of a guest do
  return host;
}

Repetition repetition_of(const ForeignSample& sample) {
  Repetition r;
  double iterations = sample.iterations > 0 ? static_cast<double>(sample.iterations) : 1;
  const auto error = [&] {
    const double total = sample.ns * iterations;
    return std::abs(std::round(total) - total) / total;
  };
  while ((error() > kRounding || std::round(sample.ns * iterations) < 1) &&
         sample.ns * iterations * 10 < kMostTotal) {
    iterations *= 10;
  }
  // Operations of a file that says more of them than the store's numbers hold.
  while (sample.ns * iterations > kMostTotal) iterations = std::ceil(iterations / 2);
  r.iterations = static_cast<int64_t>(iterations);
  r.wall_ns = std::llround(sample.ns * iterations);
  const auto total = [&](double ns) {
    return ns > 0 && ns * iterations < kMostTotal ? std::llround(ns * iterations) : 0;
  };
  r.process_cpu_ns = total(sample.cpu_ns);
  r.thread_cpu_ns = total(sample.thread_cpu_ns);
  for (const auto& [name, value] : sample.metrics) {
    if (value < 1e19) r.metrics[printable(name)] = value;
  }
  return r;
}

std::vector<ForeignRecord> records_of(ForeignFile& file, const Format& format,
                                      const RecordOptions& options) {
  std::vector<ForeignRecord> records;
  for (size_t i = 0; i < file.runs().size(); ++i) {
    const ForeignRun& run = file.runs()[i];
    if (run.rows.empty()) continue;
    ForeignRecord one = RunBuilder(run, format, options, i).build(file);
    if (one.rows > 0) records.push_back(std::move(one));
  }
  return records;
}

}  // namespace nsop::foreign
