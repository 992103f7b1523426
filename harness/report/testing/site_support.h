// A store of runs of January, and the lines of the site of it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/forms/forms.h"
#include "harness/report/site/site.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::report::test {

inline constexpr const char* kShortRelu = "relu pass=forward n=10 range=-3:3";
inline constexpr const char* kLongRelu = "relu pass=forward n=100 range=-3:3";

class SiteTest : public testing::Test {
 protected:
  // A run of one day of January with 8 processes of each of these rows, each operation of which
  // takes so many ns, by that build.
  void add_run(int day, const std::vector<std::pair<RowKey, int64_t>>& rows,
               const std::function<void(nsop::Run&)>& change = {},
               const Build& build = store::test::example_build()) {
    nsop::Run run = store::test::example_run(fmt::format("run-{:02}", day), day_text(day));
    run.plan_json.clear();
    run.facts[kLongRelu] = {100, 0, 800, 800, 400};
    if (change) change(run);
    store_.put_host(store::test::example_host(run.host_id));
    store_.put_build(build);
    store_.begin_run(run);
    int n = 0;
    for (int round = 0; round < 8; ++round) {
      for (const auto& [key, ns] : rows) {
        Invocation one = store::test::example_invocation(run.id, n++);
        one.row = key;
        one.build_id = build.id;
        one.round = round;
        for (Repetition& r : one.repetitions) {
          r.wall_ns = r.process_cpu_ns = r.thread_cpu_ns = 1000 * ns + round;
        }
        store_.append(one);
      }
    }
    store_.end_run(run.id, RunState::kComplete, day_text(day));
  }

  static std::string day_text(int day) { return fmt::format("2026-01-{:02}T00:00:00Z", day); }

  // Null: the site compares none.
  Json first_pair() const {
    for (Json& line : lines()) {
      if (line.value("of", "") == "runs") return line;
    }
    return {};
  }

  // Titles of the two runs that the site compares.
  std::vector<std::string> pairs(const std::vector<RunPair>& asked = {}) const {
    std::vector<std::string> titles;
    for (const Json& line : lines({}, {}, asked)) {
      if (line.contains("of")) titles.push_back(line["title"]);
    }
    return titles;
  }

  std::vector<Json> lines(const SiteChoice& choice = {}, const std::string& nights = {},
                          const std::vector<RunPair>& asked = {}) const {
    std::vector<Json> all;
    judge::BuildPlace place;
    place.repository = folder_.path();
    const Suite suite = parse_suite(
        "[report]\nname = \"s\"\ntitle = \"S\"\nform = \"peers\"\n"
        "after = \"hwy\"\npeers = [\"numpy\"]\n[[cases]]\n"
        "label = \"ReLU\"\n"
        "case = \"relu pass=forward n=10 range=-3:3\"\n",
        "s.toml", suite_forms());
    write_site({store_,
                folder_.file("nsop.db"),
                nights,
                folder_.file("judge.md"),
                place,
                {suite},
                choice,
                asked,
                "0.1.0"},
               [&](const Json& line) { all.push_back(line); });
    return all;
  }

  static std::vector<std::string> kinds(const std::vector<Json>& lines) {
    std::vector<std::string> out;
    for (const Json& line : lines) out.push_back(line["kind"]);
    return out;
  }

  store::test::TempDir folder_;
  store::Store store_{folder_.file("nsop.db")};
};

inline const RowKey kOurShort{kShortRelu, "hwy", "AVX2", 1},
    kPeerShort{kShortRelu, "numpy", "x86-64", 1};
inline const RowKey kOurLong{kLongRelu, "hwy", "AVX2", 1};

}  // namespace nsop::report::test
