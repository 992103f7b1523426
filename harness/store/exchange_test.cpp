#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "harness/core/files.h"
#include "harness/core/hash.h"
#include "harness/core/io/json.h"
#include "harness/core/io/limited_json.h"
#include "harness/core/text.h"
#include "harness/store/query.h"
#include "harness/store/record/digest.h"
#include "harness/store/record/exchange_parse.h"
#include "harness/store/record/record.h"
#include "harness/store/testing/generators_support.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::store {
namespace {

using namespace test;

class ExchangeTest : public ::testing::Test {
 protected:
  std::string exported(int invocations = 3) {
    Store store(dir_.db("from.db"));
    add_run(store, example_run("run-1"), invocations);
    return export_run(store, "run-1");
  }
  Outcome importing(const std::string& text) {
    return outcome([&] { import_run(to_, text, "file.ndjson"); });
  }
  void expect_refused(const std::string& text, const std::string& message) {
    const auto result = importing(text);
    EXPECT_EQ(result.code, ExitCode::kBadData) << message;
    EXPECT_NE(result.message.find(message), std::string::npos) << result.message;
    EXPECT_TRUE(to_.runs().empty());
    EXPECT_EQ(outcome([&] { to_.host("host-a"); }).code, ExitCode::kUsage) << "nothing is left";
  }

  TempDir dir_;
  Store to_{dir_.db("to.db")};
};

// The text with line `n` (from 1) changed and the end line made true again.
std::string with_line(const std::string& text, size_t n, const std::string& from,
                      const std::string& to) {
  auto lines = split(text, '\n');
  lines.resize(lines.size() - 2);  // the end line and what follows it
  std::string& line = lines.at(n - 1);
  const size_t at = line.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  line.replace(at, from.size(), to);
  const std::string body = join(lines, "\n") + "\n";
  return body + fmt::format("{{\"type\":\"end\",\"n\":{},\"sha256\":\"{}\"}}\n", lines.size(),
                            sha256_hex(body));
}

// The fixture is a run as commit 42dff8b exported it; it is kept for ever.
TEST_F(ExchangeTest, ReadsARunOfAnEarlierVersion) {
  const std::string text = read_file(NSOP_STORE_TESTDATA "/run_42dff8b.ndjson");
  const std::string id = import_run(to_, text, "run_42dff8b.ndjson");
  EXPECT_EQ(to_.verify().problems, std::vector<std::string>());
  const auto run = to_.run(id);
  EXPECT_EQ(run.state, RunState::kComplete);
  EXPECT_EQ(run.started_utc, "2026-11-22T13:44:11Z");
  EXPECT_EQ(run.seed, UINT64_MAX);
  EXPECT_EQ(run.facts.at("relu pass=forward n=10 range=-3:3").flops, 10);
  EXPECT_EQ(to_.host("host-a").cpu_model, "EPYC \"Test\"");
  EXPECT_EQ(to_.build("build-a").commit, "c0ffee1234");
  const auto list = to_.invocations(id);
  ASSERT_EQ(list.size(), 6u);
  ASSERT_EQ(list[3].repetitions.size(), 3u);
  EXPECT_EQ(list[3].repetitions[2].wall_ns, 2005);
  EXPECT_EQ(list[3].check.max_abs_error, 1e-7);
  EXPECT_EQ(list[4].status, Status::kWrong);
  EXPECT_EQ(list[4].reason, "off by \"2\" µ");
  EXPECT_EQ(list[5].allocs.value().bytes_per_op, 64.5);
  EXPECT_EQ(export_run(to_, id), text);
}

RC_GTEST_PROP(Exchange, ExportImportExportIsIdentical, ()) {
  TempDir dir;
  Store from(dir.db("from.db")), to(dir.db("to.db"));
  from.put_host(example_host());
  from.put_build(example_build("build-a"));
  from.put_build(example_build("build-b", "unknown"));
  from.begin_run(any_run("run-1", "host-a"));
  const int count = *rc::gen::inRange(0, 6);
  for (int n = 0; n < count; ++n) {
    from.append(any_invocation("run-1", n % 2 == 0 ? "build-a" : "build-b", n));
  }
  const int end = *rc::gen::inRange(0, 3);
  if (end != 0) {
    from.end_run("run-1", end == 1 ? RunState::kComplete : RunState::kAborted, *any_time());
  }
  const std::string text = export_run(from, "run-1");
  RC_ASSERT(import_run(to, text, "x") == "run-1");
  RC_ASSERT(export_run(to, "run-1") == text);
  RC_ASSERT(to_json(to.run("run-1")) == to_json(from.run("run-1")));
  RC_ASSERT(to.verify().problems == std::vector<std::string>());
  RC_ASSERT(import_run(to, text, "x") == "run-1");  // again: accepted silently
  RC_ASSERT(to.runs().size() == 1u);
}

TEST_F(ExchangeTest, IsOneJsonObjectPerLine) {
  const auto lines = split(exported(), '\n');
  ASSERT_EQ(lines.size(),
            8u);  // run, host, build, 3 invocations, end, and what follows the last \n
  EXPECT_EQ(parse_json(lines[0], "")["schema"], "nsop.run/1");
  const std::array types = {"run",        "host",       "build", "invocation",
                            "invocation", "invocation", "end"};
  for (size_t i = 0; i < types.size(); ++i) EXPECT_EQ(parse_json(lines[i], "")["type"], types[i]);
  EXPECT_EQ(parse_json(lines[6], "")["n"], 6);
  EXPECT_EQ(lines[7], "");
}

// Of a version that pruned them, or of a damaged database.
TEST_F(ExchangeTest, KeepsWhatIsLeftOfRunsWithoutSamples) {
  auto lines = split(exported(), '\n');
  std::string text;
  for (std::string& line : lines) {
    const size_t samples = line.find(",\"samples\":");
    if (samples != std::string::npos) line = line.substr(0, samples) + ",\"samples\":null}";
    if (line.empty() || line.find("\"type\":\"end\"") != std::string::npos) break;
    text += line + "\n";
  }
  text += fmt::format("{{\"type\":\"end\",\"n\":6,\"sha256\":\"{}\"}}\n", sha256_hex(text));
  import_run(to_, text, "x");
  EXPECT_EQ(export_run(to_, "run-1"), text);
  EXPECT_EQ(to_.verify().problems.size(), 3u) << "samples are never just gone";
  EXPECT_EQ(to_.history("host-a").of(example_invocation("run-1", 0).row).at(0).wall_ns, 2.001);
}

TEST_F(ExchangeTest, SaysThatSamplesAreLost) {
  exported();
  damage(dir_.db("from.db"), "UPDATE invocation SET samples = NULL WHERE slot = 1");
  const auto result = outcome([&] { export_run(Store(dir_.db("from.db")), "run-1"); });
  EXPECT_EQ(result.code, ExitCode::kBadData);
  EXPECT_NE(result.message.find("samples are lost"), std::string::npos);
}

// Sealed as its exporter would have done: nothing but the value is wrong.
TEST_F(ExchangeTest, RefusesWhatCantBeTrue) {
  using Change = std::function<void(::nsop::Run&, Invocation&)>;
  const auto sealed = [&](const Change& change) {
    ::nsop::Run run = example_run("run-1");
    Invocation one = example_invocation("run-1", 0);
    change(run, one);
    RunRecord record{pack_run(run), "complete", "2026-01-01T00:10:00Z", "", {}, {}, {}};
    record.host = body_text(to_json(example_host(run.host_id)));
    record.builds["build-a"] = body_text(to_json(example_build()));
    record.invocations.push_back(pack(one));
    record.sha256 = run_digest(record);
    return write_exchange(record);
  };
  EXPECT_EQ(importing(sealed([](::nsop::Run& run, Invocation&) { run.id = "other"; })).code,
            ExitCode::kBadData)
      << "the invocation belongs to another run";
  const std::vector<std::pair<Change, std::string>> changes = {
      {[](::nsop::Run& run, Invocation&) { run.started_utc = "zzz"; },
       "started_utc 'zzz' is no time"},
      {[](::nsop::Run& run, Invocation&) { run.started_utc = "2026-13-01T00:00:00Z"; },
       "is no time"},
      {[](::nsop::Run& run, Invocation&) { run.started_utc = "9026-01-01T00:00:00Z"; },
       "in the future"},
      {[](::nsop::Run&, Invocation& one) { one.at_utc = "later"; }, "at_utc 'later' is no time"},
      {[](::nsop::Run&, Invocation& one) { one.repetitions[0].wall_ns = 0; }, "wall_ns is 0"},
      {[](::nsop::Run&, Invocation& one) { one.repetitions[0].iterations = INT64_MAX; },
       "iterations is"},
      {[](::nsop::Run&, Invocation& one) { one.row.threads = 0; }, "threads is 0"},
      {[](::nsop::Run&, Invocation& one) { one.allocs = {-1, 0, 0, 0, 0, true}; },
       "allocs_per_op is -1"},
  };
  for (const auto& [change, said] : changes) expect_refused(sealed(change), said);
  const std::string good = sealed([](::nsop::Run&, Invocation&) {});
  for (const char* threads : {"4294967297", "1.9", "true", "\"1\""}) {
    expect_refused(with_line(good, 4, "\"threads\":1", fmt::format("\"threads\":{}", threads)),
                   "field 'threads' is missing or has the wrong type");
  }
  const std::vector<std::pair<std::string, std::string>> wrong_types = {
      {"\"row\":{", "\"row\":5,\"was\":{"},
      {"\"warnings\":[]", "\"warnings\":[7]"},
      {"\"metrics\":{", "\"metrics\":{\"x\":\"y\","},
      {"\"check\":{", "\"check\":null,\"was\":{"}};
  for (const auto& [from, to] : wrong_types) {
    expect_refused(with_line(good, 4, from, to), "file.ndjson:4: ");
  }
  EXPECT_EQ(importing(good).code, ExitCode::kOk);
}

TEST_F(ExchangeTest, RefusesATamperedLine) {
  std::string text = exported();
  text.insert(text.find("\"reason\":\"\"") + 10, "x");
  expect_refused(text, "file.ndjson:7: ");
}

TEST_F(ExchangeTest, RefusesTamperingThatHidesItself) {
  const std::string text = exported();
  expect_refused(with_line(text, 5, "\"wall_ns\":[2001", "\"wall_ns\":[1001"), "file.ndjson:5: ");
  expect_refused(with_line(text, 5, "AVX2", "AVX3"), "the run doesn't have its sha256");
  expect_refused(with_line(text, 1, "quick", "quack"), "the run doesn't have its sha256");
  expect_refused(with_line(text, 2, "EPYC", "Ryzen"), "the run doesn't have its sha256");
  expect_refused(with_line(text, 3, "-O2", "-O3"), "the run doesn't have its sha256");
  expect_refused(with_line(text, 1, "\"complete\"", "\"aborted\""),
                 "the run doesn't have its sha256");
}

TEST_F(ExchangeTest, RefusesEveryTruncation) {
  const std::string text = exported(2);
  for (size_t size = 0; size < text.size(); size += 37) {
    EXPECT_EQ(importing(text.substr(0, size)).code, ExitCode::kBadData) << size;
  }
  expect_refused(text.substr(0, text.find("{\"type\":\"end\"")), "the end line is missing");
  expect_refused(text.substr(0, text.size() - 1), "cut off");
  EXPECT_TRUE(to_.runs().empty());
}

TEST_F(ExchangeTest, FlippedBitsAreFoundOrChangeNothing) {
  const std::string text = exported(1);
  const RunRecord said = parse_exchange(text, "file");
  const size_t step = std::getenv("NSOP_TEST_FULL") == nullptr ? 31 : 1;
  size_t tries = 0, found = 0;
  for (size_t bit = 0; bit < 8 * text.size(); bit += step, ++tries) {
    std::string flipped = text;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    try {
      EXPECT_EQ(parse_exchange(flipped, "file"), said) << "bit " << bit;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadData) << error.what();
      ++found;
    }
  }
  EXPECT_GT(found, tries * 9 / 10);
  std::printf("bit flips of an export: %zu, found %zu, the others changed nothing\n", tries, found);
}

TEST_F(ExchangeTest, RefusesMoreAfterTheEnd) {
  const std::string text = exported();
  expect_refused(text + "\n", "after the end line");
  expect_refused(text + text, "after the end line");
}

TEST_F(ExchangeTest, RefusesAMissingLine) {
  std::string text = exported();
  const size_t at = text.find("{\"type\":\"invocation\"");
  text.erase(at, text.find('\n', at) + 1 - at);
  expect_refused(text, "5 lines before this one, 6 were written");
}

TEST_F(ExchangeTest, RefusesLinesOutOfOrder) {
  auto lines = split(exported(), '\n');
  std::swap(lines[0], lines[1]);
  expect_refused(join(lines, "\n"), "file.ndjson:1: lines must come as");
  std::swap(lines[0], lines[1]);
  std::swap(lines[3], lines[4]);
  expect_refused(join(lines, "\n"), "file.ndjson:5: invocations are out of order");
}

TEST_F(ExchangeTest, RefusesANewerSchema) {
  expect_refused(with_line(exported(), 1, "nsop.run/1", "nsop.run/2"),
                 "file.ndjson:1: schema is 'nsop.run/2', this nsop reads 'nsop.run/1'");
}

TEST_F(ExchangeTest, KeepsUnknownFieldsOfItsHostAndReadsTheRest) {
  // The seal covers unknown fields too, so only a running run may carry ones that we made up.
  Store from(dir_.db("from.db"));
  add_run(from, example_run("run-1"), 2, false);
  const std::string text = with_line(export_run(from, "run-1"), 4, "\"reason\":\"\"",
                                     "\"reason\":\"\",\"later\":{\"x\":[1]}");
  import_run(to_, text, "x");
  EXPECT_EQ(to_.invocations("run-1").size(), 2u);
  EXPECT_EQ(export_run(to_, "run-1"), text);
}

TEST_F(ExchangeTest, RefusesTheSameRunWithOtherContent) {
  const std::string text = exported();
  import_run(to_, text, "first");
  Store other(dir_.db("other.db"));
  nsop::Run run = example_run("run-1");
  run.plan_json = "another";
  add_run(other, run);
  const auto result = importing(export_run(other, "run-1"));
  EXPECT_EQ(result.code, ExitCode::kBadData);
  EXPECT_NE(result.message.find("run run-1 is stored already"), std::string::npos);
  EXPECT_EQ(export_run(to_, "run-1"), text);
}

TEST_F(ExchangeTest, RefusesAnotherHostUnderAKnownId) {
  Host host = example_host();
  host.cpu_model = "another";
  to_.put_host(host);
  const auto result = importing(exported());
  EXPECT_EQ(result.code, ExitCode::kBadData);
  EXPECT_NE(result.message.find("host host-a"), std::string::npos);
  EXPECT_TRUE(to_.runs().empty());
}

TEST_F(ExchangeTest, RefusesHostileTexts) {
  const std::string text = exported();
  expect_refused(std::string(2'000'000, '['), "file.ndjson:1: ");
  expect_refused(std::string(100'000, '[') + "\n", "nested more than 64 deep");
  expect_refused("null\n", "expected a JSON object");
  expect_refused("{}\n", "field 'type'");
  expect_refused("{\"type\":\"run\"}\n", "field 'schema'");
  expect_refused("\xff\xfe\n", "not JSON");
  expect_refused(with_line(text, 4, "\"threads\":1", "\"threads\":1,\"threads\":2"),
                 "key 'threads' is given twice");
  expect_refused(with_line(text, 4, "\"process_age_s\":0.0", "\"process_age_s\":1e400"),
                 "not JSON");
  expect_refused(with_line(text, 4, "\"hwy\"", "\"" + std::string(600, 'v') + "\""),
                 "file.ndjson:4: variant ");
  expect_refused(with_line(text, 4, "\"threads\":1", "\"threads\":0"), "file.ndjson:4: threads ");
  expect_refused(with_line(text, 1, "\"local\"", "\"root\""), "file.ndjson:1: trust 'root'");
  expect_refused(with_line(text, 4, "\"iterations\":[1000,1000,1000]", "\"iterations\":[0,1,1]"),
                 "iterations is 0");
  expect_refused(with_line(text, 4, "\"build_id\":\"build-a\"", "\"build_id\":\"x\""),
                 "its build is not in the file");
  expect_refused(with_line(text, 4, "\"run_id\":\"run-1\"", "\"run_id\":\"run-2\""),
                 "belongs to another run");
}

TEST(LimitedJson, StopsAtItsDepth) {
  const std::string fits = std::string(64, '[') + std::string(64, ']');
  EXPECT_EQ(outcome([&] { parse_limited(fits, "x"); }).code, ExitCode::kOk);
  const std::string deeper = "[" + fits + "]";
  EXPECT_EQ(outcome([&] { parse_limited(deeper, "x"); }).code, ExitCode::kBadData);
}

TEST(LimitedJson, StopsAtItsNumberOfValues) {
  const auto list = [](int64_t plain) {  // the list itself is one, too
    std::string text = "[";
    for (int64_t i = 0; i < plain; ++i) text += i == 0 ? "1" : ",1";
    return text + "]";
  };
  EXPECT_EQ(parse_limited(list(kMaxValues - 1), "x").size(), kMaxValues - 1);
  const auto more = outcome([&] { parse_limited(list(kMaxValues), "x"); });
  EXPECT_EQ(more.code, ExitCode::kBadData);
  EXPECT_EQ(more.message, "x: more than 1000000 values");
}

TEST(LimitedJson, TakesAnInvocationOfTheMostRepetitions) {
  Invocation one = example_invocation("run-1", 0);
  one.repetitions.assign(kMaxRepetitions, one.repetitions.at(0));
  EXPECT_FALSE(parse_limited(pack(one).samples, "x").empty());
}

TEST(LimitedJson, SameKeyInOtherObjectsIsFine) {
  const Json json = parse_limited(R"({"a":{"a":1},"b":[{"a":2},{"a":3}]})", "x");
  EXPECT_EQ(json["b"][1]["a"], 3);
}

TEST(Exchange, RefusesHugeFiles) {
  const std::string huge(kMaxImportBytes + 1, ' ');
  EXPECT_EQ(outcome([&] { parse_exchange(huge, "x"); }).code, ExitCode::kBadData);
}

}  // namespace
}  // namespace nsop::store
