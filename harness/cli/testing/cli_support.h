// nsop called as a function: for tests of what it says and with which code it ends.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "harness/cli/run_main.h"
#include "harness/core/text.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::cli::test {

using Words = std::vector<std::string>;

struct Ended {
  int code = 0;
  std::string out, err;
};

// `nsop ARGUMENTS...` with streams that are no terminals. The program is the test: no worker lies
// beside it.
inline Ended nsop(Words arguments) {
  std::ostringstream out, err;
  Context context{out, err};
  arguments.insert(arguments.begin(), "nsop");
  const int code = run_main(arguments, context);
  return {code, out.str(), err.str()};
}

// What tests of verbs share.
class NsopTest : public testing::Test {
 protected:
  // With a database of its own and no worker.
  Ended nsop(Words arguments) const {
    const Words settings = {"--db", db_, "--worker", dir_.file("no-worker")};
    arguments.insert(arguments.end(), settings.begin(), settings.end());
    return test::nsop(arguments);
  }
  // One line on standard error, nothing on standard output.
  void expect_refused(const Words& arguments, int code, const std::string& said) const {
    const Ended ended = nsop(arguments);
    const std::string what = "nsop " + join(arguments, " ");
    EXPECT_EQ(ended.code, code) << what << '\n' << ended.err;
    EXPECT_EQ(ended.out, "") << what;
    EXPECT_THAT(ended.err, testing::StartsWith("nsop: ")) << what;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << what << ended.err;
    EXPECT_THAT(ended.err, testing::HasSubstr(said)) << what;
  }
  void fill() const {
    store::Store store(db_);
    for (const auto& [id, day] : {std::pair{kFirst, "01"}, {kSecond, "02"}}) {
      ::nsop::Run run = store::test::example_run(id, fmt::format("2026-01-{}T00:00:00Z", day));
      run.plan_json = "";  // as of an imported run
      store::test::add_run(store, run);
    }
  }

  static constexpr const char* kFirst = "11111111-0000-4000-8000-000000000001";
  static constexpr const char* kSecond = "22222222-0000-4000-8000-000000000002";
  store::test::TempDir dir_;
  std::string db_ = dir_.file("t.db");
};

}  // namespace nsop::cli::test
