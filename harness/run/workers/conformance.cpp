#include "harness/run/workers/conformance.h"

#include <fmt/format.h>

#include <functional>

#include "harness/core/error.h"
#include "harness/run/workers/same_arrays.h"

namespace nsop::run {
namespace {

constexpr int64_t kTimeoutMs = 30'000;

class Checker {
 public:
  Checker(const WorkerCommand& worker, Conformance& result)
      : client_(worker, {}, 1), result_(result) {}

  WorkerClient& client() { return client_; }

  void expect(bool holds, const std::string& what) {
    ++result_.checks;
    if (!holds) result_.problems.push_back(what);
  }

  // The request must be refused with this code.
  void expect_refusal(const Json& request, const std::string& code) {
    const Json answer = client_.ask_raw(request, kTimeoutMs);
    const bool refused = !answer.value("ok", true);
    const std::string got =
        answer.contains("error") ? answer["error"].value("code", "no code") : "an answer";
    expect(refused && got == code,
           fmt::format("{}: expected error {}, got {}", request.dump(), code, got));
  }

 private:
  WorkerClient client_;
  Conformance& result_;
};

void check_refusals(Checker& c) {
  c.expect_refusal({{"do", "no_such_verb"}}, "bad_request");
  c.expect_refusal({{"do", "measure"},
                    {"warmup_ns", 0},
                    {"repetitions", 1},
                    {"min_time_ns", 1},
                    {"slow_repetitions", 1}},
                   "not_loaded");
  c.expect_refusal({{"do", "load"},
                    {"case", "no_such_op n=1"},
                    {"variant", "none"},
                    {"target", "none"},
                    {"threads", 1},
                    {"inputs", Json::array()},
                    {"dir", "/"}},
                   "unknown_op");
  c.expect_refusal({{"do", "load"}}, "bad_request");
}

void check_row(Checker& c, const RowKey& row, const std::vector<std::string>& inputs,
               const std::string& scratch) {
  const Loaded loaded = c.client().load(row, inputs, scratch, 120'000);
  c.expect(loaded.target == row.target,
           fmt::format("load: runs on {}, asked for {}", loaded.target, row.target));
  c.expect(!loaded.outputs.empty(), "load: returned no outputs");
  const WorkerClient::Dumped dumped = c.client().dump(scratch);
  c.expect(same_arrays(dumped.inputs, inputs), "dump: the inputs are not those that were loaded");
  const MeasureOptions options{0, 3, 1000, 2};
  const Measured measured = c.client().measure(options, 120'000);
  c.expect(measured.repetitions.size() == 3 || measured.repetitions.size() == 2,
           fmt::format("measure: {} repetitions, 3 were asked for", measured.repetitions.size()));
  c.expect(measured.process_age_s >= 0, "measure: negative process age");
}

}  // namespace

Conformance check_conformance(const WorkerCommand& worker, const RowKey& row,
                              const std::vector<std::string>& inputs, const std::string& scratch) {
  Conformance result;
  try {
    Checker c(worker, result);
    const Json hello =
        c.client().ask_raw({{"do", "hello"}, {"a_field_of_tomorrow", true}}, kTimeoutMs);
    c.expect(hello.value("ok", false), "hello: an unknown field must be ignored");
    c.expect(hello.contains("protocol"), "hello: lacks the protocol range");
    check_refusals(c);
    check_row(c, row, inputs, scratch);
    c.client().quit();
  } catch (const WorkerFailure& failure) {
    result.problems.push_back(failure.what());
    result.unsupported = failure.status() == Status::kUnsupported;
  } catch (const Error& error) {
    result.problems.push_back(error.what());
  }
  return result;
}

}  // namespace nsop::run
