// The form `peers`, declared in forms.h: each row against the fastest other library and the
// machine.
#include "harness/report/base/peers.h"

#include "harness/report/base/cells.h"
#include "harness/report/base/configuration.h"
#include "harness/report/base/plots/bars.h"
#include "harness/report/base/plots/plot_axes.h"
#include "harness/report/base/sections.h"
#include "harness/report/forms/forms.h"

namespace nsop::report {
namespace {

Columns peers_result(const Context& context) {
  Columns columns = row_columns();
  columns.push_back({"ours", context.suite().after.variant, "right",
                     [](const RowView& v) { return time_cell(v.after); }});
  columns = joined(columns, best_peer_columns(context));
  columns.push_back({"standing", "Of the machine's limit", "right",
                     [&context](const RowView& v) { return standing_cell(context, v); }});
  add_previous_column(columns, context);
  return columns;
}

Json peers_tables(const Context& context, const Section& section) {
  Json tables = Json::array();
  tables.push_back(main_table("", peers_result(context), section.rows));
  tables.push_back(configuration_table(context, section.rows));
  add_each_peer(tables, context, section.rows, name_columns(context, section));
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
