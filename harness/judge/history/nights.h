// Histories: what every run of one host said of a row, from the store or from a folder of files (a
// data branch: machines that are thrown away have no disk).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/core/sample.h"
#include "harness/core/text.h"
#include "harness/stats/gate/gate.h"
#include "harness/stats/history/change_points.h"
#include "harness/store/store.h"

namespace nsop::judge {

// What one run says of one row.
struct NightRow {
  RowKey row;
  Status status = Status::kOk;
  std::string inputs_sha256;
  double ns = 0;       // by which the row is judged; 0: it failed
  double wall_ns = 0;  // that is shown
  int invocations = 0;
  std::optional<double> allocs, bytes;
  // Medians over the invocations (stats::RowSummary), of what the fastest repetition can't see:
  // ln(mean / fastest) of the repetitions, and ns of a process's first operation. nullopt: unknown.
  std::optional<double> excess, first_ns;
};

// One run of one build, reduced to what a history needs.
struct Night {
  std::string run_id, started_utc, profile, tool_version;
  std::string commit;     // `unknown` without git
  std::string toolchain;  // compiler, flags, libc, engine: another one begins a new segment
  Host host;
  std::vector<NightRow> rows;
  bool backfilled = false;  // as in Point
};

// A point of a row's history.
struct Point {
  SharedText run_id, started_utc, commit, segment;
  double ns = 0, wall_ns = 0;
  int invocations = 0;
  std::optional<double> allocs, bytes;
  Status status = Status::kOk;
  std::optional<double> excess, first_ns;  // as in NightRow
  // Measured afterwards, beside a reference: its place is that of its commit, not of its time.
  bool backfilled = false;
};
using Line = std::vector<Point>;  // oldest first, one per run

std::string toolchain_of(const Build& build);

// A complete stored run; only the rows of this build. Throws Error (usage) for an unknown run.
Night night_of(const store::Store& store, const std::string& run_id, const std::string& build_id);

// The stored past of one host; what its rows share is read once.
class StoredLines {
 public:
  // Of all its runs, or of so many that began last. The store must outlive it.
  StoredLines(const store::Store& store, const std::string& host_id, size_t newest = SIZE_MAX);
  // A row's runs. Builds with uncommitted changes are left out: no commit names them. Throws Error
  // (bad data) where a build has gone.
  Line of(const RowKey& row);
  // Of all builds that the host's runs measured.
  std::set<std::string> commits() const;

 private:
  struct BuildFacts {
    SharedText commit, toolchain;
    bool dirty = false;
  };
  const BuildFacts& build(const SharedText& id);
  SharedText toolchain_named(const std::string& text) const;  // the one that is known, if any
  const SharedText& segment(const SharedText& toolchain, const SharedText& inputs);

  store::HostHistory history_;
  std::set<std::string> backfilled_;  // runs
  // By the addresses of texts that this object and its history keep: each has one.
  std::unordered_map<const std::string*, BuildFacts> builds_;
  std::map<std::pair<const std::string*, const std::string*>, SharedText> segments_;
  std::map<const Build*, SharedText> toolchains_;  // by what builds were made with
};

// Adds a night's points to the lines of its rows, unless the line has that run; keeps the order of
// time.
void add_night(std::map<RowKey, Line>& lines, const Night& night);

// Adds points of runs that the line hasn't.
void add_points(Line& line, const Line& more);

// Makes the point of this run the last: what began later is left out, what began in the same second
// stays before it. The line is empty afterwards if the run isn't in it.
void end_with(Line& line, const std::string& run_id);

// What a point says by a statistic of the gate: ns of the fastest repetition, the mean of the
// repetitions over the fastest, ns of the first operation. 0: it doesn't say.
double value_of(const Point& point, stats::Statistic by);

// Points that say something by a statistic, for stats: `index[i]` is the place in the line of point
// i.
struct Usable {
  std::vector<stats::HistoryPoint> points;
  std::vector<size_t> index;
};
Usable usable_points(const Line& line, stats::Statistic by = stats::Statistic::kFastest);

// ---- files: `<time>-<run>.ndjson`, one per run, and `alert-<time>-<event>.ndjson`, one per event.
// Files are only added, so two machines that write at once have nothing to reconcile.
std::string night_text(const Night& night);
// Throws Error (bad data) with `where:line: `.
Night parse_night(const std::string& text, const std::string& where);

// Calls take(night) for each night of a folder, by name of its file; for none when the folder isn't
// there. Throws Error (bad data, environment).
void for_each_night(const std::string& folder, const std::function<void(Night)>& take);
// All nights of a folder, oldest first. Throws like for_each_night().
std::vector<Night> read_nights(const std::string& folder);
// The same without their rows, which nobody reads: a file is checked up to its first line.
std::vector<Night> read_heads(const std::string& folder);
// Writes a night's file, and makes the folder if need be; returns its path.
std::string write_night(const std::string& folder, const Night& night);

// The events of one file's text, one a line. Throws Error (bad data) with `where:line: `.
std::vector<store::AlertEvent> parse_events(const std::string& text, const std::string& where);
// All events of a folder, each once, by time. Older versions wrote alerts.ndjson: its events are
// among them. Throws like read_nights().
std::vector<store::AlertEvent> read_events(const std::string& folder);
// Adds a file for each event that the folder hasn't.
void write_events(const std::string& folder, const std::vector<store::AlertEvent>& events);
// Both lists in one, each event once, by time; events of one second keep the order given.
std::vector<store::AlertEvent> merged_events(std::vector<store::AlertEvent> events,
                                             const std::vector<store::AlertEvent>& more);

}  // namespace nsop::judge
