#include "harness/shards/nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace nsop::shards {
namespace {

constexpr size_t kFewestToDecide = 3;

struct Difference {
  std::string node, row;
  double ratio = 1;  // of the node to all others
};

std::vector<Invocation> others_of(const ControlsByNode& controls, const std::string& node) {
  std::vector<Invocation> others;
  for (const auto& [name, invocations] : controls) {
    if (name != node) others.insert(others.end(), invocations.begin(), invocations.end());
  }
  return others;
}

// Sessions tell invocations of one round apart.
std::vector<stats::RowSummary> summaries(std::vector<Invocation> invocations) {
  for (size_t i = 0; i < invocations.size(); ++i) invocations[i].session = static_cast<int>(i);
  return stats::summarize(invocations);
}

// The largest difference beyond the margin, of any node and control.
std::optional<Difference> largest(const ControlsByNode& controls,
                                  const std::map<std::string, CaseFacts>& facts, const Host& host,
                                  const stats::Policy& policy) {
  std::optional<Difference> found;
  for (const auto& [node, invocations] : controls) {
    const stats::Diff diff = stats::diff(summaries(others_of(controls, node)),
                                         summaries(invocations), facts, host, host, policy);
    for (const stats::DiffRow& row : diff.rows) {
      const bool differs =
          row.time.verdict == stats::Verdict::kWorse || row.time.verdict == stats::Verdict::kBetter;
      if (!differs || !row.before || !row.after) continue;
      const double size = std::abs(std::log(row.time.ratio));
      if (!found || size > std::abs(std::log(found->ratio))) {
        found = Difference{node, row.row.text(), row.time.ratio};
      }
    }
  }
  return found;
}

}  // namespace

NodeCheck check_nodes(ControlsByNode controls, const std::map<std::string, CaseFacts>& facts,
                      const Host& host, const stats::Policy& policy) {
  NodeCheck check;
  while (controls.size() > 1) {
    const std::optional<Difference> worst = largest(controls, facts, host, policy);
    if (!worst) break;
    if (controls.size() < kFewestToDecide) {
      check.doubt = fmt::format(
          "nodes {} and {} differ: `{}` takes {:.2f} times as long on {}; which is right takes a "
          "third node to tell",
          controls.begin()->first, controls.rbegin()->first, worst->row, worst->ratio, worst->node);
      break;
    }
    check.aside[worst->node] =
        fmt::format("`{}` takes {:.2f} times as long as on the {} other nodes of its kind",
                    worst->row, worst->ratio, controls.size() - 1);
    controls.erase(worst->node);
  }
  return check;
}

}  // namespace nsop::shards
