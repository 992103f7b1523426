// A success criterion as data: `hwy <= 2.0 x numpy` on `tanh pass=forward n=*`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/suite/metric_bound.h"
#include "harness/core/suite/selector.h"

namespace nsop {

// In place of a variant: whichever peer is fastest in the row. Peers that are given another layout
// don't count.
constexpr const char* kBestPeer = "best_peer";
// Likewise: the subject itself, on one thread. Speaks of rows on several threads only.
constexpr const char* kOneThread = "one_thread";

struct Goal {
  enum class Kind {
    kTime,       // time of `subject` <= bound x time of `reference`
    kMeanTime,   // the same of the geometric mean over all rows, by number of threads
    kBandwidth,  // traffic of the report's `after` >= bound x what the machine's memory gives
    kMetric,     // `metric` of `subject` against a number
  };
  std::string that;  // as written
  Kind kind = Kind::kTime;
  // The subject of kMetric is without a variant where the text names none; suites put their `after`
  // there.
  Selector subject, reference;  // reference: of kTime and kMeanTime
  double bound = 1;             // of all but kMetric
  MetricBound metric;           // of kMetric
  std::vector<std::string> on;  // patterns of case_matches; any of them
  std::vector<int> threads;     // empty: any
  std::string note;             // the authors' word on every row that misses it
  std::string source;           // where the bound comes from; may be empty
  std::string where;            // `file:line`
};

// Why rows miss goals or are slower than others, as the authors of a suite see it: one [[reasons]]
// table. It says what takes the time; how a row compares is for the tables to say.
struct Reason {
  std::vector<std::string> on;     // patterns of case_matches; any of them
  std::vector<std::string> goals;  // `that` of those that it speaks of; empty: all but means
  std::vector<int> threads;        // empty: any
  std::string why;
  std::string tried;  // may be empty
  std::string where;  // `file:line`
};

// Reads `VARIANT <= NUMBER x VARIANT` (or `best_peer`, `one_thread`), the same after `mean`,
// `bandwidth >= NUMBER %`, or `METRIC OP NUMBER [UNIT]` (metric_bound.h), for another variant than
// the suite's `after` as `VARIANT: METRIC ...`, into that, kind, subject, reference, bound and
// metric. Throws Error (usage) with the forms, or the names of the metrics.
Goal parse_goal(std::string_view that);

// Is this row one that the goal speaks of? `line` is a case text, canonical or not.
bool goal_applies(const Goal& goal, std::string_view line, int threads);

// Does the reason speak of this goal on this row? A mean is no row: its goal must be named, and
// `line` doesn't count.
bool reason_applies(const Reason& reason, const Goal& goal, std::string_view line, int threads);

// Does it speak of the row itself, whatever its goals say? One that names goals doesn't.
bool reason_is_of_row(const Reason& reason, std::string_view line, int threads);

}  // namespace nsop
