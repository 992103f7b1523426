// Steps whose tensors are of 16 bits, and the variants that have none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/registry.h"

namespace nsop {
namespace {

// A step's tensors of float32 are its border; inside it has 16 bits, which new inputs reach when
// they are said to be new.
TEST(HalfSteps, ReadNewInputsAndWriteRoundedOutputs) {
  const Case c = parse_case("relu pass=forward n=3 range=-1:1 type=bf16");
  std::vector<Tensor> in, out;
  in.emplace_back(Shape{3});
  out.emplace_back(Shape{3});
  in[0].data()[0] = 1, in[0].data()[1] = -2, in[0].data()[2] = 0.5f;
  const Variant& variant = *find_variant("relu", "hwy");
  const auto step = variant.prepare({c, in, out, 1, variant.targets().front()});
  step->run();
  EXPECT_THAT(step->output(0), testing::ElementsAre(1, 0, 0.5f));
  in[0].data()[1] = 3;
  step->inputs_changed();
  step->run();
  EXPECT_THAT(step->output(0), testing::ElementsAre(1, 3, 0.5f));
}

TEST(HalfSteps, AWidenedKernelSaysSoAndCountsItsCopies) {
  const Case c = parse_case("matmul m=2 n=2 k=2 trans=nn type=f16");
  const Case whole = parse_case("matmul m=2 n=2 k=2 trans=nn");
  std::vector<Tensor> in, out;
  for (int i = 0; i < 2; ++i) in.emplace_back(Shape{2, 2});
  out.emplace_back(Shape{2, 2});
  for (Tensor& tensor : in) std::fill(tensor.data().begin(), tensor.data().end(), 1.0f);
  const Variant& variant = *find_variant("matmul", "hwy");
  const auto step = variant.prepare({c, in, out, 1, variant.targets().front()});
  const auto plain = variant.prepare({whole, in, out, 1, variant.targets().front()});
  step->run();
  EXPECT_THAT(step->output(0), testing::Each(2.0f));
  EXPECT_EQ(step->chose(), plain->chose() + ", in float32");
  EXPECT_EQ(step->workspace_bytes(), plain->workspace_bytes() + 3 * 4 * sizeof(float));
}

TEST(HalfSteps, TheirProbesHaveFloat32Only) {
  const Case c = parse_case("relu pass=forward n=3 range=-1:1 type=bf16");
  EXPECT_EQ(find_variant("relu", "hwy")->unsupported(c, 1), "");
  EXPECT_EQ(find_variant("relu", "forked")->unsupported(c, 2), "has no type bf16");
  EXPECT_EQ(find_variant("relu", "hwy_fresh")->unsupported(c, 1), "has no type bf16");
}

TEST(HalfSteps, AVariantWithoutTheTypeSaysSo) {
  const Case c = parse_case("relu pass=forward n=10 range=-1:1 type=bf16");
  EXPECT_EQ(find_variant("relu", "elementwise")->unsupported(c, 1), "has no type bf16");
  EXPECT_EQ(find_variant("relu", "elementwise")
                ->unsupported(parse_case("relu pass=forward n=10 range=-1:1"), 1),
            "");
}

}  // namespace
}  // namespace nsop
