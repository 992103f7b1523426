// nsop-judge-eval, a program of its own: replays recorded or synthetic measurements through the
// rules of the gate and of the history.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <span>

#include "harness/core/error.h"
#include "harness/core/tensor/random.h"
#include "harness/judge/evaluation/recordings.h"
#include "harness/stats/gate/moderation.h"

namespace nsop::judge {
namespace {

struct Options {
  std::string recording;
  size_t stride = 1, first_night = 40, window = 150;
  bool tripwire = false, confirm = false, fastest = false, excess = false, once = false;
  bool alone = false;
};

// What the cases of each gate say together of each other's noise.
class Priors {
 public:
  Priors(const GateCases& cases, const stats::GatePolicy& policy) {
    std::map<std::string, std::vector<std::vector<stats::PairedRound>>> by_gate;
    for (const auto& [id, one] : cases) {
      if (!one.gate.empty()) by_gate[one.gate].push_back(paired_rounds(one));
    }
    for (const auto& [gate, rows] : by_gate) {
      priors_[gate] = stats::priors_of({rows.begin(), rows.end()}, policy);
    }
  }
  std::span<const stats::VariancePrior> of(const GateCase& one) const {
    const auto at = priors_.find(one.gate);
    return at == priors_.end() ? std::span<const stats::VariancePrior>() : at->second;
  }

 private:
  std::map<std::string, std::vector<stats::VariancePrior>> priors_;
};

int gate(const Options& o) {
  fmt::print("case_id,verdict,rounds,ratio,lo,hi,sd,p\n");
  stats::GatePolicy policy = o.confirm ? stats::confirming({}) : stats::GatePolicy();
  if (o.fastest) {
    policy.excess_worth = policy.excess_same = policy.first_worth = policy.first_same = 0;
    policy.same_rounds = 0;
  }
  if (o.alone) policy.most_prior_df = 0;
  const GateCases cases = read_gate_recording(o.recording);
  const Priors priors(cases, policy);
  for (const auto& [id, one] : cases) {
    const std::vector<stats::PairedRound> rounds = paired_rounds(one);
    const stats::GateDecision d = stats::decide_gate(rounds, policy, priors.of(one));
    const auto seen = std::span(rounds).first(static_cast<size_t>(d.rounds));  // then it left
    fmt::print("{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.3g}\n", id, stats::verdict_text(d.verdict),
               d.rounds, d.change().ratio, d.change().lo, d.change().hi, d.sd,
               stats::gate_p_value(seen, policy));
  }
  return 0;
}

int history(const Options& o) {
  ReplayOptions options;
  options.stride = o.stride;
  options.first_night = o.first_night;
  options.tripwire = o.tripwire;
  options.window = o.window;
  options.once = o.once;
  const stats::ChangePolicy policy = o.excess ? stats::kExcessChanges : stats::ChangePolicy();
  fmt::print("series_id,idx,night,kind,ratio\n");
  for (const auto& [id, points] : read_history_recording(o.recording)) {
    for (const ReplayAlert& a : replay(id, points, options, policy)) {
      fmt::print("{},{},{},{},{:.6g}\n", a.series, a.index, a.night,
                 a.tripwire ? "tripwire" : "level", a.ratio);
    }
  }
  return 0;
}

// CPU seconds of finding the change points of as many histories as a large suite has.
int speed() {
  constexpr size_t kSeries = 72, kPoints = 500;
  std::vector<std::vector<stats::HistoryPoint>> all(kSeries);
  SplitMix64 generator(1);
  for (size_t k = 0; k < kSeries; ++k) {
    for (size_t i = 0; i < kPoints; ++i) {
      const double noise = 0.01 * (generator.uniform() + generator.uniform() - 1);
      all[k].push_back({1000 * std::exp(noise + (i >= 3 * k + 100 ? 0.05 : 0.0)), "h"});
    }
  }
  const std::clock_t begin = std::clock();
  size_t found = 0;
  for (const auto& points : all) found += stats::change_points(points, {}).size();
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  fmt::print("series,points,found,cpu_seconds\n{},{},{},{:.4f}\n", kSeries, kPoints, found,
             seconds);
  return 0;
}

int run(int argc, char** argv) {
  CLI::App app{"Replays recorded measurements through the rules of gate and history"};
  Options o;
  app.require_subcommand(1);
  CLI::App* gates = app.add_subcommand("gate", "Verdicts of paired rounds, as CSV");
  gates->add_option("recording", o.recording, "CSV: case_id, round, arm, cpu_ns; gate")->required();
  gates->add_flag("--confirm", o.confirm, "As a second session, which asks what a first has found");
  gates->add_flag("--fastest", o.fastest, "Look at the fastest repetitions alone");
  gates->add_flag("--alone", o.alone, "Each case speaks for its own noise alone");
  CLI::App* nights = app.add_subcommand("history", "Alerts of a nightly replay, as CSV");
  nights->add_option("recording", o.recording, "CSV: series_id, idx, host, ns_per_op")->required();
  nights->add_option("--stride", o.stride, "Nights between two looks")->check(CLI::Range(1, 1000));
  nights->add_option("--first-night", o.first_night, "Nights before the first look")
      ->check(CLI::Range(0, 100000));
  nights->add_option("--window", o.window, "Newest nights that are looked at")
      ->check(CLI::Range(12, 100000));
  nights->add_flag("--tripwire", o.tripwire, "Also suspect the newest night alone");
  nights->add_flag("--once", o.once, "Tell what one look shows, not only what two in a row do");
  nights->add_flag("--excess", o.excess, "Values are means over the fastest: larger steps count");
  CLI::App* clock = app.add_subcommand("speed", "CPU seconds of 72 histories of 500 nights");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::kUsage);
  }
  if (clock->parsed()) return speed();
  return gates->parsed() ? gate(o) : history(o);
}

}  // namespace
}  // namespace nsop::judge

int main(int argc, char** argv) {
  try {
    return nsop::judge::run(argc, argv);
  } catch (const nsop::Error& error) {
    fmt::print(stderr, "nsop-judge-eval: {}\n", error.what());
    return static_cast<int>(error.code());
  }
}
