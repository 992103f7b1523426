// Random nouns for property tests.
#pragma once

#include <rapidcheck.h>

#include <algorithm>

#include "harness/core/sample.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::store::test {

inline rc::Gen<std::string> any_text() {
  return rc::gen::element<std::string>("", "plain", "quote ' and \" and \\", "; drop table run--",
                                       "µs, 测试, 🚀", "%_*?", "line\nbreak\ttab",
                                       std::string("nul\0in", 6), "\xE2\x80\xA8", "</script>");
}

// Of a column of its own, where a server takes no NUL; in bodies it is escaped.
inline rc::Gen<std::string> any_column() {
  if (!on_server()) return any_text();
  return rc::gen::suchThat(any_text(),
                           [](const std::string& text) { return text.find('\0') == text.npos; });
}

inline rc::Gen<std::string> any_name() {
  return rc::gen::element<std::string>("relu n=1", "a'b", "%_", "x\"y", "тест",
                                       std::string(512, 'n'));
}

inline rc::Gen<int64_t> any_count() {
  return rc::gen::oneOf(rc::gen::inRange<int64_t>(0, 1000), rc::gen::just<int64_t>(INT64_MAX),
                        rc::gen::positive<int64_t>());
}

inline rc::Gen<double> any_number() {
  return rc::gen::element(0.0, 1.0, 0.1, 1.0 / 3, 5e-324, 2.2250738585072014e-308, 1e300, 3e18);
}

inline rc::Gen<std::string> any_time() {
  return rc::gen::element<std::string>("1999-12-31T23:59:59Z", "2024-02-29T00:00:00Z",
                                       "2026-01-01T12:34:56Z");
}

// What a worker can have measured (problem_of()).
inline rc::Gen<int64_t> any_measured(int64_t least) {
  constexpr int64_t kMost = 1'000'000'000'000'000;
  return rc::gen::oneOf(rc::gen::inRange<int64_t>(least, 1000), rc::gen::just(kMost),
                        rc::gen::inRange<int64_t>(least, kMost));
}

inline Repetition any_repetition() {
  const int64_t wall_ns = *any_measured(1);
  return {*rc::gen::inRange<int64_t>(1, 1 + std::min<int64_t>(wall_ns, 1'000'000)),
          wall_ns,
          *any_measured(0),
          *any_measured(0),
          *any_measured(0),
          *any_measured(0),
          *any_measured(0)};
}

inline AllocCounts any_allocs() {
  return {*rc::gen::element(0.0, 0.5, 17.0, 1e18),
          *rc::gen::element(0.0, 4096.25, 1e18),
          *any_measured(0),
          *any_measured(0),
          *any_measured(0),
          *rc::gen::arbitrary<bool>()};
}

inline InstructionCounts any_instructions() {
  if (*rc::gen::arbitrary<bool>())
    return {*rc::gen::element(1.0, 68228.5, 1e18), *any_text(), *any_text(), ""};
  return {0, "", "", *any_name()};
}

inline Invocation any_invocation(const std::string& run_id, const std::string& build_id, int n) {
  Invocation one;
  one.id = run_id + "." + std::to_string(n);
  one.run_id = run_id;
  one.phase = *rc::gen::element(Phase::kTime, Phase::kCount);
  one.session = *rc::gen::inRange(0, 3);
  one.round = *rc::gen::inRange(0, 3);
  one.slot = n;
  one.build_id = build_id;
  one.row = {*any_name(), *any_name(), *any_name(), *rc::gen::inRange(1, 65)};
  one.status = *rc::gen::element(Status::kOk, Status::kWrong, Status::kUnsupported, Status::kError,
                                 Status::kTimeout, Status::kLost);
  one.reason = *any_text();
  one.chose = *any_text();
  one.inputs_sha256 = *any_column();
  one.check = {*rc::gen::arbitrary<bool>(), *any_number(), *any_number(), *any_number(),
               *any_text()};
  const int repetitions = *rc::gen::inRange(0, 4);
  for (int i = 0; i < repetitions; ++i) one.repetitions.push_back(any_repetition());
  if (*rc::gen::arbitrary<bool>()) one.allocs = any_allocs();
  if (*rc::gen::arbitrary<bool>()) one.instructions = any_instructions();
  one.warnings = *rc::gen::container<std::vector<std::string>>(any_text());
  one.workspace_bytes = *any_count();
  one.process_age_s = *any_number();
  if (*rc::gen::arbitrary<bool>()) one.first_ns = *any_count();
  one.at_utc = *any_time();
  return one;
}

inline Run any_run(const std::string& id, const std::string& host_id) {
  Run run;
  run.id = id;
  run.host_id = host_id;
  run.conditions.kernel = *any_text();
  run.conditions.load1 = *any_number();
  run.conditions.memory_bytes = *any_count();
  run.conditions.allowed_cpus = *rc::gen::arbitrary<std::vector<int>>();
  run.origin =
      *rc::gen::element<std::string>("measured", "gate", "confirm", "imported", "published");
  run.trust = *rc::gen::element<std::string>("local", "ci", "pr", "imported");
  run.profile = *any_column();
  run.seed = *rc::gen::arbitrary<uint64_t>();
  run.facts[*any_text()] = {*any_number(), *any_number(), *any_number(), *any_number(),
                            *any_number()};
  run.plan_json = *any_text();
  run.invocations_planned = *any_count();
  run.started_utc = *any_time();
  run.tool_version = *any_text();
  return run;
}

}  // namespace nsop::store::test
