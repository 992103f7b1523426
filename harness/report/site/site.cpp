#include "harness/report/site/site.h"

#include <algorithm>
#include <map>

#include "harness/core/case.h"
#include "harness/judge/history/past.h"
#include "harness/report/site/case_json.h"
#include "harness/report/site/cases.h"
#include "harness/report/site/front.h"
#include "harness/report/site/gates.h"
#include "harness/report/site/histories.h"
#include "harness/report/site/judge.h"
#include "harness/report/site/method.h"
#include "harness/report/site/rooflines.h"
#include "harness/report/site/run_pairs.h"

namespace nsop::report {
namespace {

std::vector<store::RunSummary> shown_of(std::vector<store::RunSummary> runs,
                                        const SiteChoice& choice) {
  std::erase_if(runs, [&](const auto& one) { return !is_shown(one.run, choice); });
  return runs;
}

// By id.
std::vector<Host> hosts_of(const ShownSuites& shown) {
  std::map<std::string, const Host*> by_id;
  for (const std::unique_ptr<ShownSuite>& one : shown.suites()) {
    by_id[one->run->host.id] = &one->run->host;
  }
  std::vector<Host> hosts;
  for (const auto& [id, host] : by_id) hosts.push_back(*host);
  return hosts;
}

// When the newest run or night began; empty: there is none.
std::string newest_of(const std::vector<store::RunSummary>& runs, const ShownSuites& shown) {
  std::string newest = runs.empty() ? "" : runs.front().run.started_utc;
  for (const std::unique_ptr<ShownSuite>& one : shown.suites()) {
    newest = std::max(newest, one->run->run.started_utc);
  }
  return newest;
}

// When the newest run that could have been shown, but is not complete, began; empty: none after
// `newest` did.
std::string unfinished_of(const std::vector<store::RunSummary>& runs, const SiteChoice& choice,
                          const std::string& newest) {
  std::string found;
  for (const store::RunSummary& one : runs) {
    Run run = one.run;
    if (run.state == RunState::kComplete || run.started_utc <= std::max(newest, found)) continue;
    run.state = RunState::kComplete;
    if (is_shown(run, choice)) found = run.started_utc;
  }
  return found;
}

Json case_json(const SiteCase& one, const ShownSuites& shown, const Neighbours& neighbours,
               const SiteGates& gates, Histories& histories) {
  Json rows = Json::array();
  for (const SiteRow& row : one.rows) {
    rows.push_back(row_json(row));
    rows.back()["history"] = row.ours ? histories.of(row) : Json();
  }
  return {{"kind", "case"},
          {"id", one.id},
          {"case", one.text},
          {"op", case_op(one.text)},
          {"pass", param(one.text, "pass")},
          {"title", one.title},
          {"conclusion", conclusion_of(one)},
          {"rows", std::move(rows)},
          {"sweep", sweep_json(one, neighbours)},
          {"elsewhere", elsewhere_json(one, neighbours)},
          {"suites", suites_json(one, shown)},
          {"gates", gates.of_case(one.text)}};
}

std::vector<judge::Alert> alerts_of(judge::Past& past, const std::vector<Host>& hosts) {
  std::vector<judge::Alert> alerts = past.alerts();
  std::erase_if(alerts, [&](const judge::Alert& alert) {
    return std::none_of(hosts.begin(), hosts.end(),
                        [&](const Host& host) { return host.id == alert.host_id; });
  });
  return alerts;
}

}  // namespace

void write_site(const SiteSource& source, const LineSink& sink) {
  const std::vector<store::RunSummary> all = source.store.runs();
  const std::vector<store::RunSummary> runs = shown_of(all, source.choice);
  const std::vector<judge::Night> nights = judge::read_nights(source.history_folder);
  const ShownSuites shown(source.store, runs, nights, source.suites, source.choice);
  const std::vector<Host> hosts = hosts_of(shown);
  const std::vector<SiteCase> cases = site_cases(shown);
  const Neighbours neighbours(cases);
  const SiteGates gates(source.store, all, source.choice);
  judge::Past past(source.db, source.history_folder);
  const std::string newest = newest_of(runs, shown);
  Histories histories(past, source.place, newest);
  for (const SiteCase& one : cases) sink(case_json(one, shown, neighbours, gates, histories));
  for (const Json& gate : gates.gates()) sink(gate);
  send_run_pairs(source.store, runs, source.suites, source.compared, sink);
  const judge::AcrossHosts across = judge::across_hosts(past, alerts_of(past, hosts), source.place);
  Json site = {{"kind", "site"},
               {"schema", "nsop.site/1"},
               {"title", "nsop"},
               {"tool", source.tool_version}};
  site.update(front_json({runs, across, cases, shown, hosts, newest,
                          unfinished_of(all, source.choice, newest), histories.asked(),
                          histories.looked_at()}));
  site["rooflines"] = rooflines_json(cases);
  site["judge"] = judge_json(source.judge);
  site["method"] = method_json();
  sink(site);
}

}  // namespace nsop::report
