// The cases of a site with everything that was measured of them.
#pragma once

#include <string>
#include <vector>

#include "harness/report/site/shown.h"

namespace nsop::report {

// `2026-01-31 12:00` of `2026-01-31T12:00:00Z`.
std::string minute_text(const std::string& utc);

// A measured row as a suite shows it.
struct SiteRow {
  const ShownSuite* shown = nullptr;
  const CaseRow* place = nullptr;  // of the suite
  const stats::RowSummary* measured = nullptr;
  bool ours = false;                // a variant that the suite shows as its own, on any target
  bool dispatch = false;            // ours, with the target that it takes by itself
  std::vector<std::string> suites;  // that show it, in the order of their names

  const std::string& host_id() const { return shown->run->run.host_id; }
};

// The fragment that names a row on its case's page: `hwy-AVX3-1-ab12cd34`.
std::string row_id(const SiteRow& row);

// One case text.
struct SiteCase {
  std::string text, id;
  std::string title;  // `Conv2D Forward`; its op where no suite labels it
  // Ours first, then by host and threads; what ours takes by itself before what was asked for.
  std::vector<SiteRow> rows;
};

// Every case that a suite shows, by text, without rows that a variant can't do. They refer to the
// suites.
std::vector<SiteCase> site_cases(const ShownSuites& shown);

// A value of the key that another case differs by, all else equal.
struct Neighbour {
  const SiteCase* of = nullptr;
  std::string key, value, own;
};

// Cases that differ in the value of one key only.
class Neighbours {
 public:
  explicit Neighbours(const std::vector<SiteCase>& cases);
  // By key and text, without the case itself.
  std::vector<Neighbour> of(const SiteCase& one) const;
  // Those that differ in `key`, the case itself among them; only itself where none does, nothing
  // where it has no such key.
  std::vector<const SiteCase*> along(const SiteCase& one, const std::string& key) const;

 private:
  std::map<std::string, std::vector<const SiteCase*>> by_rest_;  // `conv2d k=* s=1`
};

}  // namespace nsop::report
