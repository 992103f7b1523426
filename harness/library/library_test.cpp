#include "harness/library/library.h"

#include <gmock/gmock.h>

#include "harness/core/error.h"

namespace nsop {
namespace {

// y[i] = a x[i].
OpDefinition scaled() {
  return {
      .name = "scaled",
      .summary = "y = a x.",
      .params = {key::count("n"), key::number("a")},
      .inputs =
          [](const Case& c) {
            return std::vector<InputSpec>{{"x", {c.integer("n")}}};
          },
      .outputs =
          [](const Case& c) {
            return std::vector<OutputSpec>{{"y", {c.integer("n")}}};
          },
      .oracle =
          [](const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
            for (size_t i = 0; i < in[0].size(); ++i) {
              out[0].data[i] = c.number("a") * double{in[0].data()[i]};
            }
          },
      .tolerance =
          [](const Case&) {
            return Tolerance{0, 1e-6};
          },
  };
}

VariantDefinition loop() {
  return {.op = "scaled", .name = "loop", .prepare = [](const StepRequest& r) {
            return [a = static_cast<float>(r.op_case.number("a")), x = r.inputs[0].data(),
                    y = r.outputs[0].data()] {
              for (size_t i = 0; i < x.size(); ++i) y[i] = a * x[i];
            };
          }};
}

const OpRow op_row{define_op(scaled())};
const VariantRow loop_row{define_variant(loop())};

TEST(LibraryTest, ADefinedOpIsFoundAndItsOracleIsAsked) {
  const Op& op = *find_op("scaled");
  const Case c = parse_case("scaled n=5 a=-2");
  EXPECT_THROW(parse_case("scaled n=5"), Error);
  const std::vector<Tensor> inputs = make_inputs(op, c, 1);
  const std::vector<TensorF64> expected = expected_outputs(op, c, inputs, {});
  ASSERT_EQ(expected.size(), 1U);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(expected[0].data[i], -2.0 * double{inputs[0].data()[i]});
  }
}

TEST(LibraryTest, AVariantWritesIntoTheBuffersOfItsRequest) {
  const Case c = parse_case("scaled n=5 a=3");
  std::vector<Tensor> inputs = make_inputs(*find_op("scaled"), c, 1), outputs;
  outputs.emplace_back(Shape{5});
  const Variant& variant = *find_variant("scaled", "loop");
  const auto step = variant.prepare({c, inputs, outputs, 1, "compiled"});
  for (const float changed : {1.0F, 2.0F}) {
    inputs[0].data()[4] = changed;
    step->run();
    EXPECT_EQ(step->output(0).data(), outputs[0].data().data());
    EXPECT_EQ(step->output(0)[4], 3 * changed);
  }
}

TEST(LibraryTest, WhatIsLeftOutHasTheSafeMeaning) {
  const Variant& variant = *find_variant("scaled", "loop");
  const Case c = parse_case("scaled n=10 a=1");
  EXPECT_EQ(variant.role, Role::kOurs);
  EXPECT_EQ(variant.unsupported(c, 1), "");
  EXPECT_EQ(variant.unsupported(c, 2), "it runs on one thread only");
  EXPECT_THAT(variant.targets(), testing::ElementsAre("compiled"));
  const Work work = find_op("scaled")->work(c);
  EXPECT_EQ(work.bytes, 4 * (10 + 10));
  EXPECT_EQ(work.flops, 0);
}

TEST(LibraryTest, KeysOfEveryKindAreParsedAsSuch) {
  const OpSpec spec{"all",
                    "",
                    {key::count("n"), key::index("i"), key::flag("f"), key::number("x"),
                     key::shape("s", 2), key::range("r"), key::choice("c", {"a", "b"})}};
  EXPECT_EQ(Case::parse("all n=1 i=0 f=1 x=0.5 s=2x3 r=-1:1 c=b", spec).text(),
            "all n=1 i=0 f=1 x=0.5 s=2x3 r=-1:1 c=b");
  for (const char* wrong : {"n=0 i=0 f=1 x=0 s=2x3 r=-1:1 c=a", "n=1 i=-1 f=1 x=0 s=2x3 r=-1:1 c=a",
                            "n=1 i=0 f=2 x=0 s=2x3 r=-1:1 c=a", "n=1 i=0 f=1 x=no s=2x3 r=-1:1 c=a",
                            "n=1 i=0 f=1 x=0 s=2x3x4 r=-1:1 c=a", "n=1 i=0 f=1 x=0 s=2x3 r=1:1 c=a",
                            "n=1 i=0 f=1 x=0 s=2x3 r=-1:1 c=z"}) {
    EXPECT_THROW(Case::parse(std::string("all ") + wrong, spec), Error) << wrong;
  }
}

// Without these, a definition doesn't compile; empty functions end the program.
static_assert(!std::is_default_constructible_v<OpDefinition>);
static_assert(!std::is_default_constructible_v<VariantDefinition>);

TEST(LibraryDeathTest, AnEmptyFunctionOrNameAbortsInOneLine) {
  const auto without = [](auto change) {
    OpDefinition definition = scaled();
    change(definition);
    define_op(definition);
  };
  EXPECT_DEATH(without([](OpDefinition& d) { d.name = ""; }),
               "^nsop: an op has no name: give one\n$");
  EXPECT_DEATH(without([](OpDefinition& d) { d.oracle = nullptr; }),
               "^nsop: op 'scaled' has no oracle: give one\n$");
  EXPECT_DEATH(without([](OpDefinition& d) { d.tolerance = nullptr; }),
               "^nsop: op 'scaled' has no tolerance: give one\n$");
  VariantDefinition lacking = loop();
  lacking.prepare = nullptr;
  EXPECT_DEATH(define_variant(lacking),
               "^nsop: variant 'loop' of 'scaled' has no prepare: give one\n$");
}

}  // namespace
}  // namespace nsop
