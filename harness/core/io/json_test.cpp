#include "harness/core/io/json.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "harness/core/error.h"
#include "harness/core/io/json_field.h"

namespace nsop {
namespace {

Invocation sample_invocation() {
  Invocation i;
  i.id = "i";
  i.run_id = "r";
  i.phase = Phase::kCount;
  i.session = 1;
  i.round = 2;
  i.slot = 3;
  i.build_id = "b";
  i.row = {"relu pass=forward n=1 range=-3:3", "hwy", "AVX2", 2};
  i.status = Status::kWrong;
  i.reason = "\"quoted\" | piped";
  i.check = {false, 0.5, 0.25, 7, "output y[3]"};
  i.repetitions = {{10, 2000, 1999, 1998, 1, 2, 3}};
  i.allocs = AllocCounts{1.5, 80, 2, 160, 4096, false};
  i.warnings = {"w1", "w2"};
  i.at_utc = "2026-01-01T00:00:00Z";
  return i;
}

TEST(JsonTest, InvocationComesBackUnchanged) {
  const Json once = to_json(sample_invocation());
  EXPECT_EQ(to_json(invocation_from_json(once)), once);
  EXPECT_EQ(invocation_from_json(Json::parse(once.dump())).row, sample_invocation().row);
}

TEST(JsonTest, RunComesBackUnchanged) {
  nsop::Run run;
  run.id = "r";
  run.seed = 18446744073709551615u;
  run.conditions.allowed_cpus = {0, 1};
  run.facts["relu n=1"] = {1, 2, 3, 4, 5};
  run.plan_json = "{\"a\":1}";
  run.state = RunState::kAborted;
  const Json once = to_json(run);
  EXPECT_EQ(to_json(run_from_json(Json::parse(once.dump()))), once);
}

TEST(JsonTest, OpSpecComesBackUnchanged) {
  const OpSpec spec{
      "op",
      "does it",
      {{"a", ParamKind::kChoice, {"x", "y"}, 0, "x"}, {"b", ParamKind::kShape, {}, 4, {}}}};
  EXPECT_EQ(to_json(op_spec_from_json(to_json(spec))), to_json(spec));
}

TEST(JsonTest, HostAndBuildComeBackUnchanged) {
  Host host;
  host.id = "h";
  host.cache_bytes = {{"L1d", 32768}};
  host.isa = {"avx2", "fma"};
  EXPECT_EQ(to_json(host_from_json(to_json(host))), to_json(host));
  Build build;
  build.commit = "abc";
  build.dirty = true;
  EXPECT_EQ(to_json(build_from_json(to_json(build))), to_json(build));
}

TEST(JsonTest, MissingOrMistypedFieldsAreBadDataThatNamesTheField) {
  const Json whole = to_json(sample_invocation());
  for (const auto& [key, value] : whole.items()) {
    Json less = whole;
    less.erase(key);
    EXPECT_THROW(invocation_from_json(less), Error) << key;
  }
  Json wrong = whole;
  wrong["round"] = "two";
  EXPECT_THAT([&] { invocation_from_json(wrong); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("'round'")));
  EXPECT_THROW(parse_json("{", "x:1"), Error);
}

TEST(JsonField, IsReadAsItStandsOrRefusedWithItsName) {
  const Json json = Json::parse(
      R"({"n": 7, "half": 0.5, "huge": 1e99, "wide": 4294967296, "minus": -1, "t": "x", "l": [1, 2.5]})");
  const int n = field(json, "n");
  const double half = field(json, "half");
  const std::string text = field(json, "t");
  const std::vector<double> list = field(json, "l");
  EXPECT_EQ(n, 7);
  EXPECT_EQ(half, 0.5);
  EXPECT_EQ(text, "x");
  EXPECT_THAT(list, testing::ElementsAre(1, 2.5));
  for (const char* key : {"half", "huge", "wide", "t", "l", "none"}) {
    EXPECT_THAT([&] { [[maybe_unused]] const int value = field(json, key); },
                testing::ThrowsMessage<Error>(testing::HasSubstr(std::string("'") + key + "'")));
  }
  EXPECT_THROW(json_field<uint64_t>(json, "minus"), Error);
  EXPECT_THROW(json_field<std::vector<int>>(json, "l"), Error);
  EXPECT_EQ(json_field_or(json, "none", 3), 3);
  EXPECT_THROW(json_field_or(json, "half", 3), Error);
  EXPECT_THROW(json_field_or(Json(7), "none", 3), Error);
}

TEST(JsonField, WhatIsWrongBeginsWithItsPlace) {
  const auto wrong = [](auto read) {
    try {
      read_fields("here", read);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadData);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const Json json = {{"schema", "a/1"}};
  EXPECT_THAT(wrong([&] { json.at("none"); }), testing::StartsWith("here: "));
  EXPECT_EQ(wrong([] { throw bad_data("no"); }), "here: no");
  EXPECT_EQ(wrong([] {}), "accepted");
  EXPECT_TRUE(has_schema(json, "a/1"));
  for (const Json& other : {Json(), Json("a/1"), Json::object(), Json{{"schema", 1}}}) {
    EXPECT_FALSE(has_schema(other, "a/1")) << other;
  }
}

RC_GTEST_PROP(JsonProperty, RepetitionsSurvive, (int64_t wall, int64_t cpu)) {
  constexpr int64_t kMost = int64_t{1} << 53;
  const int64_t ns = std::abs(cpu % kMost);
  const Repetition r{1, 1 + std::abs(wall % kMost), ns, ns, 0, 0, 0};
  const Repetition back = repetition_from_json(Json::parse(to_json(r).dump()));
  RC_ASSERT(to_json(back) == to_json(r));
}

TEST(JsonTest, ARepetitionsMetricsSurviveAndAreLeftOutWhereThereAreNone) {
  Repetition r{1, 2, 3, 4, 0, 0, 0};
  EXPECT_FALSE(to_json(r).contains("metrics"));
  r.metrics = {{"moves", 12000}, {"train_call_ns", 25000.5}};
  EXPECT_EQ(repetition_from_json(to_json(r)).metrics, r.metrics);
  Json wrong = to_json(r);
  wrong["metrics"]["moves"] = "many";
  EXPECT_THROW(repetition_from_json(wrong), Error);
}

}  // namespace
}  // namespace nsop
