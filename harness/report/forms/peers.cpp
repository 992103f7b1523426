// The form `peers`, declared in forms.h: each row against the fastest other library and the
// machine.
#include "harness/report/base/peers.h"

#include "harness/report/base/plots/bars.h"
#include "harness/report/base/plots/plot_axes.h"
#include "harness/report/base/sections.h"
#include "harness/report/forms/forms.h"

namespace nsop::report {
namespace {

Json peers_tables(const Context& context, const Section& section) {
  const Columns names = name_columns(context, section);
  Columns columns = joined(names, standing_columns(context));
  const std::string& before = context.suite().before.variant;
  if (!before.empty()) {
    columns.push_back(
        {"speedup", context.suite().after.variant + " vs " + before, "right",
         [&context](const RowView& v) { return context.speedup_cell(v.before, v.after); }});
  }
  add_previous_column(columns, context);
  Json tables = Json::array();
  tables.push_back(main_table("", columns, section.rows));
  add_each_peer(tables, context, section.rows, names);
  tables.push_back(details_table(context, section.rows));
  return tables;
}

Json peers_plots(const Context& context, const Section& section) {
  return drawn({ratio_plot(context, section)});
}

}  // namespace

constinit const Form kPeers{
    .name = "peers",
    .about = "each case against other libraries and the machine's limit",
    .needs_before = false,
    .sections = table_sections,
    .tables = peers_tables,
    .plots = peers_plots,
};

}  // namespace nsop::report
