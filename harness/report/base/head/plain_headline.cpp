#include "harness/report/base/head/plain_headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "harness/core/text.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/data/machine_shift.h"
#include "harness/report/base/footer.h"
#include "harness/report/base/format.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;

std::string build_type_in(const RunData& data, const Summary& row) {
  const auto at = std::find_if(data.builds.begin(), data.builds.end(),
                               [&](const Build& build) { return build.id == row.build_id; });
  return at == data.builds.end() ? "" : at->build_type;
}

// The row of the oldest release that measured the same work on this machine; nullptr: none did.
const Summary* oldest_of(const Context& context, const Summary& now) {
  const RunData& own = context.current();
  for (const Release& release : context.releases()) {
    if (!release.measured() || release.data.run.id == own.run.id) continue;
    if (release.data.host.id != own.host.id) continue;
    for (const Summary& row : release.data.rows) {
      const bool same = row.row == now.row && row.inputs_sha256 == now.inputs_sha256 &&
                        build_type_in(release.data, row) == build_type_in(own, now);
      if (same && usable(&row)) return &row;
    }
  }
  return nullptr;
}

// A row of this run against the first that measured it.
struct Since {
  std::string name;
  stats::Comparison compared;
  double by() const { return std::abs(std::log(compared.ratio)); }
};

std::vector<Since> since_first(const Context& context) {
  std::vector<Since> out;
  std::set<const Summary*> seen;
  for (const CaseRow& row : context.rows()) {
    for (const Selector& selector : context.ours_of(row)) {
      const Summary* now = context.find(row, selector);
      const Summary* first = usable(now) ? oldest_of(context, *now) : nullptr;
      if (first == nullptr || !seen.insert(now).second) continue;
      const auto compared =
          stats::compare_unpaired(*first, *now, context.bound(row.text), context.policy());
      out.push_back({context.own_name(row, selector), beside_machine(compared, std::nullopt)});
    }
  }
  return out;
}

// `since the first: 2 better, ... of 9 rows (DQN, batched 28.8 % less time; ...)`, the most changed
// of the certain changes.
std::string since_text(const Context& context) {
  constexpr size_t kShown = 3;
  using stats::Verdict;
  std::vector<Since> rows = since_first(context);
  if (rows.empty()) return "";
  const size_t all = rows.size();
  std::map<Verdict, size_t> counts;
  for (const Since& one : rows) ++counts[one.compared.verdict];
  std::erase_if(rows, [](const Since& one) {
    return one.compared.verdict != Verdict::kBetter && one.compared.verdict != Verdict::kWorse;
  });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Since& a, const Since& b) { return a.by() > b.by(); });
  std::vector<std::string> parts;
  for (const Since& one : std::span(rows).first(std::min(kShown, rows.size()))) {
    parts.push_back(one.name + " " + speed_text(1 / one.compared.ratio));
  }
  return fmt::format(
      "; since the first of each row: {} better, {} worse, {} the same, {} "
      "inconclusive of {}{}",
      counts[Verdict::kBetter], counts[Verdict::kWorse], counts[Verdict::kSame],
      all - counts[Verdict::kBetter] - counts[Verdict::kWorse] - counts[Verdict::kSame],
      counted_rows(all), parts.empty() ? "" : " (" + join(parts, "; ") + ")");
}

std::string measurements_text(const Context& context) {
  std::vector<const Summary*> all = context.shown();
  std::erase_if(all, [](const Summary* row) { return row->status == Status::kUnsupported; });
  const auto timed = std::count_if(all.begin(), all.end(), usable);
  return fmt::format("{} of {} measurement{} with a time", timed, all.size(),
                     all.size() == 1 ? "" : "s");
}

// `5 releases from 0.1.0 to 0.5.0 and this run`
std::string releases_text(std::vector<std::string> names) {
  const bool own = names.back() == "this run";
  if (own) names.pop_back();
  const std::string range =
      names.size() == 1
          ? "1 release, " + names.front()
          : fmt::format("{} releases from {} to {}", names.size(), names.front(), names.back());
  return range + (own ? " and this run" : "");
}

}  // namespace

std::string plain_headline(const Context& context, const std::string& answer) {
  const std::string measurements = measurements_text(context);
  std::vector<std::string> releases, unmeasured;
  for (const Release& release : context.releases()) {
    (release.measured() ? releases : unmeasured).push_back(release.name);
  }
  if (releases.empty()) return answer.empty() ? measurements : answer + "; " + measurements;
  std::string text =
      releases.size() == 1
          ? "No release before was measured on this host; " + measurements
          : releases_text(releases) + since_text(context) + "; this run: " + measurements;
  if (!unmeasured.empty()) text += "; not measured here: " + join(unmeasured, ", ");
  return text;
}

}  // namespace nsop::report
