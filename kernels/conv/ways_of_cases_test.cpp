// The cases that every variant is checked on go every way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/core/files.h"
#include "harness/core/registry.h"
#include "harness/core/text.h"
#include "kernels/conv/case_shape.h"
#include "kernels/conv/plan.h"
#include "kernels/runtime/target.h"

namespace nsop::kernels {
namespace {

std::vector<Case> convolutions() {
  std::vector<Case> cases;
  for (const std::string& raw : split(read_file(NSOP_CHECK_CASES), '\n')) {
    const std::string line = trim(raw);
    if (line.empty() || line[0] == '#') continue;
    const std::string op = case_op(line);
    if (op != "conv1d" && op != "conv2d" && op != "conv3d") continue;
    for (Case& c : expand_cases(line, find_op(op)->spec)) cases.push_back(std::move(c));
  }
  return cases;
}

std::vector<ConvPass> passes_of(const Case& c) {
  const std::string& pass = c.str("pass");
  if (pass == "forward") return {ConvPass::kForward};
  if (pass == "backward_data") return {ConvPass::kData};
  if (pass == "backward_weights") return {ConvPass::kWeights};
  return {ConvPass::kData, ConvPass::kWeights};
}

TEST(ConvWays, EveryOneIsTheChoiceOfACheckedCase) {
  std::set<const ConvWay*> chosen;
  const std::vector<Case> cases = convolutions();
  ASSERT_FALSE(cases.empty());
  for (const std::string& target : targets()) {
    pin_target(target);
    for (const Case& c : cases) {
      for (const ConvPass pass : passes_of(c)) {
        chosen.insert(&conv_way(ConvChoice::kRule, pass, conv_shape(c)));
      }
    }
  }
  pin_target(targets().front());
  for (const ConvPass pass : {ConvPass::kForward, ConvPass::kData, ConvPass::kWeights}) {
    for (const ConvWay* way : conv_ways(ConvChoice::kRule, pass)) {
      EXPECT_TRUE(chosen.contains(way))
          << way->name.value << " of pass " << static_cast<int>(pass)
          << " is chosen for no case of check_cases.txt: add one that it pays for";
    }
  }
}

}  // namespace
}  // namespace nsop::kernels
