// nsop history: what every run of a host said of a case, and where its level changed.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "harness/cli/history_output.h"
#include "harness/cli/past.h"
#include "harness/core/identity.h"
#include "harness/core/text.h"
#include "harness/judge/builds/commits.h"
#include "harness/judge/nightly/commit_order.h"

namespace nsop::cli {
namespace {

struct HistoryOptions {
  std::string pattern, variant, host, folder, branch = "HEAD";
  int threads = 0, last = 60;
};

void declare_history(CLI::App& verb, HistoryOptions& o) {
  verb.add_option("case", o.pattern, "Case or pattern, e.g. 'tanh pass=forward n=*'")->required();
  verb.add_option("--variant", o.variant, "Only this one, e.g. hwy or hwy@AVX2");
  verb.add_option("--threads", o.threads, "Only this number of threads")
      ->check(CLI::Range(1, 4096));
  verb.add_option("--host", o.host, "Start of a host's id (default: this one)");
  verb.add_option("--history", o.folder, "Folder of files that `nsop check --history` wrote");
  verb.add_option("--branch", o.branch,
                  "Revision whose line of commits is followed; other nights are marked (HEAD)");
  verb.add_option("--last", o.last, "Newest points that are shown (60)")
      ->check(CLI::Range(1, 100000));
}

bool selected(const RowKey& row, const HistoryOptions& o) {
  if (o.threads != 0 && row.threads != o.threads) return false;
  if (!o.variant.empty()) {
    const Selector wanted = Selector::parse(o.variant);
    if (wanted.variant != row.variant) return false;
    if (wanted.target != "best" && wanted.target != row.target) return false;
  }
  return row.case_text == o.pattern || case_matches(row.case_text, o.pattern);
}

// No row of this host fits: other hosts may have one.
[[noreturn]] void throw_nothing(const HistoryOptions& o, const Past& past,
                                const std::string& host_id) {
  std::vector<std::string> cases, others;
  for (const auto& [id, host] : past.hosts()) {
    if (id == host_id) continue;
    for (const RowKey& row : past.rows(id)) {
      if (!selected(row, o) || past.line(row, id).empty()) continue;
      others.push_back(fmt::format("{} ({})", short_id(id), host.cpu_model));
      break;
    }
  }
  for (const RowKey& row : past.rows(host_id)) cases.push_back(row.case_text);
  const auto hit = nearest(o.pattern, cases);
  throw usage_error(fmt::format("'{}': no run of host {} has such a row{}", o.pattern,
                                short_id(host_id),
                                !others.empty() ? "; --host: " + join(others, ", ")
                                : hit           ? fmt::format("; did you mean '{}'?", *hit)
                                                : "; `nsop list cases` shows cases"));
}

// Why each point of a line is left out; `order` is null where no commits are followed.
std::vector<std::string> reasons_left_out(const judge::Line& line, judge::CommitOrder* order,
                                          const std::string& now) {
  std::vector<std::string> reasons(line.size());
  if (order != nullptr) {
    const std::vector<judge::Strayed> off = judge::strayed(line, *order);
    for (size_t i = 0; i < line.size(); ++i) {
      if (off[i] == judge::Strayed::kBranch) reasons[i] = "of another branch";
      if (off[i] == judge::Strayed::kLate) reasons[i] = "measured after later commits";
    }
  }
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i].started_utc > now) reasons[i] = "later than now";  // the clock was wrong then
  }
  return reasons;
}

// Changes among the points that count.
void find_changes(RowHistory& h) {
  judge::Line counted;
  std::vector<size_t> places;
  for (size_t i = 0; i < h.line.size(); ++i) {
    if (!h.left_out[i].empty()) continue;
    counted.push_back(h.line[i]);
    places.push_back(i);
  }
  const judge::Usable usable = judge::usable_points(counted);
  h.changes = stats::change_points(usable.points, {});
  for (stats::ChangePoint& change : h.changes) change.index = places[usable.index[change.index]];
}

std::vector<RowHistory> collect(const Past& past, const HistoryOptions& o,
                                const std::string& host_id) {
  std::vector<RowHistory> found;
  for (const RowKey& row : past.rows(host_id)) {
    if (!selected(row, o)) continue;
    RowHistory one{row, past.line(row, host_id), {}, {}};
    if (!one.line.empty()) found.push_back(std::move(one));
  }
  if (found.empty()) throw_nothing(o, past, host_id);
  return found;
}

// Marks what is no part of the line of commits that is followed, and says so; returns the commit at
// its end, empty where nothing is followed because there is no git.
std::string follow_branch(Context& context, const HistoryOptions& o,
                          std::vector<RowHistory>& rows) {
  const judge::BuildPlace place{context.settings.root, {}};
  const auto here = judge::known_commit(place, o.branch);
  if (!here && o.branch != "HEAD") judge::commit_of(place, o.branch);  // says why not
  std::optional<judge::CommitOrder> order;
  std::set<std::string> commits, runs;
  for (const RowHistory& h : rows) {
    for (const judge::Point& point : h.line) commits.insert(point.commit);
  }
  if (here) order.emplace(place, *here, commits);
  const std::string now = utc_now();
  for (RowHistory& h : rows) {
    h.left_out = reasons_left_out(h.line, order ? &*order : nullptr, now);
    for (size_t i = 0; i < h.line.size(); ++i) {
      const bool late = h.line[i].started_utc > now;
      if (!late && !h.left_out[i].empty()) runs.insert(h.line[i].run_id);
    }
    find_changes(h);
  }
  if (!runs.empty()) {
    context.note(fmt::format(
        "{} run{} left out: not on the way to {} ({}), or measured after later commits; --branch "
        "follows another line",
        runs.size(), runs.size() == 1 ? " is" : "s are", o.branch, judge::short_commit(*here)));
  }
  return here.value_or("");
}

ExitCode history_verb(Context& context, const HistoryOptions& o) {
  const Past past(context.settings, o.folder);
  HistoryView view;
  view.host_id = find_host(past, o.host);
  view.last = static_cast<size_t>(o.last);
  view.rows = collect(past, o, view.host_id);
  view.head = follow_branch(context, o, view.rows);
  return show_history(context, view);
}

}  // namespace

void add_history(CLI::App& app, Context& context) {
  add_verb<HistoryOptions>(app, context, "history", "Show a case over all runs of a host",
                           declare_history, history_verb);
}

}  // namespace nsop::cli
