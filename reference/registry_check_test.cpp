// Every variant of every op, on every target of this machine, against the oracle: one test per
// (op, variant), over its targets and all cases of check_cases.txt, with one and two threads (under
// ThreadSanitizer with two: one thread races with nobody) and two seeds. Rows of a process share
// the results of the oracle, so parts (CMakeLists.txt) are few; under a sanitizer they go without
// what takes SCALAR long.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <ostream>
#include <set>

#include "harness/core/check.h"
#include "harness/core/files.h"
#include "harness/core/registry.h"
#include "harness/core/text.h"

#ifndef NSOP_CHECK_STRIDE
#define NSOP_CHECK_STRIDE 1
#endif

namespace nsop {
namespace {

// One (op, variant).
struct Row {
  const Variant* variant;
};

std::string name_of(const Row& row) {
  std::string name = fmt::format("{}_{}", row.variant->op, row.variant->name);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

void PrintTo(const Row& row, std::ostream* out) { *out << name_of(row); }

std::vector<Row> all_rows() {
  std::vector<Row> rows;
  for (const Variant& variant : all_variants()) rows.push_back({&variant});
  return rows;
}

// The expanded cases of the data file by op; a line that doesn't parse throws.
std::map<std::string, std::vector<Case>> read_cases() {
  std::map<std::string, std::vector<Case>> cases;
  for (const std::string& raw : split(read_file(NSOP_CHECK_CASES), '\n')) {
    const std::string line = trim(raw);
    if (line.empty() || line[0] == '#') continue;
    const Op* op = find_op(case_op(line));
    if (op == nullptr) throw std::runtime_error("check_cases.txt: unknown op in: " + line);
    for (Case& c : expand_cases(line, op->spec)) {
      if (op->validate) op->validate(c);
      cases[c.op()].push_back(std::move(c));
    }
  }
  return cases;
}

const std::vector<Case>& cases_of(const std::string& op) {
  static std::map<std::string, std::vector<Case>> cases = read_cases();
  return cases[op];
}

// Inputs from a seed and what the oracle makes of them; of an op with an oracle_given, nothing yet.
struct Expectation {
  std::vector<Tensor> inputs;
  std::vector<TensorF64> outputs;
};

Expectation expectation(const Op& op, const Case& c, uint64_t seed) {
  Expectation e;
  e.inputs = make_inputs(op, c, seed);
  if (!op.oracle_given) e.outputs = expected_outputs(op, c, e.inputs, {});
  return e;
}

// The oracle's results, shared by all rows of this process.
const Expectation& cached_expectation(const Op& op, const Case& c, uint64_t seed) {
  static std::map<std::pair<std::string, uint64_t>, Expectation> cache;
  const auto key = std::pair(c.text(), seed);
  auto found = cache.find(key);
  if (found == cache.end()) found = cache.emplace(key, expectation(op, c, seed)).first;
  return found->second;
}

void fill_with_nan(std::vector<Tensor>& outputs) {
  for (Tensor& output : outputs) {
    std::ranges::fill(output.data(), std::numeric_limits<float>::quiet_NaN());
  }
}

std::vector<Tensor> copy_outputs(const std::vector<OutputSpec>& specs, const Step& step) {
  std::vector<Tensor> copies;
  for (size_t i = 0; i < specs.size(); ++i) {
    copies.emplace_back(specs[i].shape);
    std::ranges::copy(step.output(i), copies.back().data().begin());
  }
  return copies;
}

CheckResult check_step(const Op& op, const Case& c, const Step& step, const Expectation& expected) {
  CheckResult result = passed();
  const auto specs = op.outputs(c);
  const auto tolerances = tolerances_of(op, c);
  const std::vector<TensorF64> given =
      op.oracle_given ? expected_outputs(op, c, expected.inputs, copy_outputs(specs, step))
                      : std::vector<TensorF64>();
  const std::vector<TensorF64>& want = op.oracle_given ? given : expected.outputs;
  for (size_t i = 0; i < specs.size(); ++i) {
    result = merge(result, check_output(specs[i].name, step.output(i), want[i], tolerances[i]));
  }
  return result;
}

bool same_values(const Tensor& a, const Tensor& b) {
  return std::ranges::equal(a.data(), b.data());
}

int64_t checks_run = 0;

// Does a tensor of the case have an extent above 1 that fills no vectors of 16 floats?
bool is_odd(const Op& op, const Case& c) {
  const auto odd = [](const auto& spec) {
    return std::ranges::any_of(spec.shape, [](int64_t n) { return n > 1 && n % 16 != 0; });
  };
  return std::ranges::any_of(op.inputs(c), odd) || std::ranges::any_of(op.outputs(c), odd);
}

// What this process checked, for people.
class Totals : public testing::Environment {
 public:
  void add(const Variant& variant, const std::string& target, const Case& c) {
    variants_.emplace(variant.op, variant.name);
    targets_.insert(target);
    odd_.try_emplace(c.text(), is_odd(*find_op(c.op()), c));
  }
  void TearDown() override {
    std::set<std::string> ops;
    for (const auto& [op, variant] : variants_) ops.insert(op);
    const auto odd = std::ranges::count_if(odd_, [](const auto& entry) { return entry.second; });
    fmt::print(
        "checked: {} ops, {} variants, {} targets, {} cases ({} with an extent above 1 that is no "
        "multiple of 16), {} checks\n",
        ops.size(), variants_.size(), targets_.size(), odd_.size(), odd, checks_run);
  }

 private:
  std::set<std::pair<std::string, std::string>> variants_;
  std::set<std::string> targets_;
  std::map<std::string, bool> odd_;  // by case
};
// Owned by GoogleTest.
auto* const totals = static_cast<Totals*>(testing::AddGlobalTestEnvironment(new Totals));

// Prepares once and runs on two seeds, the second written over the first in place; on one thread a
// third time on what it has: a result is a function of the inputs, however often it is timed.
void check_case(const Variant& variant, const std::string& target, const Case& c, int threads) {
  const Op& op = *find_op(c.op());
  std::vector<Tensor> inputs = make_inputs(op, c, 1);
  std::vector<Tensor> outputs;
  for (const OutputSpec& spec : op.outputs(c)) outputs.emplace_back(spec.shape);
  std::unique_ptr<Step> step;
  totals->add(variant, target, c);
  for (const uint64_t seed : {1, 2}) {
    const Expectation& expected = cached_expectation(op, c, seed);
    for (size_t i = 0; i < inputs.size(); ++i) {
      std::ranges::copy(expected.inputs[i].data(), inputs[i].data().begin());
    }
    fill_with_nan(outputs);
    if (step) step->inputs_changed();
    if (!step) step = variant.prepare({c, inputs, outputs, threads, target});
    step->run();
    const CheckResult result = check_step(op, c, *step, expected);
    ++checks_run;
    EXPECT_TRUE(result.ok) << target << ": " << c.text() << " threads=" << threads
                           << " seed=" << seed << ": " << result.message;
    for (size_t i = 0; i < inputs.size(); ++i) {
      EXPECT_TRUE(same_values(inputs[i], expected.inputs[i]))
          << target << ": " << c.text() << ": input changed";
    }
  }
  if (threads > 1) return;
  step->run();
  const CheckResult again = check_step(op, c, *step, cached_expectation(op, c, 2));
  EXPECT_TRUE(again.ok) << target << ": " << c.text() << " run again: " << again.message;
}

class RegistryCheck : public testing::TestWithParam<Row> {};

// One case in how many is checked, unless NSOP_TEST_FULL is set: all of our own, but of what forks
// for work of any size a sample, which waits for other tests at every fork; of other libraries one,
// too.
size_t case_stride(const Variant& variant) {
  if (std::getenv("NSOP_TEST_FULL") != nullptr) return 1;
  constexpr size_t kOfLibraries = NSOP_CHECK_STRIDE, kForked = 4;
  return variant.name == "forked" ? kForked : kOfLibraries;
}

#ifdef __SANITIZE_THREAD__
constexpr std::array kThreads{2};
#else
constexpr std::array kThreads{1, 2};
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kInstrumented = true;
#else
constexpr bool kInstrumented = false;
#endif

// Instrumented scalar loops take most of the time, and a large case runs the same loops as a small
// one, only longer.
bool takes_too_long(const Op& op, const Case& c, const std::string& target) {
  constexpr double kMostFlops = 1e6;
  return kInstrumented && target == "SCALAR" && op.work(c).flops > kMostFlops;
}

TEST_P(RegistryCheck, MatchesTheOracle) {
  const Variant& variant = *GetParam().variant;
  const std::vector<std::string> targets = variant.targets();
  ASSERT_FALSE(targets.empty());
  const int64_t before = checks_run;
  size_t supported = 0;
  for (const Case& c : cases_of(variant.op)) {
    for (const int threads : kThreads) {
      if (!variant.unsupported(c, threads).empty()) continue;
      if (supported++ % case_stride(variant) != 0) continue;
      for (const std::string& target : targets) {
        if (takes_too_long(*find_op(c.op()), c, target)) continue;
        check_case(variant, target, c, threads);
      }
    }
  }
  if (supported == 0 && kThreads.front() > 1) GTEST_SKIP() << "runs on one thread";
  EXPECT_GT(checks_run, before) << "the variant supports none of the cases";
}

INSTANTIATE_TEST_SUITE_P(Rows, RegistryCheck, testing::ValuesIn(all_rows()),
                         [](const auto& row) { return name_of(row.param); });

TEST(Registry, EveryOpHasCasesAndAVariant) {
  for (const Op& op : all_ops()) {
    EXPECT_FALSE(cases_of(op.spec.name).empty()) << op.spec.name;
    EXPECT_TRUE(std::ranges::any_of(all_variants(), [&](const Variant& v) {
      return v.op == op.spec.name;
    })) << op.spec.name;
  }
}

TEST(Registry, EveryCaseSurvivesItsCanonicalText) {
  for (const Op& op : all_ops()) {
    for (const Case& c : cases_of(op.spec.name)) {
      EXPECT_EQ(parse_case(c.text()).text(), c.text());
    }
  }
}

// Three ways of being wrong in one element or by one place.
std::vector<std::vector<float>> mutations(const std::vector<float>& right, double allowed) {
  const size_t at = right.size() / 2;
  std::vector<std::vector<float>> wrong(3, right);
  wrong[0][at] += static_cast<float>(1.5 * allowed + 1e-6 * std::fabs(right[at]) + 1e-30);
  wrong[1][at] = std::numeric_limits<float>::quiet_NaN();
  std::rotate(wrong[2].begin(), wrong[2].begin() + 1, wrong[2].end());
  if (right.size() == 1) wrong.pop_back();
  return wrong;
}

// Can the checks above fail at all? An element that is off by a little more than allowed or left
// unwritten, and a result that is shifted by one place, are always found.
TEST(Registry, AWrongOutputIsDetected) {
  for (const Op& op : all_ops()) {
    const Case& c = cases_of(op.spec.name).back();
    const auto tolerances = tolerances_of(op, c);
    const std::vector<TensorF64>& wanted = cached_expectation(op, c, 1).outputs;
    for (size_t i = 0; i < wanted.size(); ++i) {
      const TensorF64& want = wanted[i];
      const Tolerance tolerance = tolerances[i];
      const std::vector<float> right(want.data.begin(), want.data.end());
      ASSERT_TRUE(check_output("o", right, want, tolerance).ok) << c.text();
      const double middle = std::fabs(want.data[want.data.size() / 2]);
      for (const auto& wrong : mutations(right, tolerance.absolute + tolerance.relative * middle)) {
        EXPECT_FALSE(check_output("o", wrong, want, tolerance).ok) << c.text();
      }
    }
  }
}

// The same with a broken variant: a step that leaves the last element unwritten, and one that keeps
// the result of the first seed, pass neither.
TEST(Registry, AStepThatSkipsOrRepeatsIsDetected) {
  const Case c = parse_case("relu pass=forward n=17 range=-3:3");
  const Op& op = *find_op("relu");
  const Variant* variant = find_variant("relu", "elementwise");
  ASSERT_NE(variant, nullptr);
  const Expectation& first = cached_expectation(op, c, 1);
  std::vector<Tensor> inputs = make_inputs(op, c, 1);
  std::vector<Tensor> outputs;
  outputs.emplace_back(Shape{17});
  const auto step = variant->prepare({c, inputs, outputs, 1, "x86-64"});
  step->run();
  ASSERT_TRUE(check_step(op, c, *step, first).ok);
  EXPECT_FALSE(check_step(op, c, *step, cached_expectation(op, c, 2)).ok);
  std::vector<float> skipped(step->output(0).begin(), step->output(0).end());
  skipped.back() = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(check_output("y", skipped, first.outputs[0], op.tolerance(c)).ok);
}

}  // namespace
}  // namespace nsop
