#include "harness/report/base/head/tally.h"

#include <fmt/format.h>

#include <set>

#include "harness/core/text.h"
#include "harness/report/base/footer.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;
using stats::Verdict;

void add_row(const Context& context, const CaseRow& row, Tally& tally) {
  if (!row.from->shortcut.empty()) {
    ++tally.shortcuts;
    return;
  }
  if (context.is_alone(row)) return;
  ++tally.rows;
  const Summary* ours = context.find(row, context.suite().after);
  const Summary* other = context.rival(row);
  const auto cannot = [](const Summary* one) {
    return one != nullptr && one->status == Status::kUnsupported;
  };
  if (ours != nullptr && !usable(ours)) {  // no peer could say more
    ++(cannot(ours) ? tally.cannot : tally.without);
    return;
  }
  const std::vector<MissingPeer> missing = context.missing_peers(row);
  tally.missing.insert(tally.missing.end(), missing.begin(), missing.end());
  const bool both = usable(ours) && usable(other);
  const stats::Comparison compared = both ? context.paired(*other, *ours) : stats::Comparison{};
  if (!missing.empty() && !(both && compared.verdict == Verdict::kWorse)) {
    ++tally.unjudged;
  } else if (!both) {
    const bool none_can = context.has_peers() ? other == nullptr : cannot(other);
    ++(usable(ours) && none_can ? tally.cannot : tally.without);
  } else {
    ++tally.verdicts[compared.verdict];
    tally.judged.push_back({&row, ours, other, compared});
  }
}

}  // namespace

Tally tally_of(const Context& context) {
  Tally tally;
  std::set<std::pair<std::string, int>> seen;  // a case may stand in several sections
  for (const CaseRow& row : context.rows()) {
    if (seen.emplace(row.text, row.threads).second) add_row(context, row, tally);
  }
  return tally;
}

std::string missing_text_of(const Tally& tally) {
  std::map<MissingPeer, size_t> counts;
  for (const MissingPeer& one : tally.missing) ++counts[one];
  std::vector<MissingPeer> said;
  for (const auto& [one, count] : counts) {
    const std::string in = one.why == kNotThere ? "" : " in " + counted_rows(count);
    said.push_back({one.peer, one.why + in});
  }
  return missing_text(said);
}

std::string rival_text(const Context& context) {
  return context.has_peers() ? "another library" : role_text(context.suite().before);
}

std::string why_none_judged(const Tally& tally) {
  std::vector<std::string> parts;
  if (!tally.missing.empty()) parts.push_back(missing_text_of(tally));
  const auto add = [&](int count, const char* what) {
    if (count > 0) parts.push_back(counted_rows(static_cast<size_t>(count)) + " " + what);
  };
  add(tally.without, "without a time");
  add(tally.cannot, "that not both can do");
  return parts.empty() ? "the suite compares none" : join(parts, "; ");
}

}  // namespace nsop::report
