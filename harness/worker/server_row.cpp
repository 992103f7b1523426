// The verbs (server.h) that are about the loaded row: load, measure, allocs, dump.
#include <utility>

#include "harness/worker/clock.h"
#include "harness/worker/engine.h"
#include "harness/worker/lookup.h"
#include "harness/worker/server.h"

namespace nsop::worker {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
// Limits that only rubbish exceeds.
constexpr Limits kThreads{1, 4096}, kRepetitions{1, 100'000}, kTime{0, 3600 * kSecond},
    kIterations{1, 1'000'000'000};

// Of the program's static initialisation, which is as near to its start as makes no difference.
const int64_t process_start_ns = monotonic_ns();

}  // namespace

Json Server::load(const Json& request) {
  const auto [op, c] = case_field(request);
  const Variant& variant = variant_field(request, op);
  const int threads = static_cast<int>(integer_field(request, "threads", kThreads, 1));
  const std::vector<std::string> inputs = texts_field(request, "inputs");
  const std::string dir = text_field(request, "dir");
  RowRequest wanted{c, variant.name, target_field(request, variant), threads};
#if defined(__EMSCRIPTEN__)
  if (threads > 1) throw Refusal("unsupported", "this worker runs on one thread");
#endif
  const std::string reason = variant.unsupported ? variant.unsupported(c, threads) : std::string();
  if (!reason.empty()) throw Refusal("unsupported", reason);

  if (row_ && row_->is(wanted)) {
    row_->overwrite_inputs(inputs);
  } else {
    row_.reset();  // before the next one is made, so that two never need memory at once
    check_memory(op, c);
    row_ = std::make_unique<Row>(op, variant, std::move(wanted), inputs);
  }
  try {
    const int64_t step_ns = row_->run_once(surroundings_.hook);
    return {{"target", row_->request().target},
            {"chose", row_->step().chose()},
            {"workspace_bytes", row_->step().workspace_bytes()},
            {"outputs", row_->write_outputs(dir)},
            {"step_ns", step_ns}};
  } catch (...) {
    row_.reset();  // a row that never ran to its end isn't loaded
    throw;
  }
}

Row& Server::loaded() {
  if (!row_) throw Refusal("not_loaded", "no row is loaded");
  return *row_;
}

Json Server::measure_row(const Json& request) {
  Row& row = loaded();
  const double age_s = static_cast<double>(monotonic_ns() - process_start_ns) / kSecond;
  MeasureOptions options;
  options.warmup_ns = integer_field(request, "warmup_ns", kTime, options.warmup_ns);
  options.min_time_ns = integer_field(request, "min_time_ns", {1, kTime.most}, options.min_time_ns);
  options.repetitions =
      static_cast<int>(integer_field(request, "repetitions", kRepetitions, options.repetitions));
  options.slow_repetitions = static_cast<int>(
      integer_field(request, "slow_repetitions", kRepetitions, options.slow_repetitions));
  options.known_step_ns = row.fastest_ns();
  // They count the calling thread.
  options.counters = flag_field(request, "counters", false) && row.request().threads == 1;
  Json repetitions = Json::array();
  for (const Repetition& r : measure(row.step(), options)) repetitions.push_back(to_json(r));
  return {{"process_age_s", age_s}, {"repetitions", std::move(repetitions)}};
}

Json Server::allocs(const Json& request) {
  if (!surroundings_.hook) {
    throw Refusal("unsupported", "allocations aren't counted in this process: no counting preload");
  }
  const std::vector<int64_t> iterations = integers_field(request, "iterations", kIterations);
  Row& row = loaded();
  Json counts = Json::array();
  for (const int64_t n : iterations) {
    const NsopAllocTotals t = count_allocs(*surroundings_.hook, [&] {
      for (int64_t i = 0; i < n; ++i) row.step().run();
    });
    counts.push_back({{"iterations", n},
                      {"allocs", t.allocs},
                      {"bytes", t.requested_bytes},
                      {"peak_live_bytes", t.peak_live_bytes}});
  }
  const NsopAllocTotals& first = row.first_allocs();
  return {{"first", {{"allocs", first.allocs}, {"bytes", first.requested_bytes}}},
          {"counts", std::move(counts)}};
}

Json Server::dump(const Json& request) {
  const std::string dir = text_field(request, "dir");
  const Row& row = loaded();
  return {{"inputs", row.write_inputs(dir)}, {"outputs", row.write_outputs(dir)}};
}

}  // namespace nsop::worker
