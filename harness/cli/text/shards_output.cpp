#include "harness/cli/text/shards_output.h"

#include <fmt/format.h>

#include <map>

#include "harness/cli/text/gate_output.h"
#include "harness/cli/text/table.h"
#include "harness/core/io/json.h"

namespace nsop::cli {
namespace {

Json report_json(const shards::ShardReport& report) {
  return {{"index", report.index},
          {"state", shards::shard_state_text(report.state)},
          {"node", report.node},
          {"host", report.host_id},
          {"invocations", report.invocations},
          {"reason", report.reason}};
}

Json reports_json(const std::vector<shards::ShardReport>& reports) {
  Json list = Json::array();
  for (const shards::ShardReport& report : reports) list.push_back(report_json(report));
  return list;
}

void print_reports(Context& context, const std::vector<shards::ShardReport>& reports) {
  Table table({{"shard", true}, {"state"}, {"node"}, {"invocations", true}, {"reason"}});
  for (const shards::ShardReport& report : reports) {
    table.add({fmt::format("{}", report.index), shards::shard_state_text(report.state), report.node,
               fmt::format("{}", report.invocations), report.reason});
  }
  table.print(context.out);
}

}  // namespace

void show_merged(Context& context, const shards::Shards& all, const shards::Merged& merged) {
  if (context.json) {
    Json runs = Json::array();
    for (const shards::Merged::Kind& kind : merged.kinds) {
      runs.push_back({{"run", kind.run_id},
                      {"host", kind.host_id},
                      {"cpu", kind.cpu_model},
                      {"added", kind.added},
                      {"known", kind.known},
                      {"complete", kind.is_complete},
                      {"left", kind.left}});
    }
    context.out << Json{{"schema", "nsop.merge/1"},
                        {"shards", reports_json(all.reports)},
                        {"runs", runs},
                        {"doubts", all.doubts},
                        {"clocks", all.clocks}}
                       .dump(2)
                << '\n';
    return;
  }
  print_reports(context, all.reports);
  for (const shards::Merged::Kind& kind : merged.kinds) {
    context.out << fmt::format("run {} on {}: {} invocations added, {} were there, {}\n",
                               short_id(kind.run_id), kind.cpu_model, kind.added, kind.known,
                               kind.is_complete ? "complete" : "not complete");
    for (const std::string& left : kind.left) {
      context.out << fmt::format(
          "run {} has what doesn't count any more and stays as it is; `nsop db remove-run` takes "
          "it "
          "out\n",
          short_id(left));
    }
  }
  for (const std::string& doubt : all.doubts) context.out << doubt << '\n';
  for (const std::string& clock : all.clocks) context.out << clock << '\n';
}

void show_gates(Context& context, const shards::Gates& gates) {
  const judge::GateResult joint = shards::joint_result(gates);
  std::map<RowKey, std::string> nodes;
  for (size_t i = 0; i < gates.complete.size(); ++i) {
    if (!gates.complete[i]) continue;
    for (const judge::GateRow& row : gates.complete[i]->plan.rows) {
      if (!row.canary) nodes[row.key] = gates.reports[i].node;
    }
  }
  if (context.json) {
    Json rows = Json::array(), runs = Json::array();
    for (const judge::GateRowResult& row : joint.rows) {
      rows.push_back(gate_row_json(row));
      rows.back()["node"] = nodes[row.row.key];
    }
    for (const auto& gate : gates.complete) {
      if (gate) runs.push_back(gate->run.id);
    }
    context.out << Json{{"schema", "nsop.gate-merge/1"},
                        {"shards", reports_json(gates.reports)},
                        {"runs", std::move(runs)},
                        {"rows", std::move(rows)}}
                       .dump(2)
                << '\n';
    return;
  }
  print_reports(context, gates.reports);
  if (joint.rows.empty()) return;
  print_gate_rows(context, joint, nodes);
  context.out << fmt::format(
      "{} rows: {}; each shard is a gate of its own: nsop report --gate RUN\n", joint.rows.size(),
      gate_counts_text(joint));
}

}  // namespace nsop::cli
