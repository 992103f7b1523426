// Lets test_scipy_oracle.py ask for single numbers: one JSON request per line of stdin, one answer
// per line of stdout. Not installed, not part of any product.
#include <fmt/format.h>

#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>

#include "harness/stats/base/distributions.h"
#include "harness/stats/base/robust.h"
#include "harness/stats/between_runs.h"
#include "harness/stats/comparison.h"
#include "harness/stats/gate/gate.h"
#include "harness/stats/gate/moderation.h"
#include "harness/stats/gate/precedence.h"
#include "harness/stats/history/change_points.h"
#include "harness/stats/history/creep.h"
#include "harness/stats/means.h"

namespace nsop::stats {
namespace {

using Json = nlohmann::json;

std::vector<double> values_of(const Json& q) { return q.at("values").get<std::vector<double>>(); }

RowSummary row_of(const std::vector<double>& values) {
  RowSummary row;
  row.verdict_values = values;
  row.verdict_ns = median(values);
  for (int i = 0; i < static_cast<int>(values.size()); ++i) row.verdict_rounds.push_back(i);
  return row;
}

Json answer_of(const Comparison& c) {
  return {{"ratio", c.ratio}, {"lo", c.lo}, {"hi", c.hi}, {"verdict", verdict_text(c.verdict)}};
}

Json compare(const Json& q, bool paired) {
  Policy policy;
  policy.tau = q.value("tau", policy.tau);
  policy.tau_df = q.value("tau_df", policy.tau_df);
  policy.confidence = q.value("confidence", policy.confidence);
  const RowSummary before = row_of(q.at("before").get<std::vector<double>>());
  const RowSummary after = row_of(q.at("after").get<std::vector<double>>());
  return answer_of(paired ? compare_paired(before, after, Bound::kCore, policy)
                          : compare_unpaired(before, after, Bound::kCore, policy));
}

std::vector<PairedRound> rounds_of_pairs(const Json& q) {
  std::vector<PairedRound> rounds;
  for (const Json& one : q.at("rounds")) rounds.push_back({one.at(0), one.at(1), one.at(2)});
  return rounds;
}

Json one_look(const Json& q) {
  GatePolicy policy;
  const std::vector<PairedRound> rounds = rounds_of_pairs(q);
  policy.looks = {{static_cast<int>(rounds.size()), q.at("alpha")}};
  policy.further.clear();
  const VariancePrior prior{q.value("prior_df", 0.0), q.value("prior_variance", 0.0)};
  const GateDecision d = decide_gate(rounds, policy, std::span(&prior, 1));
  const auto triple = [&](Statistic one) {
    return Json{d.of(one).ratio, d.of(one).lo, d.of(one).hi};
  };
  return {{"fastest", triple(Statistic::kFastest)},
          {"excess", triple(Statistic::kExcess)},
          {"verdict", verdict_text(d.verdict)}};
}

Json prior(const Json& q) {
  std::vector<RowVariance> rows;
  for (const Json& one : q.at("rows")) rows.push_back({one.at(0), one.at(1)});
  const VariancePrior found = prior_of(rows, q.at("most_df"));
  return {found.df, found.variance};
}

Json together(const Json& q) { return precedence(q.at("k"), q.at("n"), q.at("m")); }

Json tau(const Json& q) {
  const auto found = tau_of_steps(values_of(q));
  return found ? Json(*found) : Json();
}

Json trimmed(const Json& q) {
  const TrimmedMean m = trimmed_mean(values_of(q), q.at("share"));
  return {{"mean", m.mean}, {"se", m.standard_error}, {"df", m.df}};
}

Json interval(const Json& q) {
  const auto i = median_interval(values_of(q), q.at("confidence"));
  return i ? Json{i->first, i->second} : Json();
}

// One night per value, all of one segment.
std::vector<HistoryPoint> history_of(const Json& q) {
  std::vector<HistoryPoint> history;
  for (const double value : values_of(q)) history.push_back({value, "segment"});
  return history;
}

Json changes(const Json& q) {
  Json found = Json::array();
  for (const ChangePoint& c : change_points(history_of(q), {})) {
    found.push_back({{"index", c.index}, {"ratio", c.ratio}, {"lo", c.lo}, {"hi", c.hi}});
  }
  return found;
}

Json trip(const Json& q) {
  const auto ratio = trip_ratio(history_of(q));
  return ratio ? Json(*ratio) : Json();
}

Json creep(const Json& q, bool since_best) {
  const auto found = since_best ? creep_since_best(history_of(q), q.at("first"), {})
                                : creep_since(history_of(q), q.at("at"), {});
  return found ? Json{{"since", found->since}, {"ratio", found->ratio}} : Json();
}

Json mean_of_rows(const Json& q) {
  std::vector<Comparison> rows;
  for (const Json& one : q.at("rows")) {
    Comparison& c = rows.emplace_back();
    c.ratio = one.at(0);
    c.lo = one.at(1);
    c.hi = one.at(2);
  }
  return answer_of(geometric_mean(rows));
}

const std::map<std::string, std::function<Json(const Json&)>>& functions() {
  static const std::map<std::string, std::function<Json(const Json&)>> kFunctions = {
      {"normal_cdf", [](const Json& q) { return normal_cdf(q.at("x")); }},
      {"normal_quantile", [](const Json& q) { return normal_quantile(q.at("p")); }},
      {"incomplete_beta",
       [](const Json& q) { return incomplete_beta(q.at("a"), q.at("b"), q.at("x")); }},
      {"t_cdf", [](const Json& q) { return t_cdf(q.at("x"), q.at("df")); }},
      {"t_quantile", [](const Json& q) { return t_quantile(q.at("p"), q.at("df")); }},
      {"fair_binomial_cdf", [](const Json& q) { return fair_binomial_cdf(q.at("k"), q.at("n")); }},
      {"median", [](const Json& q) { return median(values_of(q)); }},
      {"scaled_mad", [](const Json& q) { return scaled_mad(values_of(q)); }},
      {"standard_deviation", [](const Json& q) { return standard_deviation(values_of(q)); }},
      {"median_standard_error", [](const Json& q) { return median_standard_error(values_of(q)); }},
      {"precedence", together},
      {"trimmed_mean", trimmed},
      {"median_interval", interval},
      {"decide_gate", one_look},
      {"prior_of", prior},
      {"gate_p_value",
       [](const Json& q) {
         GatePolicy policy;
         policy.worth = q.at("worth");
         policy.excess_worth = q.at("excess_worth");
         policy.excess_same = policy.excess_worth > 0 ? 0.1 : 0;
         policy.first_worth = policy.first_same = 0;
         return gate_p_value(rounds_of_pairs(q), policy);
       }},
      {"discoveries", [](const Json& q) { return discoveries(values_of(q), q.at("q")); }},
      {"tau_of_steps", tau},
      {"change_points", changes},
      {"trip_ratio", trip},
      {"creep_since_best", [](const Json& q) { return creep(q, true); }},
      {"creep_since", [](const Json& q) { return creep(q, false); }},
      {"geometric_mean", mean_of_rows},
      {"compare_paired", [](const Json& q) { return compare(q, true); }},
      {"compare_unpaired", [](const Json& q) { return compare(q, false); }},
  };
  return kFunctions;
}

}  // namespace
}  // namespace nsop::stats

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto request = nlohmann::json::parse(line);
    std::cout << nsop::stats::functions().at(request.at("fn"))(request).dump() << std::endl;
  }
}
