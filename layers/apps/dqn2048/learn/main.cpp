// nsop-dqn2048: trains a network to play 2048 and says how much better than random play it got.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <numeric>

#include "harness/core/files.h"
#include "harness/core/host/host.h"
#include "harness/core/identity.h"
#include "harness/core/io/json.h"
#include "kernels/runtime/target.h"
#include "layers/apps/dqn2048/learn/learner.h"
#include "layers/core/program.h"
#include "nsop_build_info.h"

namespace nsop::layers {
namespace {

constexpr double kGoal = 1.5;  // times the mean score of random play
constexpr int64_t kRandomGames = 1000;

double mean(std::span<const int64_t> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// [[episode, mean score of those up to it]] in about a hundred equal parts.
Json means_along(const std::vector<int64_t>& scores) {
  const size_t part = std::max<size_t>(1, scores.size() / 100);
  Json points = Json::array();
  for (size_t end = part; end <= scores.size(); end += part) {
    points.push_back({end, mean(std::span(scores).subspan(end - part, part))});
  }
  return points;
}

// What was built, when it began and on which machine.
Json origin(const std::string& started) {
  const Host& host = this_host();
  return {
      {"commit", NSOP_GIT_COMMIT},
      {"dirty", NSOP_GIT_DIRTY},
      {"started_utc", started},
      {"host", {{"cpu_model", host.cpu_model}, {"family", host.family}, {"model", host.model}}}};
}

Json curve(const LearnerOptions& o, const std::vector<int64_t>& scores, double random,
           double reached, const std::string& started) {
  return {{"schema", "nsop.learning/1"},
          {"seed", o.seed},
          {"episodes", o.episodes},
          {"evaluated", o.evaluated},
          {"random_mean", random},
          {"evaluated_mean", reached},
          {"goal", kGoal},
          {"ratio", reached / random},
          {"means", means_along(scores)},
          {"target", kernels::current_target()},
          {"origin", origin(started)},
          {"scores", scores}};
}

ExitCode learn(const LearnerOptions& o, const std::string& out) {
  if (!out.empty()) require_writable(out);
  const std::string started = utc_now();
  const auto start = std::chrono::steady_clock::now();
  const double random = mean(random_scores(o.seed, kRandomGames));
  fmt::print("random play: mean score {:.0f} of {} games\n", random, kRandomGames);
  Learner learner(o);
  std::vector<int64_t> scores;
  const int64_t shown = std::max<int64_t>(1, o.episodes / 10);
  for (int64_t i = 1; i <= o.episodes + o.evaluated; ++i) {
    scores.push_back(learner.run_episode());
    if (i > o.episodes || i % shown != 0) continue;
    fmt::print("episode {:6}: mean score {:.0f} of the latest {}\n", i,
               mean(std::span(scores).last(static_cast<size_t>(shown))), shown);
    std::fflush(stdout);
  }
  const double reached = mean(std::span(scores).last(static_cast<size_t>(o.evaluated)));
  if (!out.empty()) {
    write_file_atomically(out, curve(o, scores, random, reached, started).dump() + "\n");
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const bool enough = reached >= kGoal * random;
  fmt::print(
      "seed {}: mean score {:.0f} of {} games at epsilon 0, {:.2f} x random play; goal {}: {}; "
      "{:.1f} s\n",
      o.seed, reached, o.evaluated, reached / random, kGoal, enough ? "reached" : "missed",
      elapsed.count());
  return enough ? ExitCode::kOk : ExitCode::kFailed;
}

void declare(CLI::App& app, LearnerOptions& o, std::string& out) {
  app.require_subcommand(1);
  CLI::App& learn_app = *app.add_subcommand("learn", "Train from a seed");
  learn_app.add_option("--seed", o.seed, "Of games, exploration and weights (default 1)")
      ->check(whole_number_problem);
  learn_app.add_option("--episodes", o.episodes, "Games with training")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  learn_app.add_option("--out", out, "JSON file for the score of every episode");
  learn_app.add_option("--hidden", o.hidden, "Width of the hidden layers")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
}

}  // namespace
}  // namespace nsop::layers

int main(int argc, char** argv) {
  nsop::layers::LearnerOptions options;
  std::string out;
  CLI::App app("Learns to play 2048; exit 1 if it plays less than 1.5 times as well as at random");
  nsop::layers::declare(app, options, out);
  return nsop::layers::run_program("nsop-dqn2048", app, argc, argv,
                                   [&] { return nsop::layers::learn(options, out); });
}
