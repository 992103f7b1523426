#include "harness/report/base/means.h"

#include <cmath>
#include <functional>
#include <set>

#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/report/base/plots/roofline.h"
#include "harness/report/base/table.h"
#include "harness/stats/means.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;
// The row of the other side.
using Other = std::function<const Summary*(const CaseRow&)>;

// The peers that a row lacks for a right comparison.
using Missing = std::function<std::vector<MissingPeer>(const CaseRow&)>;

struct Compared {
  std::string label;
  Other other;
  Missing missing;
};

struct Mean {
  int rows = 0;       // of ours that the report has
  int attempted = 0;  // of those, by the other side
  std::vector<stats::Comparison> matched{};
  std::vector<MissingPeer> missing{};  // whose rows might have made the mean worse
};

Mean mean_of(const Context& context, const Compared& against, int threads) {
  Mean mean;
  std::set<std::string> seen;  // a case may stand in several sections
  for (const CaseRow& row : context.rows()) {
    if (row.threads != threads || !row.from->shortcut.empty()) continue;
    if (!seen.insert(row.text).second) continue;
    const Summary* ours = context.find(row, context.suite().after);
    if (ours != nullptr && ours->status == Status::kUnsupported) continue;  // no row of ours
    ++mean.rows;
    const Summary* theirs = against.other(row);
    if (theirs != nullptr) ++mean.attempted;
    for (MissingPeer& peer : against.missing(row)) mean.missing.push_back(std::move(peer));
    if (!usable(ours) || !usable(theirs)) continue;
    const stats::Comparison compared = context.paired(*theirs, *ours);
    if (std::isfinite(compared.ratio) && compared.ratio > 0) mean.matched.push_back(compared);
  }
  return mean;
}

// Of one peer: its rows that were measured and are wrong or failed. Those that it has not are told
// by the number of rows that both have.
std::vector<MissingPeer> failed_row(const Context& context, const CaseRow& row,
                                    const Selector& peer) {
  const Summary* found = context.find_peer(row, peer);
  const bool measured = found != nullptr && found->status != Status::kUnsupported;
  auto missing = measured ? context.missing_peer(row, peer) : std::nullopt;
  return missing ? std::vector{std::move(*missing)} : std::vector<MissingPeer>{};
}

std::vector<Compared> all_sides(const Context& context) {
  std::vector<Compared> out;
  const auto add_peer = [&](const std::string& label, const Selector& peer) {
    out.push_back(
        {label, [&context, peer](const CaseRow& row) { return context.find_peer(row, peer); },
         [&context, peer](const CaseRow& row) { return failed_row(context, row, peer); }});
  };
  if (!context.plain_peers().empty()) {
    out.push_back({"best peer of each row",
                   [&context](const CaseRow& row) { return context.best_peer(row); },
                   [&context](const CaseRow& row) { return context.missing_peers(row); }});
  }
  for (const Selector& peer : context.plain_peers()) add_peer(peer.variant, peer);
  for (const Selector& peer : context.layout_peers()) {
    add_peer(peer.variant + " (library layout)", peer);
  }
  const Selector& before = context.suite().before;
  if (!before.variant.empty()) {
    out.push_back({role_text(before),
                   [&context, &before](const CaseRow& row) { return context.find(row, before); },
                   [](const CaseRow&) { return std::vector<MissingPeer>{}; }});
  }
  return out;
}

// A mean that a missing, wrong or failed peer could only have made worse is not said.
Json mean_cell(const Mean& mean) {
  if (!mean.missing.empty()) return missing_cell("not judged: " + missing_text(mean.missing));
  if (mean.matched.empty()) return missing_cell("n/a");
  Json out = ratio_cell(stats::geometric_mean(mean.matched));
  out.erase("verdict");  // rows have verdicts
  return out;
}

Json mean_row(const Compared& against, int threads, const Mean& mean) {
  Json row;
  row["label"] = against.label;
  row["case"] = "";
  row["threads"] = threads;
  row["repro"] = Json::array();
  row["notes"] = Json::array();
  row["cells"] = {text_cell(against.label), count_cell(threads), mean_cell(mean),
                  count_cell(static_cast<double>(mean.matched.size())), count_cell(mean.rows)};
  return row;
}

// The rows that are in no mean, each with its reason.
Json shortcut_notes(const Context& context) {
  Json notes = Json::array();
  std::set<const SuiteCase*> seen;
  for (const CaseRow& row : context.rows()) {
    if (row.from->shortcut.empty() || !seen.insert(row.from).second) continue;
    notes.push_back("Not in the means: " + row.name() + ". " + one_line(row.from->shortcut));
  }
  return notes;
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
  section["notes"] = shortcut_notes(context);
  section["tables"] = {table};
  section["plots"] = Json::array();
  for (const int threads : thread_counts) {
    Json plot = roofline_plot(context, threads);
    if (!plot.is_null()) section["plots"].push_back(std::move(plot));
  }
  return section;
}

}  // namespace nsop::report
