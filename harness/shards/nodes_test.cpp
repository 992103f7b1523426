#include "harness/shards/nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace nsop::shards {
namespace {

constexpr const char* kCase = "relu pass=forward n=1000 range=-3:3";

// Ten invocations of about 1,000 ns times `factor`.
std::vector<Invocation> measured(double factor, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 0.004);
  std::vector<Invocation> invocations;
  for (int round = 0; round < 10; ++round) {
    Invocation one;
    one.row = {kCase, "elementwise", "x86-64", 1};
    one.round = round;
    one.inputs_sha256 = "inputs";
    one.check.ok = true;
    const auto ns = static_cast<int64_t>(1e6 * factor * std::exp(noise(random)));
    for (int i = 0; i < 5; ++i) one.repetitions.push_back({1000, ns, ns, ns, 0, 0, 0});
    invocations.push_back(one);
  }
  return invocations;
}

NodeCheck check(const ControlsByNode& controls) {
  stats::Policy policy;
  policy.tau = 0.005;
  return check_nodes(controls, {{kCase, {1000, 0, 8000, 8000, 4000}}}, Host{}, policy);
}

TEST(Nodes, ThoseThatAgreeStay) {
  const NodeCheck found =
      check({{"n1", measured(1, 1)}, {"n2", measured(1, 2)}, {"n3", measured(1.01, 3)}});
  EXPECT_THAT(found.aside, testing::IsEmpty());
  EXPECT_EQ(found.doubt, "");
}

TEST(Nodes, TheOneThatDisagreesIsNamedWithByHowMuch) {
  for (const double factor : {0.7, 1.4}) {
    const NodeCheck found = check({{"n1", measured(1, 1)},
                                   {"n2", measured(factor, 2)},
                                   {"n3", measured(1, 3)},
                                   {"n4", measured(1, 4)}});
    ASSERT_THAT(found.aside, testing::SizeIs(1)) << factor;
    EXPECT_EQ(found.aside.begin()->first, "n2");
    EXPECT_THAT(found.aside.begin()->second, testing::HasSubstr(factor > 1 ? "1.4" : "0.7"));
    EXPECT_EQ(found.doubt, "");
  }
}

TEST(Nodes, OfTwoNobodyKnowsWhichIsRight) {
  const NodeCheck found = check({{"n1", measured(1, 1)}, {"n2", measured(1.4, 2)}});
  EXPECT_THAT(found.aside, testing::IsEmpty());
  EXPECT_THAT(found.doubt, testing::AllOf(testing::HasSubstr("n1"), testing::HasSubstr("n2")));
}

TEST(Nodes, OneOrNoneSaysNothing) {
  EXPECT_EQ(check({}).doubt, "");
  EXPECT_EQ(check({{"n1", measured(1, 1)}}).doubt, "");
  EXPECT_EQ(check({{"n1", measured(1, 1)}, {"n2", {}}}).doubt, "");
}

}  // namespace
}  // namespace nsop::shards
