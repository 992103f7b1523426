// The gates of a site.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/core/io/json.h"
#include "harness/report/gate/report.h"
#include "harness/report/site/shown.h"
#include "harness/store/store.h"

namespace nsop::report {

// A gate with all its rows but the controls, as the site compares them.
Json gate_json(const GateRecord& gate);

class SiteGates {
 public:
  // Judges every complete gate of the choice again; `runs` are those of the store, newest first.
  SiteGates(const store::Store& store, const std::vector<store::RunSummary>& runs,
            const SiteChoice& choice);

  const std::vector<Json>& gates() const { return gates_; }  // newest first
  // What they said of a case, newest first.
  Json of_case(const std::string& case_text) const;

 private:
  void add(const GateRecord& gate);

  std::vector<Json> gates_;
  std::map<std::string, Json> by_case_;
};

}  // namespace nsop::report
