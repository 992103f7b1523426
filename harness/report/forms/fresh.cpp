#include "harness/report/forms/fresh.h"

#include <algorithm>
#include <string_view>

#include "harness/report/base/cells.h"
#include "harness/report/base/peers.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;

constexpr std::string_view kEnding = "_fresh";

Selector reusing(Selector fresh) {
  fresh.variant.resize(fresh.variant.size() - kEnding.size());
  return fresh;
}

// A case whose op has no such variant was never to be measured.
Column fresh_column(const Context& context, const Selector& fresh, const std::string& id,
                    const std::string& label,
                    const std::function<Json(const RowView&, const Summary*)>& cell) {
  return {id, label, "right", [&context, fresh, cell](const RowView& view) {
            const Summary* found = context.find(*view.row, fresh);
            return found == nullptr ? missing_cell("-") : cell(view, found);
          }};
}

Columns columns_of(const Context& context, const Selector& fresh) {
  const Selector same = reusing(fresh);
  const std::string before = role_text(context.suite().before);
  const auto column = [&](const char* id, const std::string& label, const auto& cell) {
    return fresh_column(context, fresh, id, label, cell);
  };
  return {
      {"before", before, "right", [](const RowView& v) { return time_cell(v.before); }},
      column("fresh", fresh.variant, [](auto&, const Summary* s) { return time_cell(s); }),
      {"same", same.variant, "right",
       [&context, same](const RowView& v) { return time_cell(context.find(*v.row, same)); }},
      column("by_kernel", "By the kernel: " + fresh.variant + " vs " + before,
             [&context](const RowView& v, const Summary* s) {
               return context.speedup_cell(v.before, s);
             }),
      column("by_memory", "By results in place: " + same.variant + " vs " + fresh.variant,
             [&context, same](const RowView& v, const Summary* s) {
               return context.speedup_cell(s, context.find(*v.row, same));
             }),
      column("fresh_allocs", fresh.variant + " allocs/op",
             [](auto&, const Summary* s) { return allocs_cell(s); }),
      column("fresh_bytes", fresh.variant + " B/op",
             [](auto&, const Summary* s) { return alloc_bytes_cell(s); }),
  };
}

}  // namespace

bool takes_new_results(const Selector& selector) {
  return selector.variant.size() > kEnding.size() && selector.variant.ends_with(kEnding);
}

void add_fresh(Json& tables, const Context& context, const std::vector<RowView>& rows,
               const Columns& names) {
  for (const Selector& fresh : context.suite().beside) {
    const bool measured =
        takes_new_results(fresh) && std::any_of(rows.begin(), rows.end(), [&](const RowView& view) {
          return context.find(*view.row, fresh) != nullptr;
        });
    if (!measured) continue;
    Json table =
        folded(make_table("What new memory for the results of each call costs",
                          joined(names, columns_of(context, fresh)), distinct_cases(rows)));
    const bool all = std::all_of(rows.begin(), rows.end(), [&](const RowView& view) {
      return context.find(*view.row, fresh) != nullptr;
    });
    if (!all) {
      table["notes"] = {"`-`: the kernels of this op have no variant `" + fresh.variant +
                        "`, so there was nothing to measure."};
    }
    tables.push_back(std::move(table));
  }
}

}  // namespace nsop::report
