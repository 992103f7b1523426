// The registered variants as the worker uses them: from a case to a step. Their results are checked
// against the oracles elsewhere; here it is what a step promises, and that it allocates nothing.
#include "kernels/runtime/step.h"

#include <gmock/gmock.h>

#include <map>

#include "harness/core/error.h"
#include "kernels/runtime/nontemporal.h"
#include "kernels/testing/count_new_support.h"
#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

ParamSpec text_key(const std::string& name, std::vector<std::string> choices) {
  ParamSpec spec;
  spec.name = name;
  spec.kind = ParamKind::kChoice;
  spec.choices = std::move(choices);
  return spec;
}

ParamSpec key(const std::string& name, ParamKind kind = ParamKind::kIndex) {
  ParamSpec spec;
  spec.name = name;
  spec.kind = kind;
  return spec;
}

const std::vector<std::string> kPassNames = {"forward", "backward", "backward_data",
                                             "backward_weights"};

ParamSpec shape_key(const std::string& name) { return key(name, ParamKind::kShape); }
ParamSpec pass_key() { return text_key("pass", kPassNames); }
ParamSpec axis_key() { return text_key("axis", {"all", "0", "1"}); }

std::vector<ParamSpec> matmul_keys() {
  std::vector<ParamSpec> keys = {key("m"),
                                 key("n"),
                                 key("k"),
                                 text_key("trans", {"nn", "nt", "tn", "tt"}),
                                 key("batch"),
                                 key("bias"),
                                 text_key("act", {"none", "relu"})};
  keys[4].absent = "1";
  keys[5].absent = "0";
  keys[6].absent = "none";
  return keys;
}

std::vector<ParamSpec> conv_keys() {
  std::vector<ParamSpec> keys = {pass_key(), shape_key("in"), key("out")};
  for (const char* name : {"k", "s", "p", "bias", "d", "groups"}) keys.push_back(key(name));
  keys.push_back(text_key("reduce", {"none", "mean"}));
  return keys;
}

// The keys that the variants read, by op; those of ops that are not here are pass and n.
const std::map<std::string, std::vector<ParamSpec>>& keys_by_op() {
  static const std::vector<ParamSpec> reduction = {shape_key("n"), axis_key()};
  static const std::vector<ParamSpec> along_axis = {pass_key(), shape_key("n"), axis_key()};
  static const std::vector<ParamSpec> pool = {pass_key(), shape_key("in"), key("k"), key("s"),
                                              key("p")};
  static const std::vector<ParamSpec> adaptive = {pass_key(), shape_key("in"), shape_key("out")};
  static const std::vector<ParamSpec> recurrent = {pass_key(), shape_key("in"), key("hidden")};
  static const std::map<std::string, std::vector<ParamSpec>> all = {
      {"matmul", matmul_keys()},
      {"dense",
       {pass_key(), shape_key("in"), key("out"), key("bias"), text_key("w", {"oi", "io"})}},
      {"conv1d", conv_keys()},
      {"conv2d", conv_keys()},
      {"dropout", {pass_key(), shape_key("n"), key("rate", ParamKind::kNumber)}},
      {"sum", reduction},
      {"max", reduction},
      {"argmax", reduction},
      {"variance", reduction},
      {"mean", along_axis},
      {"softmax", along_axis},
      {"maxpool2d", pool},
      {"avgpool2d", pool},
      {"adaptive_avgpool2d", adaptive},
      {"adaptive_maxpool2d", adaptive},
      {"batchnorm", {pass_key(), shape_key("in"), text_key("mode", {"train"})}},
      {"layernorm", {pass_key(), shape_key("n"), text_key("last", {"1"})}},
      {"matvec", {key("m"), key("n"), text_key("trans", {"n", "t"})}},
      {"transpose", {shape_key("n")}},
      {"permute", {shape_key("n"), text_key("perm", {"021", "102"})}},
      {"concat", {shape_key("a"), shape_key("b"), text_key("axis", {"0", "1"})}},
      {"pad",
       {shape_key("n"), text_key("axis", {"all", "image"}), key("before"), key("after"),
        key("value", ParamKind::kNumber)}},
      {"lstm", recurrent},
      {"gru", recurrent},
      {"rnn", recurrent},
      {"embedding", {pass_key(), shape_key("n"), key("vocab"), key("dim")}},
      {"dot", {key("n")}}};
  return all;
}

OpSpec spec_of(const std::string& op) {
  OpSpec spec;
  spec.name = op;
  const auto found = keys_by_op().find(op);
  spec.params = found != keys_by_op().end() ? found->second
                                            : std::vector<ParamSpec>{pass_key(), shape_key("n")};
  return spec;
}

struct StepCase {
  std::string line;
  std::vector<Shape> inputs;
  std::vector<Shape> outputs;
};

const std::vector<StepCase> kSteps = {
    {"relu pass=forward n=70000", {{70000}}, {{70000}}},
    {"maxpool2d pass=forward in=2x8x32x32 k=3 s=2 p=1",
     {{2, 8, 32, 32}},
     {{2, 8, 16, 16}, {2, 8, 16, 16}}},
    {"avgpool2d pass=forward in=2x8x32x32 k=2 s=2 p=0", {{2, 8, 32, 32}}, {{2, 8, 16, 16}}},
    {"avgpool2d pass=backward in=2x8x32x32 k=3 s=2 p=1", {{2, 8, 16, 16}}, {{2, 8, 32, 32}}},
    {"adaptive_avgpool2d pass=forward in=2x8x32x32 out=7x7", {{2, 8, 32, 32}}, {{2, 8, 7, 7}}},
    {"adaptive_avgpool2d pass=backward in=2x8x32x32 out=7x7", {{2, 8, 7, 7}}, {{2, 8, 32, 32}}},
    {"adaptive_maxpool2d pass=forward in=2x8x32x32 out=7x7",
     {{2, 8, 32, 32}},
     {{2, 8, 7, 7}, {2, 8, 7, 7}}},
    {"batchnorm pass=forward in=2x8x32x32 mode=train",
     {{2, 8, 32, 32}, {8}, {8}},
     {{2, 8, 32, 32}, {8}, {8}}},
    {"batchnorm pass=backward in=2x8x32x32 mode=train",
     {{2, 8, 32, 32}, {8}, {8}, {8}, {2, 8, 32, 32}},
     {{2, 8, 32, 32}, {8}, {8}}},
    {"layernorm pass=backward n=300x100 last=1",
     {{300, 100}, {100}, {300}, {300}, {300, 100}},
     {{300, 100}, {100}, {100}}},
    {"lstm_pointwise pass=forward n=16x300", {{16, 1200}, {16, 300}}, {{16, 300}, {16, 300}}},
    {"gru_pointwise pass=forward n=16x300", {{16, 900}, {16, 900}, {16, 300}}, {{16, 300}}},
    {"lstm pass=forward in=3x4x30 hidden=20",
     {{3, 4, 30}, {30, 80}, {20, 80}, {80}, {4, 20}, {4, 20}},
     {{3, 4, 20}, {4, 20}}},
    {"lstm pass=backward in=3x4x30 hidden=20",
     {{3, 4, 30}, {30, 80}, {20, 80}, {80}, {4, 20}, {4, 20}, {3, 4, 20}, {4, 20}},
     {{3, 4, 30}, {30, 80}, {20, 80}, {80}, {4, 20}, {4, 20}}},
    {"gru pass=forward in=3x4x30 hidden=20",
     {{3, 4, 30}, {30, 60}, {20, 60}, {60}, {60}, {4, 20}},
     {{3, 4, 20}}},
    {"gru pass=backward in=3x4x30 hidden=20",
     {{3, 4, 30}, {30, 60}, {20, 60}, {60}, {60}, {4, 20}, {3, 4, 20}},
     {{3, 4, 30}, {30, 60}, {20, 60}, {60}, {60}, {4, 20}}},
    {"rnn pass=forward in=3x4x30 hidden=20",
     {{3, 4, 30}, {30, 20}, {20, 20}, {20}, {4, 20}},
     {{3, 4, 20}}},
    {"rnn pass=backward in=1x4x30 hidden=20",
     {{1, 4, 30}, {30, 20}, {20, 20}, {20}, {4, 20}, {1, 4, 20}},
     {{1, 4, 30}, {30, 20}, {20, 20}, {20}, {4, 20}}},
    {"relu pass=backward n=33x7", {{33, 7}, {33, 7}}, {{33, 7}}},
    {"tanh pass=forward n=70000", {{70000}}, {{70000}}},
    {"tanh pass=backward n=100", {{100}, {100}}, {{100}}},
    {"sigmoid pass=forward n=70000", {{70000}}, {{70000}}},
    {"sigmoid pass=backward n=100", {{100}, {100}}, {{100}}},
    {"sum n=300x300 axis=all", {{300, 300}}, {{1}}},
    {"max n=300x300 axis=0", {{300, 300}}, {{300}}},
    {"argmax n=300x300 axis=all", {{300, 300}}, {{1}}},
    {"variance n=300x300 axis=all", {{300, 300}}, {{1}}},
    {"matvec m=300 n=301 trans=n", {{300, 301}, {301}}, {{300}}},
    {"matvec m=300 n=301 trans=t", {{300, 301}, {300}}, {{301}}},
    {"transpose n=300x301", {{300, 301}}, {{301, 300}}},
    {"permute n=3x100x301 perm=021", {{3, 100, 301}}, {{3, 301, 100}}},
    {"permute n=3x100x301 perm=102", {{3, 100, 301}}, {{100, 3, 301}}},
    {"concat a=300x301 b=300x7 axis=1", {{300, 301}, {300, 7}}, {{300, 308}}},
    {"pad n=3x100x301 axis=image before=1 after=2 value=0", {{3, 100, 301}}, {{3, 103, 304}}},
    {"mean pass=forward n=300x300 axis=1", {{300, 300}}, {{300}}},
    {"mean pass=backward n=300x300 axis=1", {{300}}, {{300, 300}}},
    {"dot n=100000", {{100000}, {100000}}, {{1}}},
    {"softmax pass=forward n=300x300 axis=1", {{300, 300}}, {{300, 300}}},
    {"softmax pass=backward n=300x300 axis=0", {{300, 300}, {300, 300}}, {{300, 300}}},
    {"matmul m=60 n=70 k=80 trans=nt", {{60, 80}, {70, 80}}, {{60, 70}}},
    {"dense pass=forward in=32x64 out=96 bias=1 w=oi", {{32, 64}, {96, 64}, {96}}, {{32, 96}}},
    {"dense pass=forward in=32x64 out=96 bias=0 w=io", {{32, 64}, {64, 96}}, {{32, 96}}},
    {"dense pass=backward in=32x64 out=96 bias=1 w=oi",
     {{32, 64}, {96, 64}, {32, 96}},
     {{32, 64}, {96, 64}, {96}}},
    {"dense pass=backward_data in=32x64 out=96 bias=0 w=oi", {{96, 64}, {32, 96}}, {{32, 64}}},
    {"dense pass=backward_weights in=32x64 out=96 bias=1 w=io",
     {{32, 64}, {32, 96}},
     {{64, 96}, {96}}},
    {"conv2d pass=forward in=2x8x12x12 out=16 k=3 s=1 p=1 bias=1 d=1 groups=1 reduce=none",
     {{2, 8, 12, 12}, {16, 8, 3, 3}, {16}},
     {{2, 16, 12, 12}}},
    {"conv2d pass=forward in=1x8x12x12 out=16 k=3 s=1 p=1 bias=0 d=1 groups=2 reduce=mean",
     {{1, 8, 12, 12}, {16, 4, 3, 3}},
     {{1, 16}}},
    {"conv2d pass=backward in=2x8x12x12 out=16 k=3 s=2 p=1 bias=1 d=1 groups=1 reduce=none",
     {{2, 8, 12, 12}, {16, 8, 3, 3}, {2, 16, 6, 6}},
     {{2, 8, 12, 12}, {16, 8, 3, 3}, {16}}},
    {"conv2d pass=backward_data in=2x8x12x12 out=16 k=3 s=1 p=1 bias=0 d=1 groups=1 reduce=mean",
     {{16, 8, 3, 3}, {2, 16}},
     {{2, 8, 12, 12}}},
    {"conv2d pass=backward_weights in=2x8x12x12 out=16 k=3 s=1 p=1 bias=0 d=1 groups=1 reduce=none",
     {{2, 8, 12, 12}, {2, 16, 12, 12}},
     {{16, 8, 3, 3}}},
};

std::vector<Tensor> tensors(const std::vector<Shape>& shapes, uint64_t seed) {
  std::vector<Tensor> result;
  for (const Shape& shape : shapes) {
    result.emplace_back(shape);
    const std::vector<float> values = random_floats(result.back().size(), seed++);
    std::copy(values.begin(), values.end(), result.back().data().begin());
  }
  return result;
}

// A step of a case with the buffers that it works on.
struct Prepared {
  Case op_case;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  std::unique_ptr<Step> step;

  Prepared(const StepCase& c, int threads, const std::string& target)
      : op_case(Case::parse(c.line, spec_of(case_op(c.line)))),
        inputs(tensors(c.inputs, 1)),
        outputs(tensors(c.outputs, 100)) {
    const Variant* variant = find_variant(op_case.op(), "hwy");
    EXPECT_NE(variant, nullptr) << c.line;
    for (Tensor& out : outputs) std::fill(out.data().begin(), out.data().end(), std::nanf(""));
    step = variant->prepare({op_case, inputs, outputs, threads, target});
  }

  std::vector<float> results() const {
    std::vector<float> all;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const std::span<const float> output = step->output(i);
      EXPECT_EQ(output.data(), outputs[i].data().data()) << "not the caller's buffer";
      all.insert(all.end(), output.begin(), output.end());
    }
    return all;
  }
};

class StepOf : public testing::TestWithParam<StepCase> {};
INSTANTIATE_TEST_SUITE_P(Cases, StepOf, testing::ValuesIn(kSteps),
                         [](const auto& param) { return "case" + std::to_string(param.index); });

TEST_P(StepOf, AllocatesNothing) {
  for (const std::string& target : targets()) {
    for (const int threads : {1, 2}) {
      const Prepared prepared(GetParam(), threads, target);
      const int64_t before = allocations;
      for (int i = 0; i < 3; ++i) prepared.step->run();
      EXPECT_EQ(allocations, before) << target << " threads=" << threads;
    }
  }
}

TEST_P(StepOf, FillsItsOutputsTheSameWayEachTime) {
  for (const int threads : {1, 2, 3}) {
    Prepared prepared(GetParam(), threads, targets().front());
    prepared.step->run();
    const std::vector<float> first = prepared.results();
    for (const float value : first) ASSERT_FALSE(std::isnan(value)) << threads;
    for (Tensor& out : prepared.outputs) std::fill(out.data().begin(), out.data().end(), 9.0f);
    prepared.step->run();
    EXPECT_EQ(prepared.results(), first) << threads;
  }
}

TEST_P(StepOf, TellsTargetsAndAlgorithm) {
  const Variant* variant = find_variant(case_op(GetParam().line), "hwy");
  ASSERT_NE(variant, nullptr);
  EXPECT_EQ(variant->role, Role::kOurs);
  EXPECT_EQ(variant->targets(), targets());
  const Prepared prepared(GetParam(), 2, "SCALAR");
  EXPECT_EQ(current_target(), "SCALAR");
  EXPECT_EQ(variant->unsupported(prepared.op_case, 2), "");
  EXPECT_NE(prepared.step->chose(), "");
  pin_target(targets().front());
}

TEST(Step, ChoosesByTargetAndKnowsItsWorkspace) {
  const StepCase c = {"matmul m=60 n=70 k=80 trans=nn", {{60, 80}, {80, 70}}, {{60, 70}}};
  const Prepared prepared(c, 1, "SCALAR");
  EXPECT_THAT(prepared.step->chose(), testing::StartsWith("gemm in place "));
  EXPECT_GT(prepared.step->workspace_bytes(), 0U);
  const Prepared relu(kSteps[0], 1, targets().front());
  EXPECT_EQ(relu.step->workspace_bytes(), 0U);
}

// Of the ways of broadcast operands, one pass alone stores past the caches and says so.
TEST(Step, TellsNontemporalStoresOfOnePassOnly) {
  const auto rows = static_cast<int64_t>(nontemporal_limit() / sizeof(float) / 2 / 1000 + 1);
  const Shape n = {rows, 1000};
  const auto chose = [&](const std::string& op, const std::vector<Shape>& inputs) {
    const StepCase c = {op + " pass=forward n=" + std::to_string(rows) + "x1000", inputs, {n}};
    return Prepared(c, 1, targets().front()).step->chose();
  };
  const auto streams = testing::StartsWith("single pass, streaming stores");
  EXPECT_THAT(chose("add", {n, n}), streams);
  EXPECT_THAT(chose("add", {n, {1}}), streams);
  EXPECT_EQ(chose("add", {n, {1000}}), "single pass");
  EXPECT_EQ(chose("add", {n, {rows, 1}}), "single pass");
  EXPECT_THAT(chose("fma", {{1}, n, {1}}), streams);
  EXPECT_EQ(chose("fma", {{1000}, n, {1}}), "single pass");
}

// Of these hwy_fresh is measured, too: of each family whose steps are made in a way of their own.
const std::vector<StepCase> kFreshSteps = {
    {"maxpool2d pass=forward in=2x8x32x32 k=2 s=2 p=0",
     {{2, 8, 32, 32}},
     {{2, 8, 16, 16}, {2, 8, 16, 16}}},
    {"conv1d pass=forward in=2x8x100 out=16 k=3 s=1 p=1 bias=1 d=1 groups=1 reduce=none",
     {{2, 8, 100}, {16, 8, 3}, {16}},
     {{2, 16, 100}}},
    {"conv1d pass=backward in=2x8x100 out=16 k=3 s=1 p=1 bias=1 d=1 groups=1 reduce=mean",
     {{2, 8, 100}, {16, 8, 3}, {2, 16}},
     {{2, 8, 100}, {16, 8, 3}, {16}}},
    {"lstm pass=forward in=3x4x30 hidden=20",
     {{3, 4, 30}, {30, 80}, {20, 80}, {80}, {4, 20}, {4, 20}},
     {{3, 4, 20}, {4, 20}}},
    {"lstm pass=backward in=3x4x30 hidden=20",
     {{3, 4, 30}, {30, 80}, {20, 80}, {80}, {4, 20}, {4, 20}, {3, 4, 20}, {4, 20}},
     {{3, 4, 30}, {30, 80}, {20, 80}, {80}, {4, 20}, {4, 20}}},
    {"dropout pass=backward n=300 rate=0.5", {{300}, {300}}, {{300}}},
};

class FreshStep : public testing::TestWithParam<StepCase> {};
INSTANTIATE_TEST_SUITE_P(Cases, FreshStep, testing::ValuesIn(kFreshSteps),
                         [](const auto& param) { return "case" + std::to_string(param.index); });

// A twin with new results: one allocation per output and call, in new memory, the same values.
TEST_P(FreshStep, TakesNewMemoryForEveryOutputOfEveryCall) {
  const std::string target = targets().front();
  Prepared prepared(GetParam(), 1, target);
  prepared.step->run();
  const std::vector<float> expected = prepared.results();
  const Variant* variant = find_variant(prepared.op_case.op(), "hwy_fresh");
  ASSERT_NE(variant, nullptr);
  EXPECT_EQ(variant->role, Role::kProbe);
  for (Tensor& out : prepared.outputs) std::fill(out.data().begin(), out.data().end(), 9.0f);
  const auto step =
      variant->prepare({prepared.op_case, prepared.inputs, prepared.outputs, 1, target});
  EXPECT_EQ(step->chose(), prepared.step->chose());
  EXPECT_EQ(step->workspace_bytes(), prepared.step->workspace_bytes());
  const auto outputs = static_cast<int64_t>(prepared.outputs.size());
  std::vector<const float*> last;
  for (const Tensor& out : prepared.outputs) last.push_back(out.data().data());
  for (int call = 0; call < 3; ++call) {
    const int64_t before = allocations, live = live_blocks;
    step->run();
    EXPECT_EQ(allocations - before, outputs);
    EXPECT_EQ(live_blocks - live, call == 0 ? outputs : 0) << "the results before are given back";
    std::vector<float> results;
    for (size_t i = 0; i < last.size(); ++i) {
      const std::span<const float> output = step->output(i);
      EXPECT_NE(output.data(), last[i]);
      last[i] = output.data();
      results.insert(results.end(), output.begin(), output.end());
    }
    EXPECT_EQ(results, expected);
  }
  for (const Tensor& out : prepared.outputs) {
    EXPECT_EQ(out.data()[0], 9.0f) << "the caller's buffers are left alone";
  }
}

// A mask is drawn on every call, and the steps of both variants draw the same ones.
TEST(FreshDropout, DrawsTheMasksOfItsTwin) {
  const StepCase c = {"dropout pass=forward n=300 rate=0.5", {{300}}, {{300}, {300}}};
  const std::string target = targets().front();
  Prepared prepared(c, 1, target);
  const Variant* variant = find_variant("dropout", "hwy_fresh");
  ASSERT_NE(variant, nullptr);
  const auto step =
      variant->prepare({prepared.op_case, prepared.inputs, prepared.outputs, 1, target});
  for (int call = 0; call < 3; ++call) {
    prepared.step->run();
    step->run();
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_THAT(step->output(i), testing::ElementsAreArray(prepared.step->output(i)));
    }
  }
}

TEST(Step, RefusesAnUnknownTarget) { EXPECT_THROW(Prepared(kSteps[0], 1, "AVX9"), Error); }

}  // namespace
}  // namespace nsop::kernels
