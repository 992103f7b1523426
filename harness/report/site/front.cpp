#include "harness/report/site/front.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/core/identity.h"
#include "harness/core/text.h"
#include "harness/judge/builds/commits.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/report/forms/forms.h"
#include "harness/report/site/case_json.h"
#include "harness/report/site/site_links.h"
#include "harness/report/stored/alert_texts.h"
#include "harness/stats/base/robust.h"
#include "harness/stats/history/change_points.h"

namespace nsop::report {
namespace {

constexpr size_t kMostGains = 10;
constexpr int64_t kDay = 24 * 60 * 60;
constexpr int64_t kStaleDays = 30;
// A machine is said to be noisy beyond: SD of a row's invocations (median of the rows), share of
// interrupted repetitions, CPU time taken by others.
constexpr double kMostSd = 0.05, kMostPreempted = 0.5, kMostSteal = 5;

int64_t seconds_of(const std::string& utc) { return utc_seconds(utc).value_or(0); }

// Whole days from one time to another; 0 where the second is not later.
int64_t days_between(const std::string& from, const std::string& to) {
  return std::max<int64_t>(0, (seconds_of(to) - seconds_of(from)) / kDay);
}

std::string days_text(int64_t days) {
  return fmt::format("{} day{}", count_text(static_cast<double>(days)), days == 1 ? "" : "s");
}

std::string counted(size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count_text(static_cast<double>(count)), count == 1 ? one : many);
}

// What hosts other than that of `alert` say of its change.
Json other_hosts_json(const judge::HostsOfChange& change, const judge::Alert& alert,
                      const std::map<std::string, Host>& names) {
  Json texts = Json::array();
  for (const judge::OnHost& host : change.hosts) {
    if (host.alert != &alert) texts.push_back(on_host_text(change, host, names));
  }
  return texts;
}

Json alert_json(const judge::HostsOfChange& change, const std::map<std::string, Host>& names,
                const std::string& newest) {
  const judge::Alert& alert = judge::speaker_of(change);
  Json rows = Json::array();
  for (const judge::AlertRow& row : alert.rows) {
    rows.push_back({{"case", row.row.case_text},
                    {"case_id", case_id(row.row.case_text)},
                    {"who", row.row.variant + "@" + row.row.target},
                    {"threads", row.row.threads},
                    {"text", change_text(row)}});
  }
  return {{"id", change.first->id},
          {"state", judge::state_text(alert.state)},
          {"direction", alert.direction},
          {"text", culprit_text(alert)},
          {"host", short_id(alert.host_id)},
          {"opened", alert.opened_utc.substr(0, 10)},
          {"age", days_text(days_between(alert.opened_utc, newest))},
          {"owner", alert.owner},
          {"reason", alert.reason},
          {"first_bad", judge::short_commit(alert.first_bad)},
          {"last_good", judge::short_commit(alert.last_good)},
          {"other_hosts", other_hosts_json(change, alert, names)},
          {"rows", std::move(rows)}};
}

// Those that wait for somebody, one for each change, the oldest first.
std::vector<const judge::HostsOfChange*> waiting(const judge::AcrossHosts& across) {
  std::vector<const judge::HostsOfChange*> out;
  for (const judge::HostsOfChange& change : across.changes) {
    if (judge::is_waiting(judge::speaker_of(change).state)) out.push_back(&change);
  }
  std::stable_sort(out.begin(), out.end(), [](const auto* a, const auto* b) {
    return judge::speaker_of(*a).opened_utc < judge::speaker_of(*b).opened_utc;
  });
  return out;
}

struct Gain {
  double weight = 0;
  const SiteCase* of = nullptr;
  const SiteRow* row = nullptr;
  std::string text;
};

// The largest of each case: its other rows stand on its page.
Json gains_json(std::vector<Gain> gains) {
  std::stable_sort(gains.begin(), gains.end(),
                   [](const Gain& a, const Gain& b) { return a.weight > b.weight; });
  std::set<const SiteCase*> known;
  std::erase_if(gains, [&](const Gain& gain) { return !known.insert(gain.of).second; });
  if (gains.size() > kMostGains) gains.resize(kMostGains);
  Json list = Json::array();
  for (const Gain& gain : gains) {
    list.push_back({{"case_id", gain.of->id},
                    {"row", row_id(*gain.row)},
                    {"title", gain.of->title},
                    {"case", gain.of->text},
                    {"who", who(*gain.row->measured)},
                    {"threads", gain.row->measured->row.threads},
                    {"text", gain.text}});
  }
  return list;
}

// Rows that are slower than the fastest peer, by how much.
std::vector<Gain> against_peers(const std::vector<SiteCase>& cases) {
  std::vector<Gain> gains;
  for (const SiteCase& one : cases) {
    for (const SiteRow& row : one.rows) {
      if (!row.dispatch) continue;
      const Json cell = peer_cell(row);
      if (!cell.is_object() || cell["kind"] != "ratio" || cell["verdict"] != "worse") continue;
      const stats::RowSummary* best = row.shown->context->best_peer(*row.place, row.measured);
      gains.push_back({1 / cell["value"].get<double>(), &one, &row,
                       fmt::format("{} than {}", cell["text"].get<std::string>(),
                                   peer_text(*best, row.place->threads))});
    }
  }
  return gains;
}

// Rows without doubts, by how many times the limit's time they take.
std::vector<Gain> against_limits(const std::vector<SiteCase>& cases) {
  std::vector<Gain> gains;
  for (const SiteCase& one : cases) {
    for (const SiteRow& row : one.rows) {
      const auto recoverable = recoverable_ns(row);
      if (form_of(row.shown->suite).measures_machine) continue;
      if (!row.dispatch || !recoverable || !time_doubts(*row.measured).empty()) continue;
      const double left = row.measured->wall_ns - *recoverable;
      if (left <= 0) continue;
      gains.push_back({row.measured->wall_ns / left, &one, &row,
                       fmt::format("{}; {} to gain", limit_cell(row)["text"].get<std::string>(),
                                   human_time(*recoverable))});
    }
  }
  return gains;
}

Json stale_json(const ShownSuites& shown, const std::string& newest) {
  Json list = Json::array();
  for (const std::unique_ptr<ShownSuite>& one : shown.suites()) {
    const Run& run = one->run->run;
    const int64_t days = days_between(run.started_utc, newest);
    if (days < kStaleDays || one->suite.name == kOtherRows) continue;
    list.push_back({{"suite", one->suite.name},
                    {"host", short_id(run.host_id)},
                    {"text", fmt::format("measured on {}, {} before the newest run",
                                         run.started_utc.substr(0, 10), days_text(days))}});
  }
  return list;
}

Json hosts_json(const FrontSource& source) {
  Json list = Json::array();
  for (const Host& host : source.hosts) {
    size_t runs = 0;
    std::string newest;
    for (const store::RunSummary& one : source.runs) {
      if (one.run.host_id != host.id) continue;
      ++runs;
      newest = std::max(newest, one.run.started_utc);
    }
    list.push_back({{"id", short_id(host.id)},
                    {"name", host.cpu_model},
                    {"cpus", host.threads},
                    {"hypervisor", host.hypervisor},
                    {"runs", runs},
                    {"newest", newest.substr(0, 10)}});
  }
  return list;
}

std::string commits_text(const std::vector<std::string>& commits) {
  std::vector<std::string> shorts;
  for (const std::string& commit : commits) shorts.push_back(judge::short_commit(commit));
  return join(shorts, ", ");
}

Json runs_json(const FrontSource& source) {
  std::map<std::string, std::vector<std::string>> suites;  // of the runs that show any
  for (const std::unique_ptr<ShownSuite>& one : source.shown.suites()) {
    suites[one->run->run.id].push_back(one->suite.name);
  }
  Json list = Json::array();
  for (const store::RunSummary& one : source.runs) {
    list.push_back({{"id", short_id(one.run.id)},
                    {"host", short_id(one.run.host_id)},
                    {"commit", commits_text(one.commits)},
                    {"utc", minute_text(one.run.started_utc)},
                    {"origin", one.run.origin},
                    {"trust", one.run.trust},
                    {"profile", one.run.profile},
                    {"suites", suites[one.run.id]},
                    {"ok", one.ok},
                    {"not_ok", one.not_ok}});
  }
  return list;
}

// What stands behind "no regression is open".
std::string known_text(const FrontSource& source) {
  const std::string looked_at = fmt::format(
      "{} of {} of ours {} the {} runs from which changes are looked for",
      count_text(static_cast<double>(source.looked_at)), counted(source.rows, "row", "rows"),
      source.looked_at == 1 ? "has" : "have", stats::ChangePolicy().fewest);
  if (source.unfinished.empty()) return looked_at + ".";
  return fmt::format("{}; a run of {} is not complete.", looked_at,
                     source.unfinished.substr(0, 10));
}

Json nightly_json(const FrontSource& source,
                  const std::vector<const judge::HostsOfChange*>& alerts) {
  if (source.newest.empty()) return {{"verdict", "none"}, {"text", "Nothing was measured yet."}};
  const auto open = static_cast<size_t>(
      std::count_if(alerts.begin(), alerts.end(), [](const judge::HostsOfChange* change) {
        const judge::Alert& alert = judge::speaker_of(*change);
        return alert.state == judge::AlertState::kOpen && alert.direction == "worse";
      }));
  const std::string when = fmt::format("The newest run is of {}", source.newest.substr(0, 10));
  if (open > 0) {
    return {{"verdict", "worse"},
            {"text",
             fmt::format("{}; {} open.", when, counted(open, "regression is", "regressions are"))}};
  }
  const std::string waits =
      alerts.empty()
          ? ""
          : fmt::format(", {} for an answer", counted(alerts.size(), "alert waits", "alerts wait"));
  const bool knows = source.unfinished.empty() && source.looked_at > 0;
  return {
      {"verdict", waits.empty() && knows ? "passed" : "inconclusive"},
      {"text", fmt::format("{}; no regression is open{}. {}", when, waits, known_text(source))}};
}

std::vector<std::string> conclusions_of(const FrontSource& source, size_t slower) {
  size_t rows = 0, ours = 0, failed = 0, doubtful = 0;
  for (const SiteCase& one : source.cases) {
    for (const SiteRow& row : one.rows) {
      ++rows;
      ours += row.ours ? 1 : 0;
      if (!row.ours) continue;
      const Status status = row.measured->status;
      failed += status != Status::kOk && status != Status::kUnsupported ? 1 : 0;
      doubtful += time_doubts(*row.measured).empty() ? 0 : 1;
    }
  }
  if (rows == 0) return {"No run is shown: the store has none, or none that was asked for."};
  std::vector<std::string> out = {fmt::format(
      "{} of {} on {}: {} of our own, {} of other libraries and of what they are compared with.",
      counted(rows, "row", "rows"), counted(source.cases.size(), "case", "cases"),
      counted(source.hosts.size(), "machine", "machines"), count_text(static_cast<double>(ours)),
      count_text(static_cast<double>(rows - ours)))};
  out.push_back(fmt::format("{} of ours {} slower than the fastest other library that was there.",
                            counted(slower, "row", "rows"), slower == 1 ? "is" : "are"));
  if (doubtful > 0) {
    out.push_back(fmt::format("{} of ours {} in doubt.", counted(doubtful, "time", "times"),
                              doubtful == 1 ? "is" : "are"));
  }
  if (failed > 0) {
    out.push_back(fmt::format("{} of ours failed.", counted(failed, "row", "rows")));
  }
  return out;
}

}  // namespace

Json health_json(const ShownSuites& shown) {
  std::map<std::string, const RunData*> newest;  // by host
  for (const std::unique_ptr<ShownSuite>& one : shown.suites()) {
    const RunData*& kept = newest[one->run->run.host_id];
    if (kept == nullptr || kept->run.started_utc < one->run->run.started_utc) kept = one->run;
  }
  Json list = Json::array();
  for (const auto& [host_id, run] : newest) {
    std::vector<double> sds, preempted;
    for (const stats::RowSummary& row : run->rows) {
      if (!usable(&row)) continue;
      sds.push_back(row.relative_sd);
      preempted.push_back(row.preempted_share);
    }
    if (sds.empty()) {
      list.push_back({{"host", short_id(host_id)},
                      {"state", "warn"},
                      {"text", "No row of its newest run has a time."}});
      continue;
    }
    const double sd = stats::median(sds), share = stats::median(preempted);
    const double steal = run->run.conditions.steal_percent;
    const bool noisy = sd > kMostSd || share > kMostPreempted || steal > kMostSteal;
    list.push_back(
        {{"host", short_id(host_id)},
         {"state", noisy ? "warn" : "ok"},
         {"text",
          fmt::format("{}: invocations of a row differ by an SD of {} (median), {} of the "
                      "repetitions were interrupted, {} of the CPU time was taken by others, load "
                      "{:.1f} at the start.",
                      run->host.cpu_model, share_text(sd), share_text(share),
                      share_text(steal / 100), run->run.conditions.load1)}});
  }
  return list;
}

Json front_json(const FrontSource& source) {
  const std::string& newest = source.newest;
  const std::vector<const judge::HostsOfChange*> alerts = waiting(source.across);
  const std::vector<Gain> slower = against_peers(source.cases);
  Json json;
  json["newest"] = newest.empty() ? "" : minute_text(newest) + " UTC";
  json["conclusions"] = conclusions_of(source, slower.size());
  json["nightly"] = nightly_json(source, alerts);
  json["alerts"] = Json::array();
  for (const judge::HostsOfChange* change : alerts) {
    json["alerts"].push_back(alert_json(*change, source.across.hosts, newest));
  }
  json["gains_peers"] = gains_json(slower);
  json["gains_limit"] = gains_json(against_limits(source.cases));
  json["stale"] = stale_json(source.shown, newest);
  json["health"] = health_json(source.shown);
  json["hosts"] = hosts_json(source);
  json["runs"] = runs_json(source);
  return json;
}

}  // namespace nsop::report
