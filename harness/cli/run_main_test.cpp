#include "harness/cli/run_main.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "harness/cli/testing/cli_support.h"
#include "harness/cli/verbs.h"
#include "harness/core/files.h"
#include "harness/core/io/json.h"
#include "harness/core/text.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::cli {
namespace {

using test::Words;
using testing::HasSubstr;
using testing::StartsWith;

class RunMainTest : public test::NsopTest {};

TEST_F(RunMainTest, AVerbIsNeededAndKnown) {
  const test::Ended none = test::nsop({});
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.out, "");
  EXPECT_THAT(none.err, StartsWith("nsop: a verb is missing after `nsop` (verbs: run, submit,"));
  expect_refused({"rnu"}, 2,
                 "unknown verb 'rnu'; did you mean 'run'? (verbs: alert, audit, "
                 "backfill,");
  expect_refused({"xyzzy"}, 2, "unknown verb 'xyzzy' (verbs: alert, ");
  for (const char* verb : {"alert", "baseline", "db"}) {
    expect_refused({verb}, 2, fmt::format("a verb is missing after `nsop {}` (verbs: ", verb));
  }
  const std::string known = nsop({"xyzzy"}).err;
  for (const Verb& verb : kVerbs) EXPECT_THAT(known, HasSubstr(verb.name));
}

TEST_F(RunMainTest, AnUnknownFlagIsRefusedByEveryVerb) {
  for (const Verb& verb : kVerbs) {
    const test::Ended ended = nsop({verb.name, "--nonsense"});
    EXPECT_EQ(ended.code, 2) << verb.name;
    EXPECT_EQ(ended.out, "") << verb.name;
    EXPECT_THAT(ended.err, HasSubstr(fmt::format("see nsop {} --help", verb.name)));
  }
  expect_refused({"list", "--nonsense"}, 2, "--nonsense; see nsop list --help");
}

TEST_F(RunMainTest, HelpOfEveryVerbIsDataAndSaysWhatItDoes) {
  const test::Ended all = nsop({"--help"});
  EXPECT_EQ(all.code, 0);
  EXPECT_EQ(all.err, "");
  for (const Verb& verb : kVerbs) {
    EXPECT_THAT(all.out, HasSubstr(verb.name));
    const test::Ended one = nsop({verb.name, "--help"});
    EXPECT_EQ(one.code, 0) << verb.name;
    EXPECT_EQ(one.err, "") << verb.name;
    EXPECT_THAT(one.out, HasSubstr(verb.help));
    EXPECT_THAT(one.out, HasSubstr("Options of every verb, such as --db and --json: nsop --help"));
  }
  EXPECT_EQ(nsop({"--version"}).code, 0);
  EXPECT_TRUE(std::isdigit(static_cast<unsigned char>(nsop({"--version"}).out[0])) != 0);
}

TEST_F(RunMainTest, WhatIsMissingIsNamed) {
  expect_refused({"diff"}, 2, "before is required; see nsop diff --help");
  expect_refused({"history"}, 2, "case is required; see nsop history --help");
  expect_refused({"bisect", "relu n=1"}, 2, "--good is required; see nsop bisect --help");
  expect_refused({"backfill", "relu n=1"}, 2, "--from is required; see nsop backfill --help");
  expect_refused({"backfill", "--from", "x"}, 2, "give --suite or case lines");
  expect_refused({"bisect", "--good", "x"}, 2, "case is required; see nsop bisect --help");
  expect_refused({"gate"}, 2, "--base is required; see nsop gate --help");
  expect_refused({"import"}, 2, "files is required; see nsop import --help");
  expect_refused({"baseline", "set"}, 2, "name is required; see nsop baseline set --help");
  expect_refused({"baseline", "set", "x"}, 2, "--reason is required");
  expect_refused({"baseline", "remove"}, 2, "name is required; see nsop baseline remove --help");
  expect_refused({"alert", "show"}, 2, "alert is required; see nsop alert show --help");
  for (const char* verb : {"accept", "close", "reopen"}) {
    expect_refused({"alert", verb}, 2, "alert is required");
    expect_refused({"alert", verb, "abc"}, 2, "--reason is required");
  }
  expect_refused({"db", "backup"}, 2, "to is required; see nsop db backup --help");
  expect_refused({"report", "--format", "junit"}, 2, "--format requires --gate");
}

TEST_F(RunMainTest, ANumberOrWordThatIsNoneIsRefused) {
  expect_refused({"run", "--rounds", "0"}, 2, "--rounds: ");
  expect_refused({"run", "--rounds", "many"}, 2, "--rounds: ");
  expect_refused({"run", "--threads", "0"}, 2, "--threads: ");
  expect_refused({"run", "--seed", "-1"}, 2, "-1: expected a whole number from 0 to 4294967295");
  expect_refused({"run", "--lock-wait", "nan"}, 2, "nan: expected seconds from 0 to ");
  expect_refused({"run", "--trust", "nobody"}, 2, "--trust: ");
  expect_refused({"backfill", "--from", "x", "--every", "0"}, 2, "--every: ");
  expect_refused({"check", "--layouts", "3"}, 2, "3 link orders decide nothing");
  expect_refused({"check", "--budget", "soon"}, 2, "--budget soon: expected a time like 20ms");
  expect_refused({"check", "--trust", "pr"}, 2, "a pull request makes no history; use gate");
  expect_refused({"gate", "--base", "a", "--rounds", "5"}, 2, "--rounds: ");
  expect_refused({"gate", "--base", "a", "--budget", "5x"}, 2, "--budget 5x: expected a time");
  expect_refused({"bisect", "relu n=1", "--good", "a", "--layouts", "101"}, 2, "--layouts: ");
  expect_refused({"history", "relu n=1", "--last", "0"}, 2, "--last: ");
  expect_refused({"list", "everything"}, 2, "what: ");
  expect_refused({"report", "--gate", "x", "--format", "html"}, 2, "--format: ");
  expect_refused({"list", "runs", "--inconclusive", "maybe"}, 2, "--inconclusive: ");
}

// What was measured already has its counts, or has none for good.
TEST_F(RunMainTest, InstructionsOfARunThatIsThereAreNotCounted) {
  for (const Words& resume :
       std::vector<Words>{{"run", "--resume"}, {"run", "--resume", "@last"}}) {
    Words words = resume;
    words.emplace_back("--instructions");
    expect_refused(words, 2, "--instructions excludes --resume; see nsop run --help");
  }
  expect_refused({"run", "--instructions", "--resume"}, 2, "--instructions");
  expect_refused({"check", "--run", "@last", "--instructions"}, 2,
                 "--instructions excludes --run; see nsop check --help");
}

TEST_F(RunMainTest, WithoutADatabaseItSaysHowToFillOne) {
  const std::vector<Words> asked = {{"diff", "a"},
                                    {"list", "runs"},
                                    {"baseline", "list"},
                                    {"baseline", "set", "x", "--reason", "y"},
                                    {"baseline", "remove", "x", "--reason", "y"},
                                    {"history", "relu n=1"},
                                    {"alert", "list"},
                                    {"alert", "show", "abc"},
                                    {"alert", "close", "abc", "--reason", "y"},
                                    {"db", "verify"},
                                    {"db", "migrate"},
                                    {"db", "remove-run", "@last", "--reason", "y"},
                                    {"db", "removed"},
                                    {"db", "prune", "--before", "2026-01-01"},
                                    {"db", "backup", dir_.file("copy.db")},
                                    {"report"},
                                    {"report", "--gate", "@last"},
                                    {"export"},
                                    {"run", "--resume"}};
  for (const Words& words : asked) {
    expect_refused(words, 2, db_ + ": no database yet; fill one with `nsop run` or `nsop import`");
  }
  EXPECT_NE(store::test::outcome([&] { read_file(db_); }).code, ExitCode::kOk);  // none was made
}

TEST_F(RunMainTest, ADatabaseThatIsNoneOrNewerIsBadData) {
  write_file_atomically(db_, std::string(5000, 'x'), Durability::kScratch);
  for (const Words& words : std::vector<Words>{
           {"list", "runs"}, {"db", "verify"}, {"diff", "a"}, {"alert", "list"}, {"export"}}) {
    expect_refused(words, 4, db_);
  }
  std::filesystem::remove(db_);
  { const store::Store made(db_); }
  store::test::raw_sql(db_, "PRAGMA user_version = 999");
  for (const Words& words : std::vector<Words>{{"list", "runs"}, {"db", "verify"}, {"diff", "a"}}) {
    expect_refused(words, 4, "999");
  }
}

TEST_F(RunMainTest, AFileThatIsMissingOrNoRunIsNamed) {
  const std::string missing = dir_.file("missing.ndjson");
  expect_refused({"import", missing}, 5, missing);
  write_file_atomically(dir_.file("bad.ndjson"), "{}\n", Durability::kScratch);
  expect_refused({"import", dir_.file("bad.ndjson")}, 4, "bad.ndjson");
  EXPECT_NE(store::test::outcome([&] { read_file(db_); }).code, ExitCode::kOk);  // none was made
  expect_refused({"check", "--known", missing}, 2, "--known " + missing + ": no such file");
}

// In the log of a job that others read, a line of its own would be a command to the runner.
TEST_F(RunMainTest, WhatAFileSaysIsPartOfOnePrintableLine) {
  const std::string hostile = "x\n::error::gone\x1b[31m\r##[group]\xe2\x80\xae";
  const std::string path = dir_.file("a\n::stop-commands::b\x1b[2J.ndjson");
  for (const char* key : {"schema", "type", "state"}) {
    Json line = {{"type", "run"}, {"schema", "nsop.run/1"}, {"state", "complete"}};
    line[key] = hostile;
    write_file_atomically(path, line.dump() + "\n", Durability::kScratch);
    const test::Ended ended = nsop({"import", path});
    EXPECT_EQ(ended.code, 4);
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_THAT(ended.err, StartsWith("nsop: "));
    for (const char* part : {"\x1b", "\r", "##[", "\xe2\x80\xae"}) {
      EXPECT_THAT(ended.err, testing::Not(HasSubstr(part))) << key;
    }
  }
  for (const Words& words : std::vector<Words>{{hostile},
                                               {"diff", hostile},
                                               {"export", hostile},
                                               {"run", "--profile", hostile},
                                               {"run", "--suite", hostile},
                                               {"db", "backup", hostile + "/x"}}) {
    const test::Ended ended = nsop(words);
    EXPECT_NE(ended.code, 0);
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_THAT(ended.err, testing::Not(HasSubstr("\x1b")));
  }
}

TEST_F(RunMainTest, ARunIsRemovedForGoodAndThatIsKept) {
  fill();
  expect_refused({"db", "remove-run", "11111111"}, 2, "--reason is required");
  expect_refused({"db", "remove-run", "33333333", "--reason", "x"}, 2, "33333333");
  const test::Ended done = nsop({"db", "remove-run", "11111111", "--reason", "clock was wrong"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(nsop({"list", "runs"}).out, testing::Not(HasSubstr("11111111")));
  EXPECT_THAT(nsop({"db", "removed"}).out, HasSubstr("clock was wrong"));
  EXPECT_EQ(Json::parse(nsop({"db", "removed", "--json"}).out)["runs"][0]["run"], kFirst);
  EXPECT_EQ(nsop({"db", "verify"}).code, 0);
}

TEST_F(RunMainTest, RunsArePrunedByAgeAndThatIsKept) {
  fill();
  expect_refused({"db", "prune"}, 2, "--older-than 90d or --before DAY");
  expect_refused({"db", "prune", "--before", "2027-01-01", "--older-than", "3d"}, 2, "excludes");
  expect_refused({"db", "prune", "--before", "soon"}, 2, "'soon': expected a day");
  expect_refused({"db", "prune", "--before", "2027-02-30"}, 2, "'2027-02-30': expected a day");
  for (const char* wrong : {"d", "-1d", "soon", "90 days"}) {
    expect_refused({"db", "prune", fmt::format("--older-than={}", wrong)}, 2,
                   fmt::format("--older-than {}: expected a time", wrong));
  }
  const Words words = {"db", "prune", "--before", "2099-01-01", "--json"};
  Words dry = words;
  dry.emplace_back("--dry-run");
  const Json would = Json::parse(nsop(dry).out), done = Json::parse(nsop(words).out);
  EXPECT_EQ(would["schema"], "nsop.db-prune/1");
  EXPECT_EQ(would["runs"], done["runs"]);
  EXPECT_GT(done["runs"], 0);
  EXPECT_EQ(Json::parse(nsop(dry).out)["runs"], 0);
  EXPECT_THAT(nsop({"db", "prune", "--older-than", "90d"}).out, HasSubstr("0 runs pruned"));
  EXPECT_EQ(nsop({"db", "verify"}).code, 0);
}

TEST_F(RunMainTest, AnOlderDatabaseIsMigratedWhenAsked) {
  store::test::old_database(db_, NSOP_SOURCE_DIR "/harness/store/testdata/schema_4.sql");
  expect_refused({"list", "runs"}, 4,
                 fmt::format("has schema 4, this nsop needs {}; run `nsop db migrate`",
                             store::kSchemaVersion));
  const test::Ended done = nsop({"db", "migrate"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(nsop({"db", "verify"}).code, 0);
  EXPECT_THAT(nsop({"list", "runs"}).out, HasSubstr("run-1"));
}

TEST_F(RunMainTest, CleaningNeedsNoDatabaseAndMakesNone) {
  const test::Ended done = nsop({"db", "clean", "--json"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_GE(Json::parse(done.out)["folders"], 0);
  EXPECT_FALSE(std::filesystem::exists(db_));
}

TEST_F(RunMainTest, WithoutAWorkerNothingIsMeasured) {
  for (const Words& words :
       std::vector<Words>{{"run", "relu pass=forward n=1 range=-3:3"},
                          {"verify", "relu pass=forward n=1 range=-3:3"},
                          {"list", "cases"},
                          {"list", "variants"},
                          {"check"},
                          {"gate", "--base", "HEAD"},
                          {"bisect", "relu pass=forward n=1 range=-3:3", "--good", "HEAD"}}) {
    expect_refused(words, 5, dir_.file("no-worker") + ": no program that can be started");
  }
  expect_refused({"run", "--profile", "quik"}, 2, "unknown profile");
  expect_refused({"run", "--suite", "cnov"}, 2, "did you mean 'conv'?");
}

TEST_F(RunMainTest, ARunThatIsNotThereIsAMistakeOfUsage) {
  fill();
  expect_refused({"diff", "33333333"}, 2, "33333333");
  expect_refused({"diff", "11111111", "11111111"}, 2, "are the same run");
  expect_refused({"export", "33333333"}, 2, "33333333");
  expect_refused({"report", "--gate", "11111111"}, 2, "is no gate");
  expect_refused({"baseline", "remove", "main", "--reason", "x"}, 2, "main");
  expect_refused({"alert", "show", "abc"}, 2, "abc");
  expect_refused({"history", "relu n=1", "--host", "nobody"}, 2, "no such host (hosts: host-a");
  expect_refused({"run", "--resume", "11111111"}, 2, "is complete: nothing to resume");
}

TEST_F(RunMainTest, DataIsOnStandardOutputAndNotesAreNot) {
  fill();
  const test::Ended runs = nsop({"list", "runs"});
  EXPECT_EQ(runs.code, 0);
  EXPECT_EQ(runs.err, "");
  EXPECT_THAT(runs.out, HasSubstr("11111111"));
  const test::Ended json = nsop({"list", "runs", "--json"});
  EXPECT_EQ(Json::parse(json.out)["schema"], "nsop.list/1");
  const test::Ended exported = nsop({"export", "11111111"});
  EXPECT_EQ(exported.err, "");
  EXPECT_EQ(exported.out.front(), '{');
  const test::Ended none = nsop({"alert", "list"});
  EXPECT_EQ(none.code, 0);
  EXPECT_EQ(none.out, "");
  EXPECT_THAT(none.err, HasSubstr("no open, accepted or inconclusive alerts"));
  EXPECT_EQ(nsop({"alert", "list", "--quiet"}).err, "");
  const test::Ended set =
      nsop({"baseline", "set", "main", "11111111", "--reason", "because", "--quiet"});
  EXPECT_EQ(set.code, 0);
  EXPECT_EQ(set.out + set.err, "");
  EXPECT_THAT(nsop({"baseline", "list"}).out, HasSubstr("because"));
  EXPECT_EQ(nsop({"db", "verify"}).code, 0);
}

TEST_F(RunMainTest, AGateOrARunThatIsNotCompleteIsNoBaseline) {
  fill();
  {
    store::Store store(db_);
    ::nsop::Run gate = store::test::example_run("33333333-0000-4000-8000-000000000003");
    gate.profile = "gate";
    store::test::add_run(store, gate);
    store::test::add_run(store, store::test::example_run("44444444-0000-4000-8000-000000000004"), 3,
                         false);
  }
  expect_refused({"baseline", "set", "x", "33333333", "--reason", "y"}, 2, "is a gate");
  expect_refused({"baseline", "set", "x", "44444444", "--reason", "y"}, 2,
                 "only a complete run can be a baseline");
  EXPECT_THAT(nsop({"baseline", "list"}).out, testing::Not(HasSubstr("44444444")));
}

}  // namespace
}  // namespace nsop::cli
