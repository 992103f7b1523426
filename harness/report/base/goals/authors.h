// What the authors of a suite say of rows that miss their goals, each text once: rows give its
// number.
#pragma once

#include <string>
#include <vector>

#include "harness/report/base/goals/goals.h"

namespace nsop::report {

class Authors {
 public:
  // Refers to the suite: keep it alive.
  explicit Authors(const Suite& suite) : suite_(suite) {}

  // The numbers of what is said of a row that does not meet its goal.
  Json numbers_cell(const GoalRow& row);
  // Why a row is slow, the first sentence of each text, for a table that has to be read by itself:
  // what is said of the goals that it misses and of the row itself; equal texts once.
  Json sentences_cell(const std::vector<const GoalRow*>& missed, std::string_view case_text,
                      int threads);

  // `(1) ...`: the texts that were said since the last call, in the order of their numbers.
  std::vector<std::string> take_texts();

 private:
  std::vector<std::string> texts_of(const GoalRow& row) const;
  std::string number_of(const std::string& text);

  const Suite& suite_;
  std::vector<std::string> said_;
  size_t taken_ = 0;
};

// `0.42x`, a share of the bandwidth, or a metric, with its interval.
Json goal_value_cell(const GoalRow& row);

// One goal on one row a line; `with_result` in a first column where they differ in that.
Json goal_rows_table(const std::string& title, Authors& authors,
                     const std::vector<const GoalRow*>& rows, bool with_result = false);

// The same as a table that a reader opens, under it what only it cites: where the page leaves the
// table out, nobody reads of a reason without its row.
Json folded_goals_table(const std::string& title, Authors& authors,
                        const std::vector<const GoalRow*>& rows, bool with_result = false);

}  // namespace nsop::report
