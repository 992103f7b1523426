#include "harness/report/base/peers.h"

#include <algorithm>
#include <set>

#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/report/base/sections.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;

constexpr double kArithmeticFlopsPerByte = 8;  // where no limits say what bounds a case

bool is_arithmetic(const Context& context, const RowKey& row) {
  const CaseFacts* facts = context.facts(row.case_text);
  if (facts == nullptr || facts->bytes <= 0) return false;
  if (const auto roof = context.roof(row)) {
    return facts->flops / *context.limits().peak(row.threads) > roof->memory_ns;
  }
  return facts->flops / facts->bytes >= kArithmeticFlopsPerByte;
}

// `numpy`, or with a remark for a peer that is given its own layout.
std::string peer_label(const Selector& peer) {
  return has_own_layout(peer.variant) ? peer.variant + " (library layout)" : peer.variant;
}

// Those that can do at least one of the rows; why another can't is said in the notes.
std::vector<Selector> peers_of(const Context& context, const std::vector<RowView>& rows) {
  std::vector<Selector> out = context.plain_peers();
  out.insert(out.end(), context.layout_peers().begin(), context.layout_peers().end());
  std::erase_if(out, [&](const Selector& peer) {
    return std::all_of(rows.begin(), rows.end(), [&](const RowView& view) {
      const Summary* found = context.find_peer(*view.row, peer);
      return found != nullptr && found->status == Status::kUnsupported;
    });
  });
  return out;
}

// Columns of one peer each, and of `before` in a suite that has one: the ratio of `after` to it.
Columns ratio_columns(const Context& context, const std::vector<Selector>& peers) {
  const std::string role = context.suite().after.variant;
  Columns columns;
  for (const Selector& peer : peers) {
    columns.push_back({"vs_" + peer.variant, role + " vs " + peer_label(peer), "right",
                       [&context, peer](const RowView& v) {
                         const Selector rival = context.rival_of(peer, *v.row, v.after);
                         return context.speedup_cell(context.find_peer(*v.row, rival), v.after);
                       }});
  }
  const Selector& before = context.suite().before;
  if (before.variant.empty()) return columns;
  columns.push_back(
      {"speedup_over_before", role + " vs " + role_text(before), "right",
       [&context](const RowView& v) { return context.speedup_cell(v.before, v.after); }});
  return columns;
}

Columns peer_time_columns(const Context& context, const std::vector<Selector>& peers) {
  Columns columns;
  for (const Selector& peer : peers) {
    columns.push_back(
        {"time_" + peer.variant, peer_label(peer), "right", [&context, peer](const RowView& v) {
           return time_cell(context.find_peer(*v.row, peer));
         }});
  }
  return columns;
}

}  // namespace

std::vector<RowView> distinct_cases(const std::vector<RowView>& rows) {
  std::vector<RowView> out;
  std::set<const CaseRow*> seen;
  for (const RowView& view : rows) {
    if (seen.insert(view.row).second) out.push_back(view);
  }
  return out;
}

Json rate_of(const Context& context, const Summary* row) {
  if (row == nullptr) return rate_cell(row, nullptr, false);
  return rate_cell(row, context.facts(row->row.case_text), is_arithmetic(context, row->row));
}

Json limit_share_of(const Context& context, const Summary* row) {
  if (!usable(row)) return limit_share_cell(row, 0);
  const auto roof = context.roof(row->row);
  if (!roof) return missing_cell("n/a");
  if (!roof->certain()) return missing_cell(roof->text());
  return context.in_doubt(*roof, row->wall_ns) ? missing_cell("limit in doubt")
                                               : limit_share_cell(row, roof->limit_ns);
}

Columns joined(const Columns& a, const Columns& b) {
  Columns out = a;
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

Json standing_cell(const Context& context, const RowView& view) {
  Json share = limit_share_of(context, view.after);
  const auto roof = context.roof({view.row->text, "", "", view.row->threads});
  if (!roof || share["kind"] == "missing") return share;
  const bool doubt = share.contains("doubt");
  share["text"] = share_text(share["value"]) + " of " + roof->text() + (doubt ? " ?" : "");
  return share;
}

Columns best_peer_columns(const Context& context) {
  if (context.suite().peers.empty()) return {};
  return {
      {"best_peer", "Best other library", "left",
       [&context](const RowView& v) {
         const Summary* best = context.best_peer(*v.row, v.after);
         if (best == nullptr) return missing_cell("none");
         return text_cell(peer_text(*best, v.row->threads));
       }},
      {"best_peer_time", "Its time", "right",
       [&context](const RowView& v) {
         const Summary* best = context.best_peer(*v.row, v.after);
         return best ? time_cell(best) : missing_cell("n/a");
       }},
      {"vs_best_peer", "Ours against it", "right",
       [&context](const RowView& v) { return context.best_peer_cell(*v.row, v.after); }},
  };
}

void add_standing(Json& tables, const Context& context, const std::vector<RowView>& rows) {
  const bool peers = !context.suite().peers.empty();
  if (!peers && context.limits_run() == nullptr) return;
  Columns columns = row_columns();
  columns.push_back({"ours", context.suite().after.variant, "right",
                     [](const RowView& v) { return time_cell(v.after); }});
  columns = joined(columns, best_peer_columns(context));
  columns.push_back({"rate", "Rate", "right",
                     [&context](const RowView& v) { return rate_of(context, v.after); }});
  columns.push_back({"standing", "Of the machine's limit", "right",
                     [&context](const RowView& v) { return standing_cell(context, v); }});
  tables.push_back(make_table(
      peers ? "Against other libraries and the machine's limit" : "Against the machine's limit",
      columns, rows));
}

void add_each_peer(Json& tables, const Context& context, const std::vector<RowView>& rows,
                   const Columns& names) {
  const std::vector<Selector> peers = peers_of(context, rows);
  if (peers.empty()) return;
  Json ratios = make_table("Against each peer", joined(names, ratio_columns(context, peers)), rows);
  // What each ratio lacks for a verdict would fill pages; the ratio to the best peer tells it.
  for (Json& row : ratios["rows"]) row["notes"] = Json::array();
  tables.push_back(folded(std::move(ratios)));
  tables.push_back(
      folded(make_table("Times of the peers", joined(names, peer_time_columns(context, peers)),
                        distinct_cases(rows))));
}

}  // namespace nsop::report
