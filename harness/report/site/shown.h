// Which run each suite is shown by: the newest of a host that measured it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/core/suite/suite.h"
#include "harness/judge/history/nights.h"
#include "harness/report/base/context.h"
#include "harness/report/base/data/run_data.h"
#include "harness/store/store.h"

namespace nsop::report {

// What of a store is shown.
struct SiteChoice {
  std::string host;   // id; empty: all hosts
  std::string since;  // runs that began earlier are left out: `2026-11-01`, or a whole UTC time
};

// A run of the store that may be shown: complete, of no pull request, no gate and no published
// values.
bool is_shown(const Run& run, const SiteChoice& choice);

// Names of the suites that a run measured; none where it measured single cases.
std::set<std::string> suite_names_of(const Run& run, const std::vector<Suite>& all);

// A suite as the newest run of a host that measured it shows it. Rows that no suite asks for are in
// suites of their own, named kOtherRows.
struct ShownSuite {
  Suite suite;
  const RunData* run = nullptr;
  std::unique_ptr<const Context> context;
};
inline constexpr const char* kOtherRows = "other rows";

// Keeps the runs that the suites refer to.
class ShownSuites {
 public:
  // `runs` are those of the store, newest first. Of `all`, the suites of the project, each host has
  // those that one of its runs measured; of rows that only `nights` have, it has the newest night.
  // The store must outlive the constructor only.
  ShownSuites(const store::Store& store, const std::vector<store::RunSummary>& runs,
              const std::vector<judge::Night>& nights, const std::vector<Suite>& all,
              const SiteChoice& choice);

  const std::vector<std::unique_ptr<ShownSuite>>& suites() const { return suites_; }

 private:
  const RunData& loaded(const store::Store& store, const std::string& run_id);
  void show(Suite suite, const RunData& run, const RunData* limits);
  // `runs` are those of one host, newest first.
  void find_suites(const store::Store& store, const std::vector<store::RunSummary>& runs,
                   const std::vector<Suite>& all);
  // Rows of the host that are shown so far.
  std::set<RowKey> covered(const std::string& host_id) const;
  void find_other_rows(const store::Store& store, const std::vector<Suite>& all,
                       const SiteChoice& choice, const std::string& host_id);
  void find_nights(const std::vector<judge::Night>& nights, const std::vector<Suite>& all,
                   const SiteChoice& choice);
  const RunData* limits_of(const store::Store& store, const RunData& run);

  std::map<std::string, std::unique_ptr<const RunData>> runs_;  // by id
  std::map<std::string, std::optional<std::string>> limits_;    // run with limits, by host
  std::vector<std::unique_ptr<ShownSuite>> suites_;
};

}  // namespace nsop::report
