#include "harness/judge/history/nights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdio>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/identity.h"
#include "harness/judge/testing/nights_support.h"

namespace nsop::judge {
namespace {

namespace fs = std::filesystem;
using test::kRelu;
using test::kTanh;
using testing::HasSubstr;

Night example(const std::string& run = "run-12345678", const std::string& day = "01") {
  Night night;
  night.run_id = run;
  night.started_utc = "2026-01-" + day + "T03:00:00Z";
  night.profile = "quick";
  night.tool_version = "0.1.0";
  night.commit = "c0ffee";
  night.toolchain = "gcc 12 | -O2";
  night.host.id = "host-a";
  night.host.cpu_model = "EPYC \"Test\"";
  night.rows = {
      {kRelu, Status::kOk, "ab", 1000.25, 1010.5, 10, 0.0, 96.5, 0.125, 5000.5},
      {kTanh, Status::kWrong, "", 0, 0, 0, std::nullopt, std::nullopt, std::nullopt, std::nullopt}};
  return night;
}

std::string refusal(const std::string& text) {
  try {
    parse_night(text, "f");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadData);
    return error.what();
  }
  return "no error";
}

TEST(EndWith, ARunOfTheSameSecondStaysBefore) {
  const auto point = [](const std::string& run, const std::string& utc) {
    Point p;
    p.run_id = run;
    p.started_utc = utc;
    return p;
  };
  Line line{point("a", "2026-01-01T00:00:00Z"), point("tonight", "2026-01-02T00:00:00Z"),
            point("first", "2026-01-02T00:00:00Z"), point("later", "2026-01-02T00:00:01Z")};
  Line other = line;
  end_with(line, "tonight");
  ASSERT_EQ(line.size(), 3u);
  EXPECT_EQ(line[0].run_id, "a");
  EXPECT_EQ(line[1].run_id, "first");
  EXPECT_EQ(line[2].run_id, "tonight");
  end_with(other, "unknown");
  EXPECT_TRUE(other.empty());
}

TEST(ValueOf, APointSaysNothingByWhatIsNotKnown) {
  Point p;
  p.excess = 0.5;
  p.first_ns = 7000;
  for (const stats::Statistic by : stats::kStatistics) EXPECT_EQ(value_of(p, by), 0) << "it failed";
  p.ns = 1000;
  EXPECT_EQ(value_of(p, stats::Statistic::kFastest), 1000);
  EXPECT_NEAR(value_of(p, stats::Statistic::kExcess), 1.6487, 1e-4);
  EXPECT_EQ(value_of(p, stats::Statistic::kFirst), 7000);
  p.excess = p.first_ns = std::nullopt;
  EXPECT_EQ(value_of(p, stats::Statistic::kExcess), 0);
  EXPECT_EQ(value_of(p, stats::Statistic::kFirst), 0);
  EXPECT_TRUE(usable_points({p}, stats::Statistic::kExcess).points.empty());
  EXPECT_EQ(usable_points({p}).points.size(), 1u);
}

TEST(NightFile, ComesBackAsItWas) {
  const Night back = parse_night(night_text(example()), "f");
  EXPECT_EQ(back.run_id, "run-12345678");
  EXPECT_EQ(back.host.cpu_model, "EPYC \"Test\"");
  EXPECT_EQ(back.toolchain, "gcc 12 | -O2");
  ASSERT_EQ(back.rows.size(), 2u);
  EXPECT_EQ(back.rows[0].row, kRelu);
  EXPECT_EQ(back.rows[0].ns, 1000.25);
  EXPECT_EQ(back.rows[0].bytes, 96.5);
  EXPECT_EQ(back.rows[0].excess, 0.125);
  EXPECT_EQ(back.rows[0].first_ns, 5000.5);
  EXPECT_FALSE(back.rows[1].excess.has_value());
  EXPECT_EQ(back.rows[1].status, Status::kWrong);
  EXPECT_FALSE(back.rows[1].allocs.has_value());
  EXPECT_EQ(night_text(back), night_text(example()));
}

// The fixture is a night as commit 42dff8b wrote it; it is kept for ever.
TEST(NightFile, ReadsANightOfAnEarlierVersion) {
  const std::string text = read_file(NSOP_JUDGE_TESTDATA "/night_42dff8b.ndjson");
  const Night night = parse_night(text, "f");
  EXPECT_EQ(night.run_id, "0f5c1a52-4242-dff8-b000-000000000001");
  EXPECT_EQ(night.started_utc, "2026-11-22T13:44:11Z");
  EXPECT_EQ(night.commit, "c0ffee1234");
  EXPECT_EQ(night.toolchain, "g++ 12.2.0 | -O2 |  |  | ");
  EXPECT_EQ(night.host.cache_bytes.at("L2"), 1048576);
  ASSERT_EQ(night.rows.size(), 2u);
  EXPECT_EQ(night.rows[0].row.variant, "before");
  EXPECT_EQ(night.rows[0].status, Status::kWrong);
  EXPECT_FALSE(night.rows[0].allocs.has_value());
  EXPECT_EQ(night.rows[1].row.variant, "hwy");
  EXPECT_EQ(night.rows[1].ns, 1.99);
  EXPECT_EQ(night.rows[1].wall_ns, 2.0015);
  EXPECT_EQ(night.rows[1].invocations, 4);
  EXPECT_EQ(night.rows[1].bytes, 64.5);
  EXPECT_FALSE(night.rows[1].excess.has_value());
  EXPECT_FALSE(night.rows[1].first_ns.has_value());
  EXPECT_EQ(night_text(night), text);
}

TEST(NightFile, DamageIsNamedWithFileAndLine) {
  const std::string good = night_text(example());
  EXPECT_THAT(refusal(""), HasSubstr("f: truncated"));
  EXPECT_THAT(refusal(good.substr(0, good.size() - 1)), HasSubstr("f:4: truncated"));
  EXPECT_THAT(refusal(good.substr(0, good.find("{\"type\":\"end\""))), HasSubstr("end line"));
  EXPECT_THAT(refusal("{}\n"), HasSubstr("f:1: expected schema 'nsop.night/1'"));
  EXPECT_THAT(refusal("nonsense\n"), HasSubstr("f:1"));
  EXPECT_THAT(refusal(good + "{}\n"), HasSubstr("f:5: there is more"));
  std::string changed = good;
  changed.replace(changed.find("1000.25"), 7, "1000.24");
  EXPECT_THAT(refusal(changed), HasSubstr("f:4: the file was changed"));
}

RC_GTEST_PROP(NightFileProperty, NoCutOrChangedFileIsTaken, ()) {
  const std::string good = night_text(example());
  std::string bad = good;
  const auto at = *rc::gen::inRange<size_t>(0, good.size());
  if (*rc::gen::arbitrary<bool>()) {
    bad = good.substr(0, at);
  } else {
    bad[at] = *rc::gen::suchThat(rc::gen::arbitrary<char>(), [&](char c) { return c != good[at]; });
  }
  RC_ASSERT_THROWS_AS(parse_night(bad, "f"), Error);
}

TEST(NightFile, RowsOfImpossibleNumbersAreRefused) {
  const auto with = [](const auto& change) {
    Night night = example();
    change(night.rows[0]);
    return refusal(night_text(night));
  };
  EXPECT_EQ(with([](NightRow&) {}), "no error");
  EXPECT_THAT(with([](NightRow& r) { r.row.threads = 0; }), HasSubstr("f:2: 'threads' must be"));
  EXPECT_THAT(with([](NightRow& r) { r.invocations = -1; }), HasSubstr("'invocations' must be"));
  EXPECT_THAT(with([](NightRow& r) { r.ns = -1; }), HasSubstr("'ns' is no time"));
  EXPECT_THAT(with([](NightRow& r) { r.wall_ns = -1; }), HasSubstr("'wall_ns' is no time"));
  EXPECT_THAT(with([](NightRow& r) { r.wall_ns = 1e300; }), HasSubstr("'wall_ns' is no time"));
  EXPECT_THAT(with([](NightRow& r) { r.allocs = -1; }), HasSubstr("'allocs' is no count"));
  EXPECT_THAT(with([](NightRow& r) { r.bytes = -1e9; }), HasSubstr("'bytes' is no count"));
  EXPECT_THAT(with([](NightRow& r) { r.excess = -0.1; }), HasSubstr("'excess' is no excess"));
  EXPECT_THAT(with([](NightRow& r) { r.first_ns = 0; }), HasSubstr("'first_ns' is no time"));
  EXPECT_THAT(with([](NightRow& r) { r.first_ns = 1e300; }), HasSubstr("'first_ns' is no time"));
}

class NightFolder : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }
  std::string folder_ = fs::temp_directory_path() / ("nsop-nights-" + new_uuid());
};

TEST_F(NightFolder, HoldsOneFilePerRunOldestFirst) {
  EXPECT_TRUE(read_nights(folder_).empty());
  write_night(folder_, example("run-b", "02"));
  const std::string path = write_night(folder_, example("run-a", "01"));
  EXPECT_EQ(fs::path(path).filename(), "20260101T030000Z-run-a.ndjson");
  const auto nights = read_nights(folder_);
  ASSERT_EQ(nights.size(), 2u);
  EXPECT_EQ(nights[0].run_id, "run-a");
}

TEST_F(NightFolder, HeadsAreNightsWithoutTheirRows) {
  EXPECT_TRUE(read_heads(folder_).empty());
  write_night(folder_, example("run-b", "02"));
  write_night(folder_, example("run-a", "01"));
  write_events(folder_, {{"e1", "a1", "host-a", "open", "2026-01-01T00:00:00Z", "{}"}});
  const auto heads = read_heads(folder_);
  auto nights = read_nights(folder_);
  ASSERT_EQ(heads.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_FALSE(nights[i].rows.empty());
    nights[i].rows.clear();
    EXPECT_EQ(night_text(heads[i]), night_text(nights[i]));
  }
}

TEST_F(NightFolder, AHeadThatIsDamagedIsNamedWithItsFile) {
  const std::string path = write_night(folder_, example());
  const std::string head = read_file(path).substr(0, read_file(path).find('\n') + 1);
  const auto refusal = [&](const std::string& text) {
    write_file_atomically(path, text);
    return store::test::outcome([&] { read_heads(folder_); }).message;
  };
  EXPECT_EQ(refusal(head + "nonsense\n"), "") << "rows are not read";
  EXPECT_THAT(refusal(""), HasSubstr(path + ": truncated"));
  EXPECT_THAT(refusal(head.substr(0, 50)), HasSubstr(path + ":1: truncated"));
  EXPECT_THAT(refusal(std::string(100000, ' ') + head), HasSubstr(path + ":1: truncated"));
  EXPECT_THAT(refusal("{}\n" + head), HasSubstr(path + ":1: expected schema"));
}

store::AlertEvent event_of(const std::string& id, const std::string& at) {
  return {id, "a1", "host-a", "open", at, R"({"reason":"x"})"};
}

// A hole of 1 TiB, which nobody can read into memory.
TEST_F(NightFolder, AFileThatIsTooLargeIsNotRead) {
  fs::create_directories(folder_);
  for (const char* name : {"/night.ndjson", "/alert-x.ndjson"}) {
    write_file_atomically(folder_ + name, "");
    fs::resize_file(folder_ + name, uint64_t{1} << 40);
    try {
      read_nights(folder_);
      read_events(folder_);
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadData);
      EXPECT_EQ(std::string(error.what()), folder_ + name + ": larger than 64 MiB");
    }
    fs::remove(folder_ + name);
  }
}

TEST_F(NightFolder, KeepsEventsBesideNights) {
  const auto first = event_of("e1", "2026-01-01T00:00:00Z");
  const auto second = event_of("e2", "2026-01-02T00:00:00Z");
  EXPECT_TRUE(read_events(folder_).empty());
  write_events(folder_, {second});
  write_events(folder_, {first, second});
  EXPECT_EQ(read_events(folder_), (std::vector<store::AlertEvent>{first, second}));
  EXPECT_TRUE(read_nights(folder_).empty());
  write_file_atomically(folder_ + "/alert-x.ndjson", "{\"schema\":\"other\"}\n");
  EXPECT_THROW(read_events(folder_), Error);
}

TEST_F(NightFolder, EveryFlippedBitAndEveryCutOfAnEventIsFoundOrChangesNothing) {
  write_events(folder_, {event_of("e1", "2026-01-01T00:00:00Z")});
  const std::string file = fs::directory_iterator(folder_)->path().string();
  const std::string good = read_file(file);
  const auto said = read_events(folder_);
  ASSERT_EQ(said.size(), 1u);
  int found = 0;
  const auto try_with = [&](const std::string& text) {
    write_file_atomically(file, text, Durability::kScratch);
    try {
      EXPECT_EQ(read_events(folder_), said) << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadData) << error.what();
      ++found;
    }
  };
  for (size_t cut = 0; cut < good.size(); ++cut) try_with(good.substr(0, cut));
  for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string flipped = good;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    try_with(flipped);
  }
  EXPECT_GT(found, static_cast<int>(8 * good.size()));
  std::printf("cuts and bit flips of an event: %zu, found %d, the others changed nothing\n",
              9 * good.size(), found);
}

TEST_F(NightFolder, FilesAreOnlyAddedAndOldOnesRead) {
  // What versions before wrote: all events in one file.
  const auto line = [](const std::string& id) {
    return R"({"action":"open","alert":"a1","at":"2026-01-01T00:00:00Z","body":{"reason":"x"},)"
           R"("host":"host-a","id":")" +
           id + R"(","schema":"nsop.alert-event/1"})" + "\n";
  };
  fs::create_directories(folder_);
  write_file_atomically(folder_ + "/alerts.ndjson", line("e1") + line("e2"));
  const std::string before = read_file(folder_ + "/alerts.ndjson");
  auto events = read_events(folder_);
  ASSERT_EQ(events.size(), 2u);
  events.push_back(event_of("e3", "2026-01-02T00:00:00Z"));
  write_events(folder_, events);
  EXPECT_EQ(read_file(folder_ + "/alerts.ndjson"), before);
  EXPECT_EQ(read_events(folder_).size(), 3u);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2);
  events.push_back(event_of("e4", "../../x"));
  write_events(folder_, events);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 3);
  EXPECT_THROW(read_events(folder_), Error);
}

TEST(Line, ARunIsAPointOnceAndTimeIsItsOrder) {
  std::map<RowKey, Line> lines;
  add_night(lines, example("run-b", "02"));
  add_night(lines, example("run-a", "01"));
  add_night(lines, example("run-a", "01"));
  ASSERT_EQ(lines[kRelu].size(), 2u);
  EXPECT_EQ(lines[kRelu][0].run_id, "run-a");
  EXPECT_EQ(lines[kRelu][0].segment, "gcc 12 | -O2 | ab");
  EXPECT_EQ(usable_points(lines[kRelu]).points.size(), 2u);
  EXPECT_TRUE(usable_points(lines[kTanh]).points.empty());
}

}  // namespace
}  // namespace nsop::judge
