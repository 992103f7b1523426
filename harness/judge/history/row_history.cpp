#include "harness/judge/history/row_history.h"

#include <fmt/format.h>

#include "harness/core/case.h"
#include "harness/core/error.h"
#include "harness/core/suite/selector.h"
#include "harness/core/text.h"
#include "harness/judge/builds/commits.h"

namespace nsop::judge {
namespace {

constexpr std::string_view kNowhere = "backfilled, and its commit's place isn't known";

bool selected(const RowKey& row, const RowPattern& o) {
  if (o.threads != 0 && row.threads != o.threads) return false;
  if (!o.variant.empty()) {
    const Selector wanted = Selector::parse(o.variant);
    if (wanted.variant != row.variant) return false;
    if (wanted.target != "best" && wanted.target != row.target) return false;
  }
  return row.case_text == o.cases || case_matches(row.case_text, o.cases);
}

// No row of this host fits: other hosts may have one.
[[noreturn]] void throw_nothing(const RowPattern& o, const Past& past, const std::string& host_id) {
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
  const auto hit = nearest(o.cases, cases);
  throw usage_error(fmt::format("'{}': no run of host {} has such a row{}", o.cases,
                                short_id(host_id),
                                !others.empty() ? "; --host: " + join(others, ", ")
                                : hit           ? fmt::format("; did you mean '{}'?", *hit)
                                                : "; `nsop list cases` shows cases"));
}

// Why each point of a line is left out; `order` is null where no commits are followed.
std::vector<std::string_view> reasons_left_out(const Line& line, CommitOrder* order,
                                               const std::string& now) {
  std::vector<std::string_view> reasons(line.size());
  if (order != nullptr) {
    const std::vector<Strayed> off = strayed(line, *order);
    for (size_t i = 0; i < line.size(); ++i) {
      if (off[i] == Strayed::kBranch) reasons[i] = "of another branch";
      if (off[i] == Strayed::kLate) reasons[i] = "measured after later commits";
      if (off[i] == Strayed::kNowhere) reasons[i] = kNowhere;
    }
  } else {
    for (size_t i = 0; i < line.size(); ++i) {
      if (line[i].backfilled) reasons[i] = kNowhere;
    }
  }
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i].started_utc > now) reasons[i] = "later than now";  // the clock was wrong then
  }
  return reasons;
}

// Changes among the points that count.
void find_changes(RowHistory& h) {
  Usable usable;
  for (size_t i = 0; i < h.line.size(); ++i) {
    if (!h.left_out[i].empty() || !(h.line[i].ns > 0)) continue;
    usable.points.push_back({h.line[i].ns, h.line[i].segment});
    usable.index.push_back(i);
  }
  h.changes = stats::change_points(usable.points, {});
  for (stats::ChangePoint& change : h.changes) change.index = usable.index[change.index];
}

}  // namespace

std::vector<std::string> hosts_with(const Past& past, const RowPattern& pattern) {
  std::vector<std::string> found;
  for (const auto& [id, host] : past.hosts()) {
    const std::vector<RowKey> rows = past.rows(id);
    const bool has = std::any_of(rows.begin(), rows.end(), [&, &id = id](const RowKey& row) {
      return selected(row, pattern) && !past.line(row, id).empty();
    });
    if (has) found.push_back(id);
  }
  return found;
}

void each_history(const Past& past, const RowPattern& o, const std::string& host_id,
                  const std::function<void(RowHistory&&)>& use) {
  bool found = false;
  for (const RowKey& row : past.rows(host_id)) {
    if (!selected(row, o)) continue;
    RowHistory one{row, past.line(row, host_id), {}, {}};
    if (one.line.empty()) continue;
    found = true;
    use(std::move(one));
  }
  if (!found) throw_nothing(o, past, host_id);
}

FollowedBranch::FollowedBranch(const BuildPlace& place, const std::string& revision,
                               const std::string& now, const std::set<std::string>& commits)
    : revision_(revision), now_(now) {
  try {
    order_.emplace(place, revision, commits);
  } catch (const Error&) {
    if (revision == "HEAD" && !known_commit(place, revision)) return;
    commit_of(place, revision);  // says why not
    throw;
  }
  head_ = order_->head();
}

void FollowedBranch::follow(RowHistory& h) {
  if (order_) place_backfilled(h.line, *order_);
  h.left_out = reasons_left_out(h.line, order_ ? &*order_ : nullptr, now_);
  for (size_t i = 0; i < h.line.size(); ++i) {
    const bool late = h.line[i].started_utc > now_;
    if (!late && !h.left_out[i].empty()) runs_.insert(h.line[i].run_id);
  }
  find_changes(h);
}

std::string FollowedBranch::left_out() const {
  if (runs_.empty()) return "";
  return fmt::format(
      "{} run{} left out: not on the way to {} ({}), or measured after later commits; --branch "
      "follows another line",
      runs_.size(), runs_.size() == 1 ? " is" : "s are", revision_, short_commit(head_));
}

}  // namespace nsop::judge
