#include "harness/run/plan/plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/core/error.h"

namespace nsop::run {
namespace {

using testing::HasSubstr;

class PlanTest : public testing::Test {
 protected:
  Plan make(const std::vector<PlanRequest>& requests) {
    WorkerClient reference({{NSOP_FAKE_WORKER}, ""}, {}, 1);
    return make_plan(requests, workers_, reference, profile_named("manual"), 1, missing_);
  }
  std::string error_of(const PlanRequest& request, ExitCode code = ExitCode::kUsage) {
    try {
      make({request});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      return error.what();
    }
    return "no error";
  }
  // A further worker, whose variants have other names.
  void add_peer(const std::string& library, const std::vector<VariantInfo>& variants) {
    Worker peer = workers_[0];
    peer.peer = library;
    peer.timing.command.push_back(library);
    peer.build.id = library + "'s build";
    peer.hello.variants = variants;
    workers_.push_back(peer);
  }
  std::vector<Worker> workers_{open_worker({NSOP_FAKE_WORKER}, "")};
  MissingPeers missing_;
};

TEST_F(PlanTest, BestIsTheConcreteTargetAndRowsAreDistinct) {
  const Plan plan = make({{"double n=7", "", {{"fast", "best"}, {"fast", "AVX2"}}, {1}},
                          {"double n=7,8", "", {{"fast", "SCALAR"}, {"slow", "best"}}, {1, 2}}});
  std::vector<std::string> rows;
  for (const PlanRow& row : plan.rows) rows.push_back(row.key.text());
  EXPECT_THAT(rows,
              testing::ElementsAre(
                  "double n=7 | fast@AVX2 | threads=1", "double n=7 | fast@SCALAR | threads=1",
                  "double n=7 | slow@x86-64 | threads=1", "double n=7 | fast@SCALAR | threads=2",
                  "double n=7 | slow@x86-64 | threads=2", "double n=8 | fast@SCALAR | threads=1",
                  "double n=8 | slow@x86-64 | threads=1", "double n=8 | fast@SCALAR | threads=2",
                  "double n=8 | slow@x86-64 | threads=2"));
  EXPECT_EQ(plan.cases.at("double n=7").facts.working_set_bytes, 2 * 7 * 4);
  EXPECT_EQ(plan.cases.at("double n=7").facts.written_bytes, 7 * 4);
}

TEST_F(PlanTest, OptionalVariantsAreLeftOutWhereTheOpHasNone) {
  PlanRequest request{"double n=7", "", {{"fast", "best"}}, {1}};
  request.optional = {{"absent", "best"}, {"slow", "best"}};
  const Plan plan = make({request});
  ASSERT_EQ(plan.rows.size(), 2U);
  EXPECT_EQ(plan.rows[1].key.variant, "slow");
}

TEST_F(PlanTest, ErrorsNameThePlaceAndSuggest) {
  const std::vector<Selector> fast = {{"fast", "best"}};
  EXPECT_THAT(error_of({"dubble n=7", "s.toml:4", fast, {1}}),
              HasSubstr("s.toml:4: unknown op 'dubble'; did you mean 'double'?"));
  EXPECT_THAT(error_of({"double m=7", "s.toml:4", fast, {1}}), HasSubstr("unknown key 'm'"));
  EXPECT_THAT(error_of({"double n=13", "s.toml:4", fast, {1}}),
              HasSubstr("s.toml:4: double: n: 13 was not expected"));
  EXPECT_THAT(error_of({"double n=7", "", {{"fats", "best"}}, {1}}),
              HasSubstr("no variant 'fats'; did you mean 'fast'?"));
  EXPECT_THAT(error_of({"double n=7", "", {{"fast", "AVX9"}}, {1}}),
              HasSubstr("unknown target 'AVX9'"));
  EXPECT_THAT(error_of({"double n=1000000000", "", fast, {1}}, ExitCode::kEnvironment),
              HasSubstr("MiB of memory"));
}

TEST_F(PlanTest, PeersThatCannotDoItAreUnsupportedWithTheirReason) {
  add_peer("onednn", {{"double", "onednn", "", Role::kPeer, {"2.6.3"}},
                      {"double", "fast", "", Role::kPeer, {"9"}}});
  add_peer("numpy", {{"halve", "numpy", "", Role::kPeer, {"1.24"}}});
  missing_["torch"] = "peer torch is not installed; run: make peers";
  const Plan plan = make({{"double n=7",
                           "",
                           {{"fast", "best"}},
                           {1, 2},
                           {"onednn", "onednn_blocked", "numpy", "torch"}}});
  ASSERT_EQ(plan.rows.size(), 10u);
  EXPECT_EQ(plan.rows[0].worker, 0) << "ours wins over a peer's variant of the same name";
  EXPECT_EQ(plan.rows[1].key.text(), "double n=7 | onednn@2.6.3 | threads=1");
  EXPECT_EQ(plan.rows[1].worker, 1);
  EXPECT_EQ(plan.rows[1].unsupported, "");
  EXPECT_EQ(plan.rows[2].unsupported, "onednn_blocked has no double");
  EXPECT_EQ(plan.rows[3].key.target, "none");
  EXPECT_EQ(plan.rows[3].unsupported, "numpy has no double");
  EXPECT_EQ(plan.rows[4].unsupported, missing_["torch"]);
  EXPECT_EQ(plan.rows[9].key.text(), "double n=7 | torch@none | threads=2");
  EXPECT_EQ(make({{"double n=7", "", {{"torch", "best"}}, {1}}}).rows[0].unsupported,
            missing_["torch"])
      << "the same where a selector names it";
  EXPECT_THAT(error_of({"double n=7", "", {{"tourch", "best"}}, {1}}),
              HasSubstr("no variant 'tourch'"));
}

TEST_F(PlanTest, BesideAVariantThatIsPinnedEachPeerIsAlsoHeldToItsInstructionSet) {
  for (VariantInfo& v : workers_[0].hello.variants) {
    if (v.name == "fast") v.targets = {"AVX3", "AVX2"};
  }
  add_peer("onednn", {{"double", "onednn", "", Role::kPeer, {"2.6.3"}}});
  add_peer("eigen", {{"double", "eigen", "", Role::kPeer, {"3.4-AVX512", "3.4-AVX2"}}});
  add_peer("numpy", {{"double", "numpy", "", Role::kPeer, {"1.24"}}});
  Worker held = workers_[1];
  held.timing.environment = {"NSOP_PEER_ISA=AVX2"};
  held.hello.variants[0].targets = {"2.6.3-AVX2"};
  workers_.push_back(held);
  missing_["numpy@AVX2"] = "peer numpy doesn't work: held";
  Suite suite;
  suite.after = {"fast"};
  suite.peers = {"onednn", "eigen", "numpy"};
  suite.cases.emplace_back();
  suite.cases[0].line = "double n=7";
  EXPECT_THAT(held_peers(suite), testing::IsEmpty());
  suite.also = {{"fast", "AVX2"}};
  const auto texts = [&] {
    std::vector<std::string> rows;
    for (const PlanRow& row : make(suite_requests(suite, profile_named("full"))).rows) {
      rows.push_back(fmt::format("{}@{} by {}", row.key.variant, row.key.target, row.worker));
      if (!row.unsupported.empty()) rows.back() += ": " + row.unsupported;
    }
    return rows;
  };
  EXPECT_THAT(texts(), testing::ElementsAre("fast@AVX3 by 0", "fast@AVX2 by 0", "onednn@2.6.3 by 1",
                                            "eigen@3.4-AVX512 by 2", "numpy@1.24 by 3",
                                            "onednn@2.6.3-AVX2 by 4", "eigen@3.4-AVX2 by 2",
                                            "numpy@AVX2 by 3: peer numpy doesn't work: held"));
  suite.cases[0].without = {{"fast", "AVX2"}};
  EXPECT_THAT(held_peers(suite), testing::IsEmpty());
  EXPECT_THAT(texts(), testing::ElementsAre("fast@AVX3 by 0", "onednn@2.6.3 by 1",
                                            "eigen@3.4-AVX512 by 2", "numpy@1.24 by 3"));
  suite.cases[0].without = {{"eigen"}, {"numpy"}};
  EXPECT_THAT(texts(), testing::ElementsAre("fast@AVX3 by 0", "fast@AVX2 by 0", "onednn@2.6.3 by 1",
                                            "onednn@2.6.3-AVX2 by 4"));
  for (VariantInfo& v : workers_[0].hello.variants) {
    if (v.name == "fast") v.targets = {"AVX2"};
  }
  EXPECT_THAT(texts(), testing::ElementsAre("fast@AVX2 by 0", "onednn@2.6.3 by 1"))
      << "the machine has no wider one";
}

TEST_F(PlanTest, AResumedPlanTellsAHeldWorkerFromAPlainOne) {
  add_peer("onednn", {{"double", "onednn", "", Role::kPeer, {"2.6.3"}}});
  Worker held = workers_[1];
  held.timing.environment = {"NSOP_PEER_ISA=AVX2"};
  held.hello.variants[0].targets = {"2.6.3-AVX2"};
  workers_.push_back(held);
  Plan plan = make({{"double n=7", "", {{"onednn", "AVX2"}}, {1}}});
  ASSERT_EQ(plan.rows[0].worker, 2);
  const std::string stored = plan_to_json(plan, workers_);
  std::swap(workers_[1], workers_[2]);
  rebind_workers(plan, stored, workers_);
  EXPECT_EQ(plan.rows[0].worker, 1);
}

TEST_F(PlanTest, AResumedPlanFindsItsWorkersByCommandAndBuild) {
  add_peer("numpy", {{"double", "numpy", "", Role::kPeer, {"1.24"}}});
  add_peer("eigen", {{"double", "eigen", "", Role::kPeer, {"3.4"}}});
  const Plan plan = make({{"double n=7", "", {{"fast", "best"}}, {1}, {"numpy", "eigen"}}});
  const std::string stored = plan_to_json(plan, workers_);
  std::swap(workers_[1], workers_[2]);
  Plan back = plan_from_json(stored);
  rebind_workers(back, stored, workers_);
  std::vector<int> numbers;
  for (const PlanRow& row : back.rows) numbers.push_back(row.worker);
  EXPECT_THAT(numbers, testing::ElementsAre(0, 2, 1));
  workers_[2].build.id = "another";
  try {
    rebind_workers(back = plan_from_json(stored), stored, workers_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("numpy was measured with another build"));
  }
}

TEST_F(PlanTest, ADamagedPlanIsBadDataHoweverItIsRead) {
  const Plan plan = make({{"double n=7", "", {{"fast", "best"}}, {1}}});
  Json stored = Json::parse(plan_to_json(plan, workers_));
  const auto rebind = [&](const Json& json) {
    Plan back = plan;
    rebind_workers(back, json.dump(), workers_);
  };
  EXPECT_NO_THROW(rebind(stored));
  for (const Json& workers :
       {Json(nullptr), Json("w"), Json::array({1}), Json::array({{{"command", 1}}})}) {
    Json damaged = stored;
    damaged["workers"] = workers;
    EXPECT_THROW(rebind(damaged), Error) << workers;
  }
  for (const int number : {-1, 1000}) {
    stored["rows"][0]["worker"] = number;
    Plan back = plan_from_json(stored.dump());
    EXPECT_THROW(rebind_workers(back, stored.dump(), workers_), Error) << number;
  }
}

TEST_F(PlanTest, NumbersOfAStoredPlanAreReadAsTheyStandOrRefused) {
  const Plan plan = make({{"double n=7", "", {{"fast", "best"}}, {1}}});
  const Json whole = Json::parse(plan_to_json(plan, workers_));
  const auto refused = [&](auto change) {
    Json strange = whole;
    change(strange);
    try {
      plan_from_json(strange.dump());
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  for (const Json& number : {Json(8e123), Json(0.5), Json("1"), Json(true), Json()}) {
    for (const char* key : {"warmup_ns", "rounds", "repetitions"}) {
      EXPECT_THAT(refused([&](Json& json) { json["profile"][key] = number; }),
                  HasSubstr(fmt::format("malformed: field '{}'", key)))
          << number;
    }
    EXPECT_THAT(refused([&](Json& json) { json["rows"][0]["threads"] = number; }),
                HasSubstr("'threads'"))
        << number;
  }
  EXPECT_THAT(refused([](Json& json) {
                json["cases"][0]["facts"] = {1, 2, 3};
              }),
              HasSubstr("'facts' has fewer than 4"));
}

TEST_F(PlanTest, RowsKnowTheSpreadThatTheirSuiteAllows) {
  const std::string text =
      "[report]\nname = \"l\"\ntitle = \"L\"\nform = \"limits\"\nafter = \"fast\"\n"
      "most_sd_percent = 10\n[[cases]]\nlabel = \"D\"\ncase = \"double n=7\"\n";
  const Suite suite = parse_suite(text, "l.toml", {});
  const Plan plan = make(suite_requests(suite, profile_named("full")));
  ASSERT_EQ(plan.rows.size(), 1U);
  EXPECT_EQ(plan.rows[0].most_sd, 0.1);
  EXPECT_EQ(plan_from_json(plan_to_json(plan, workers_)).rows[0].most_sd, 0.1);
  const Plan without = make({{"double n=7", "", {{"fast", "best"}}, {1}}});
  EXPECT_EQ(plan_from_json(plan_to_json(without, workers_)).rows[0].most_sd, std::nullopt);
}

TEST_F(PlanTest, ComesBackFromJson) {
  Plan plan = make({{"double n=7", "", {{"fast", "best"}, {"fast", "AVX3"}}, {1}}});
  plan.suites = {"a", "b"};
  const Plan back = plan_from_json(plan_to_json(plan, workers_));
  EXPECT_EQ(plan_to_json(back, workers_), plan_to_json(plan, workers_));
  EXPECT_THAT(back.rows[1].unsupported, HasSubstr("AVX3 is not available"));
  EXPECT_THROW(plan_from_json("{}"), Error);
  EXPECT_THROW(plan_from_json("no json"), Error);
}

TEST_F(PlanTest, AStoredPlanKnowsWhetherInstructionsAreCounted) {
  Plan plan = make({{"double n=7", "", {{"fast", "best"}}, {1}}});
  const Json without = Json::parse(plan_to_json(plan, workers_));
  EXPECT_FALSE(without["profile"].contains("instructions")) << "as older plans are";
  EXPECT_FALSE(plan_from_json(without.dump()).profile.measure.instructions);
  plan.profile.measure.instructions = true;
  Json with = Json::parse(plan_to_json(plan, workers_));
  EXPECT_EQ(with["profile"]["instructions"], true);
  EXPECT_TRUE(plan_from_json(with.dump()).profile.measure.instructions);
  for (const Json& wrong : {Json(1), Json("yes"), Json(nullptr)}) {
    with["profile"]["instructions"] = wrong;
    EXPECT_THROW(plan_from_json(with.dump()), Error) << wrong;
  }
}

TEST_F(PlanTest, FiltersKeepWhatMatches) {
  Plan plan = make({{"double n=7,8", "", {{"fast", "best"}, {"slow", "best"}}, {1, 2}}});
  filter_plan(plan, "double n=8", "slow", 2);
  ASSERT_EQ(plan.rows.size(), 1u);
  EXPECT_EQ(plan.rows[0].key.text(), "double n=8 | slow@x86-64 | threads=2");
}

TEST(SuiteRequests, ACaseLeavesOutWhatItNames) {
  const Suite suite = parse_suite(R"([report]
name = "a"
title = "A"
form = "sweep"
before = "slow"
after = "fast"
targets = ["AVX2", "SCALAR"]
beside = ["direct"]
peers = ["numpy", "torch"]
[[cases]]
label = "A"
without = ["slow", "fast@SCALAR", "direct", "numpy"]
case = "double n=3"
)",
                                  "a.toml", {});
  const auto requests = suite_requests(suite, profile_named("full"));
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].selectors, (std::vector<Selector>{{"fast", "best"}, {"fast", "AVX2"}}));
  EXPECT_THAT(requests[0].optional, testing::IsEmpty());
  EXPECT_EQ(requests[0].peers, std::vector<std::string>{"torch"});
}

TEST_F(PlanTest, EstimatesGrowWithTheWorkAndKeepToTheBudget) {
  Plan plan = make({{"double n=7", "", {{"fast", "best"}, {"slow", "best"}}, {1}}});
  plan.profile.rounds = 10;
  const double small = estimate_seconds(plan);
  EXPECT_NEAR(small, 2 * 11 * 0.055, 0.1);
  plan.cases.at("double n=7").facts.flops = 1.2e9;  // a second in plain loops
  EXPECT_GT(estimate_seconds(plan), small + 20);
  plan.profile.row_budget_s = 1;  // six invocations, then, and the counting one
  EXPECT_LT(estimate_seconds(plan), small + 20);
  plan.profile.total_budget_s = 5;
  EXPECT_EQ(estimate_seconds(plan), 5);
}

TEST_F(PlanTest, ProfilesHaveNames) {
  EXPECT_EQ(profile_named("quick").tag, "quick");
  EXPECT_GE(profile_named("comprehensive").rounds, 6);
  EXPECT_LE(profile_named("comprehensive").total_budget_s, 15 * 60);
  EXPECT_LE(profile_named("quick").total_budget_s, 60);
  EXPECT_EQ(profile_named("full").tag, "");
  EXPECT_EQ(profile_named("full").total_budget_s, 0);
  for (const char* name : {"comprehensive", "full", "manual"}) {
    EXPECT_GE(profile_named(name).fewest_rounds, 6) << name << ": fewer have no 95 % interval";
  }
  EXPECT_THROW(profile_named("quik"), Error);
}

}  // namespace
}  // namespace nsop::run
