// dqn2048: the whole workload (docs/dqn.md): play a game of 2048, train once, explore a little
// less, for `episodes` games. `updates` as in dqn_train.
//
// The outputs show every choice of the run, and the check follows them: it plays the same games
// once more on its own implementation of the game, trains its own network in double precision on
// what happened there, and wants the same scores and moves, losses and parameters as close as
// dqn_train does, and every action to be the one that was drawn or, where none was, one whose value
// no legal action exceeds by more than the networks may differ.
#include <algorithm>
#include <cmath>

#include "reference/dqn2048/game.h"
#include "reference/dqn2048/network.h"
#include "reference/dqn2048/replay.h"
#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

enum Output { kScores, kMoves, kLosses, kParameters, kActions };

// A game has some 120 moves; long ones have 300.
int64_t action_capacity(const Case& c) { return 256 * c.integer("episodes") + 1024; }

void validate(const Case& c) {
  require(c.integer("episodes") <= 10000, "dqn2048",
          "episodes=" + c.str("episodes") + " is too many, expected at most 10000");
}

std::vector<InputSpec> inputs_of(const Case&) {
  return {{"seed", {2}, 0, 1}, {"parameters", {kDqnParameters}, 0, 1}};
}

std::vector<OutputSpec> outputs_of(const Case& c) {
  const int64_t episodes = c.integer("episodes");
  return {{"scores", {episodes}},
          {"moves", {episodes}},
          {"losses", {episodes}},
          {"parameters", {kDqnParameters}},
          {"actions", {action_capacity(c)}}};
}

void shape_inputs(const Case&, std::span<Tensor> in) {
  for (float& half : in[0].data()) half = std::floor(half * 0x1p24F);
  draw_dqn_parameters(in[1].data());
}

// Follows the actions that a step produced.
class Replayed {
 public:
  Replayed(const Case& c, std::span<const Tensor> in, std::span<const float> actions)
      : seed_(dqn_seed(in[0].data()[0], in[0].data()[1])),
        updates_(c.integer("updates")),
        actions_(actions),
        game_(seed_),
        network_(in[1].data()) {}

  // Plays one game to its end; false if an action can't be followed.
  bool play(std::span<TensorF64> out) {
    game_.start();
    int64_t moves = 0;
    for (auto legal = game_.legal(); !legal.empty(); legal = game_.legal(), ++moves) {
      if (move_ == actions_.size()) return false;
      const int action = expected_action(legal, actions_[move_]);
      out[kActions].data[move_] = action;
      if (static_cast<float>(action) != actions_[move_]) return false;
      replay_.play(game_, action);
      ++move_;
    }
    out[kScores].data[episode_] = static_cast<double>(game_.score());
    out[kMoves].data[episode_] = static_cast<double>(moves);
    out[kLosses].data[episode_] = network_.train(replay_.batch(seed_, episode_), updates_);
    epsilon_ = std::max(0.1, epsilon_ * 0.995);
    ++episode_;
    return true;
  }

  std::span<const double> parameters() const { return network_.parameters(); }
  size_t moves() const { return move_; }

 private:
  // The one that was produced where it is right.
  int expected_action(const std::vector<int>& legal, float produced) const {
    const uint64_t draw = dqn_draw(seed_, 1, move_);
    if (lower_fraction(draw) < epsilon_) {
      return legal[static_cast<size_t>(upper_below(draw, static_cast<int64_t>(legal.size())))];
    }
    std::array<double, kDqnInputs> state{};
    for (size_t i = 0; i < kDqnInputs; ++i) {
      state[i] = static_cast<double>(game_.cells()[i / 4][i % 4]);
    }
    const auto q = network_.values(state);
    int best = legal.front();
    for (const int d : legal)
      best = q[static_cast<size_t>(d)] > q[static_cast<size_t>(best)] ? d : best;
    for (const int d : legal) {
      if (static_cast<float>(d) != produced) continue;
      const double top = q[static_cast<size_t>(best)];
      const double gap = top - q[static_cast<size_t>(d)];
      return gap <= dqn_value_tolerance(updates_, static_cast<int64_t>(episode_), top) ? d : best;
    }
    return best;
  }

  uint64_t seed_;
  int64_t updates_;
  std::span<const float> actions_;
  DqnGame game_;
  DqnNetwork network_;
  DqnReplay replay_;
  double epsilon_ = 1.0;
  size_t move_ = 0, episode_ = 0;
};

void oracle(const Case& c, std::span<const Tensor> in, std::span<const Tensor> produced,
            std::span<TensorF64> out) {
  Replayed replayed(c, in, produced[kActions].data());
  std::ranges::fill(out[kActions].data, -1.0);
  for (int64_t episode = 0; episode < c.integer("episodes"); ++episode) {
    if (replayed.play(out)) continue;
    // Nothing after a wrong action means anything.
    for (const Output o : {kScores, kMoves, kLosses, kParameters}) {
      std::ranges::fill(out[o].data, -1.0);
    }
    return;
  }
  std::ranges::copy(replayed.parameters(), out[kParameters].data.begin());
}

std::vector<Tolerance> tolerances_of(const Case& c) {
  const auto trained = dqn_tolerances(c.integer("updates"), c.integer("episodes"));
  return {{}, {}, trained[0], trained[1], {}};
}

Work work_of(const Case& c) {
  // A game's moves are not known before it is played; the training is what takes multiply-adds.
  const double macs = static_cast<double>(c.integer("episodes")) * dqn_train_macs();
  return {.flops = 2 * macs, .macs = macs, .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
}

const OpRow row{Op{
    .spec =
        {.name = "dqn2048",
         .summary = "A deep Q-network that plays 2048 and trains after every game.",
         .params = {dqn_updates_param(),
                    {.name = "episodes", .kind = ParamKind::kCount, .choices = {}, .absent = {}}}},
    .validate = validate,
    .inputs = inputs_of,
    .outputs = outputs_of,
    .shape_inputs = shape_inputs,
    .oracle = {},
    .oracle_given = oracle,
    .tolerance = {},
    .output_tolerances = tolerances_of,
    .work = work_of,
}};

}  // namespace
}  // namespace nsop::reference
