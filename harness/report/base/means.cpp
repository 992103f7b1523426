#include "harness/report/base/means.h"

#include <cmath>
#include <functional>
#include <set>

#include "harness/report/base/cells.h"
#include "harness/report/base/plots/roofline.h"
#include "harness/report/base/table.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;
// The row of the other side.
using Other = std::function<const Summary*(const CaseRow&)>;

struct Compared {
  std::string label;
  Other other;
};

struct Mean {
  int rows = 0;       // that the report has
  int attempted = 0;  // of those, by the other side
  int matched = 0;
  double log_speed = 0;  // sum over the matched ones
};

Mean mean_of(const Context& context, const Compared& against, int threads) {
  Mean mean;
  std::set<std::string> seen;  // a case may stand in several sections
  for (const CaseRow& row : context.rows()) {
    if (row.threads != threads || !seen.insert(row.text).second) continue;
    ++mean.rows;
    const Summary* ours = context.find(row, context.suite().after);
    const Summary* theirs = against.other(row);
    if (theirs != nullptr) ++mean.attempted;
    if (!usable(ours) || !usable(theirs)) continue;
    const double ratio = context.paired(*theirs, *ours).ratio;
    if (!std::isfinite(ratio) || ratio <= 0) continue;
    ++mean.matched;
    mean.log_speed -= std::log(ratio);
  }
  return mean;
}

std::vector<Compared> all_sides(const Context& context) {
  std::vector<Compared> out;
  const auto add = [&](const std::string& label, const Selector& selector) {
    out.push_back(
        {label, [&context, selector](const CaseRow& row) { return context.find(row, selector); }});
  };
  if (!context.plain_peers().empty()) {
    out.push_back({"best peer of each row",
                   [&context](const CaseRow& row) { return context.best_peer(row); }});
  }
  for (const Selector& peer : context.plain_peers()) add(peer.variant, peer);
  for (const Selector& peer : context.layout_peers()) {
    add(peer.variant + " (library layout)", peer);
  }
  const Selector& before = context.suite().before;
  if (!before.variant.empty()) add(role_text(before), before);
  return out;
}

Json mean_row(const Compared& against, int threads, const Mean& mean) {
  Json row;
  row["label"] = against.label;
  row["case"] = "";
  row["threads"] = threads;
  row["repro"] = Json::array();
  row["notes"] = Json::array();
  row["cells"] = {text_cell(against.label), count_cell(threads),
                  mean.matched > 0 ? plain_ratio_cell(std::exp(mean.log_speed / mean.matched))
                                   : missing_cell("n/a"),
                  count_cell(mean.matched), count_cell(mean.rows)};
  return row;
}

}  // namespace

Json means_section(const Context& context) {
  std::set<int> thread_counts;
  for (const CaseRow& row : context.rows()) thread_counts.insert(row.threads);
  const std::string role = context.suite().after.variant;
  Json table = make_table("",
                          {{"against", "Against", "left", {}},
                           {"threads", "Threads", "right", {}},
                           {"mean", role + ", geometric mean", "right", {}},
                           {"matched", "Rows that both have", "right", {}},
                           {"rows", "Rows", "right", {}}},
                          {});
  for (const int threads : thread_counts) {
    for (const Compared& against : all_sides(context)) {
      const Mean mean = mean_of(context, against, threads);
      if (mean.attempted > 0) table["rows"].push_back(mean_row(against, threads, mean));
    }
  }
  if (table["rows"].empty()) return nullptr;
  Json section;
  section["title"] = "Geometric means";
  section["summary"] = true;
  section["notes"] = Json::array();
  section["tables"] = {table};
  section["plots"] = Json::array();
  for (const int threads : thread_counts) {
    Json plot = roofline_plot(context, threads);
    if (!plot.is_null()) section["plots"].push_back(std::move(plot));
  }
  return section;
}

}  // namespace nsop::report
