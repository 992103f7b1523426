#include "harness/cli/text/check_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/cli/session.h"
#include "harness/cli/text/alert_output.h"
#include "harness/cli/text/table.h"
#include "harness/core/io/json.h"
#include "harness/core/text.h"
#include "harness/judge/builds/commits.h"

namespace nsop::cli {
namespace {

using judge::Alert;
using judge::AlertState;
using judge::CheckReport;

bool is_new(const CheckReport& report, const std::string& id) {
  return std::any_of(report.follow_up.found.begin(), report.follow_up.found.end(),
                     [&](const Alert& a) { return a.id == id; });
}

std::vector<Alert> found_as(const CheckReport& report, AlertState state) {
  std::vector<Alert> list;
  for (const Alert& alert : report.follow_up.found) {
    if (alert.state == state) list.push_back(alert);
  }
  return list;
}

Json suspect_json(const judge::Suspect& s) {
  return {{"case", s.row.case_text},   {"variant", s.row.variant},
          {"target", s.row.target},    {"threads", s.row.threads},
          {"kind", kind_text(s.kind)}, {"direction", s.worse ? "worse" : "better"},
          {"ratio", s.ratio},          {"why", s.why}};
}

Json alerts_json(const CheckReport& report, const std::vector<Alert>& alerts) {
  Json list = Json::array();
  for (const Alert& alert : alerts) {
    Json one = alert_json(alert);
    one["new"] = is_new(report, alert.id);
    list.push_back(std::move(one));
  }
  return list;
}

Json report_json(const CheckReport& report) {
  Json suspects = Json::array(), unresolved = Json::array();
  for (const judge::Suspect& s : report.suspects) suspects.push_back(suspect_json(s));
  for (const judge::Unresolved& u : report.follow_up.unresolved) {
    Json one = suspect_json(u.suspect);
    one["reason"] = u.reason;
    unresolved.push_back(std::move(one));
  }
  return {{"schema", "nsop.check/1"},
          {"run", report.run_id},
          {"commit", report.commit},
          {"host", report.host_id},
          {"rows", report.rows},
          {"judged", report.judged},
          {"wrong", report.wrong},
          {"failing", report.failing},
          {"gone", report.gone},
          {"suspects", std::move(suspects)},
          {"open", alerts_json(report, report.open)},
          {"declared", alerts_json(report, found_as(report, AlertState::kAccepted))},
          {"improvements", alerts_json(report, found_as(report, AlertState::kNoted))},
          {"noise", alerts_json(report, found_as(report, AlertState::kNoise))},
          {"closed", alerts_json(report, report.closed)},
          {"unresolved", std::move(unresolved)}};
}

// Those of the alerts.
std::vector<judge::HostsOfChange> changes_of(const std::vector<Alert>& alerts,
                                             const judge::AcrossHosts& across) {
  std::vector<judge::HostsOfChange> changes;
  for (const judge::HostsOfChange& change : across.changes) {
    const bool is_asked =
        std::any_of(change.hosts.begin(), change.hosts.end(), [&](const judge::OnHost& host) {
          return host.alert != nullptr &&
                 std::any_of(alerts.begin(), alerts.end(),
                             [&](const Alert& alert) { return alert.id == host.alert->id; });
        });
    if (is_asked) changes.push_back(change);
  }
  return changes;
}

void print_list(Context& context, const char* title, const std::vector<Alert>& alerts) {
  if (alerts.empty()) return;
  context.out << title << '\n';
  print_alerts(context, alerts);
}

void print_suspects(Context& context, const CheckReport& report) {
  if (!report.confirmed) {
    for (const judge::Suspect& s : report.suspects) {
      context.out << fmt::format("suspect: {}: {} (not measured again)\n", printable(s.row.text()),
                                 s.why);
    }
  }
  for (const judge::Unresolved& u : report.follow_up.unresolved) {
    context.out << fmt::format("inconclusive: {}: {}; {}\n", printable(u.suspect.row.text()),
                               u.suspect.why, printable(u.reason));
  }
}

}  // namespace

ExitCode show_check(Context& context, const CheckReport& report, const judge::AcrossHosts& across) {
  const std::vector<judge::HostsOfChange> changes = changes_of(report.open, across);
  if (context.json) {
    Json said = report_json(report);
    said["changes"] = changes_json(changes);
    context.out << said.dump(2) << '\n';
    return judge::exit_of(report);
  }
  for (const std::string& row : report.wrong) {
    context.out << fmt::format("wrong result: {}\n", printable(row));
  }
  for (const std::string& row : report.failing) {
    context.out << fmt::format("fails, and never worked here: {}\n", printable(row));
  }
  for (const std::string& row : report.gone) {
    context.out << fmt::format("not measured any more: {}\n", printable(row));
  }
  if (!changes.empty()) {
    context.out << "open regressions:\n";
    print_changes(context, changes, across.hosts);
  }
  print_list(context, "declared in nsop-known.toml:", found_as(report, AlertState::kAccepted));
  print_list(context, "improvements:", found_as(report, AlertState::kNoted));
  print_list(context, "measured again and not confirmed:", found_as(report, AlertState::kNoise));
  print_list(context, "closed:", report.closed);
  print_suspects(context, report);
  const size_t fresh =
      static_cast<size_t>(std::count_if(report.open.begin(), report.open.end(),
                                        [&](const Alert& a) { return is_new(report, a.id); }));
  context.out << fmt::format(
      "run {} of commit {}: {} rows, {} with a history that can be judged; {} suspects, {} open "
      "regressions ({} new), {} inconclusive\n",
      short_id(report.run_id), judge::short_commit(report.commit), report.rows, report.judged,
      report.suspects.size(), report.open.size(), fresh, report.follow_up.unresolved.size());
  if (report.judged == 0) {
    context.out << fmt::format("no row has {} runs on this host yet: nothing was judged\n",
                               stats::ChangePolicy().fewest);
  }
  return judge::exit_of(report);
}

}  // namespace nsop::cli
