#include "harness/judge/history/commit_order.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/judge/builds/command.h"
#include "harness/judge/builds/commits.h"

namespace nsop::judge {
namespace {

bool is_commit_name(const std::string& text) {
  return text.size() >= 40 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

CommitOrder::CommitOrder(BuildPlace place, const std::string& head,
                         const std::set<std::string>& commits)
    : place_(std::move(place)) {
  const CommandResult line =
      git(place_, {"rev-list", "--topo-order", "--end-of-options", head + "^{commit}", "--"});
  if (line.status != 0) throw environment_error("git rev-list: " + trim(line.output));
  for (const std::string& commit : split(trim(line.output), '\n')) {
    if (head_.empty()) head_ = trim(commit);
    places_.emplace(trim(commit), places_.size());
  }
  std::string ask;
  for (const std::string& commit : commits) {
    if (is_commit_name(commit) && !places_.contains(commit)) ask += commit + "\n";
  }
  if (ask.empty()) return;
  // rev-list looks for each commit that isn't there in all packs again: 20 ms for 500.
  const CommandResult there = git(place_, {"cat-file", "--batch-check", "--buffer"}, ask);
  if (there.status != 0) return;                                // it can't tell which it has
  for (const std::string& found : split(there.output, '\n')) {  // `NAME commit 243`, `NAME missing`
    const size_t end = found.find(" commit ");
    if (end != std::string::npos) foreign_.insert(found.substr(0, end));
  }
}

bool CommitOrder::is_foreign(const std::string& commit) const { return foreign_.contains(commit); }

bool CommitOrder::is_before(const std::string& a, const std::string& b) {
  const auto one = places_.find(a), other = places_.find(b);
  // Children come first: only what comes later may be an ancestor.
  if (one == places_.end() || other == places_.end() || one->second <= other->second) return false;
  const auto [it, fresh] = before_.try_emplace({a, b});
  if (fresh) it->second = is_ancestor(place_, a, b);
  return it->second;
}

std::optional<size_t> CommitOrder::place(const std::string& commit) const {
  const auto found = places_.find(commit);
  if (found == places_.end()) return std::nullopt;
  return found->second;
}

std::vector<Strayed> strayed(const Line& line, CommitOrder& order) {
  std::vector<Strayed> all;
  all.reserve(line.size());
  SharedText latest;
  for (const Point& point : line) {
    if (order.is_foreign(point.commit)) {
      all.push_back(Strayed::kBranch);
    } else if (point.backfilled && !order.place(point.commit)) {
      all.push_back(Strayed::kNowhere);
    } else if (order.is_before(point.commit, latest)) {
      all.push_back(Strayed::kLate);
    } else {
      all.push_back(Strayed::kNo);
      latest = point.commit;
    }
  }
  return all;
}

void place_backfilled(Line& line, const CommitOrder& order) {
  if (std::ranges::none_of(line, &Point::backfilled)) return;
  Line nights, later;
  for (Point& point : line) {
    (point.backfilled && order.place(point.commit) ? later : nights).push_back(std::move(point));
  }
  std::stable_sort(later.begin(), later.end(), [&](const Point& a, const Point& b) {
    return *order.place(a.commit) > *order.place(b.commit);
  });
  line.clear();
  auto next = later.begin();
  for (Point& night : nights) {
    const std::optional<size_t> own = order.place(night.commit);
    const auto comes_first = [&](const Point& point) {
      const size_t place = *order.place(point.commit);
      return place > *own || (place == *own && point.started_utc <= night.started_utc);
    };
    while (own && next != later.end() && comes_first(*next)) line.push_back(std::move(*next++));
    line.push_back(std::move(night));
  }
  line.insert(line.end(), std::make_move_iterator(next), std::make_move_iterator(later.end()));
}

std::set<std::string> keep_followed(Line& line, CommitOrder& order) {
  place_backfilled(line, order);
  const std::vector<Strayed> off = strayed(line, order);
  std::set<std::string> dropped;
  if (std::ranges::all_of(off, [](Strayed why) { return why == Strayed::kNo; })) return dropped;
  Line kept;
  for (size_t i = 0; i < line.size(); ++i) {
    if (off[i] == Strayed::kNo) {
      kept.push_back(std::move(line[i]));
    } else {
      dropped.insert(line[i].run_id);
    }
  }
  line = std::move(kept);
  return dropped;
}

}  // namespace nsop::judge
