#include "layers/apps/dqn2048/learn/learner.h"

#include <algorithm>
#include <limits>

#include "layers/activations.h"
#include "layers/apps/dqn2048/legal.h"
#include "layers/core/copy.h"
#include "layers/dense.h"

namespace nsop::layers {
namespace {

Sequential make_network(size_t hidden) {
  const DenseOptions options = {.bias = true, .out_by_in = false, .initializer = Initializer::kHe};
  Sequential net;
  net.add<Dense>(kCells, hidden, options).add<ReLU>();
  net.add<Dense>(hidden, hidden, options).add<ReLU>();
  net.add<Dense>(hidden, kDirections, options);
  return net;
}

Shape rows_of(size_t rows, size_t columns) {
  return {static_cast<int64_t>(rows), static_cast<int64_t>(columns)};
}

void copy_parameters(const Sequential& from, Sequential& to) {
  for (size_t i = 0; i < from.parameters().size(); ++i) {
    copy_floats(from.parameters()[i].value, to.parameters()[i].value);
  }
}

}  // namespace

Learner::Learner(const LearnerOptions& options)
    : options_(options),
      game_(options.seed),
      explore_(options.seed, Draws::Purpose::kExplore),
      picks_(options.seed, Draws::Purpose::kReplay),
      replay_(options.replay),
      online_(make_network(options.hidden)),
      online_next_(make_network(options.hidden)),
      one_(make_network(options.hidden)),
      target_(make_network(options.hidden)),
      adam_(Adam{}),
      loss_({.kind = LossKind::kHuber}),
      states_(rows_of(options.batch, kCells)),
      next_(rows_of(options.batch, kCells)),
      wanted_(rows_of(options.batch, kDirections)),
      gradient_(rows_of(options.batch, kDirections)),
      picked_(options.batch) {
  legal_moves(0);  // builds the tables
  online_.init(states_.shape());
  online_next_.init_sharing(states_.shape(), online_);
  one_.init_sharing({1, kCells}, online_);
  target_.init(states_.shape());
  Random random(options.seed);
  online_.init_parameters(random);
  copy_parameters(online_, target_);
  adam_.init(online_.parameters());
  loss_.init(wanted_.shape());
}

double Learner::epsilon() const {
  if (episode_ >= options_.episodes) return 0;
  const double explored = options_.explored_share * static_cast<double>(options_.episodes);
  const double done = std::min(1.0, static_cast<double>(episode_) / explored);
  return 1 + done * (options_.last_epsilon - 1);
}

Direction Learner::choose(const Game2048& game) {
  const uint64_t draw = explore_.at(static_cast<uint64_t>(moves_));
  if (Draws::fraction(draw) < epsilon()) return drawn_legal(game.legal(), draw);
  std::array<float, kCells> state{};
  scaled_exponents(game.board(), state);
  return static_cast<Direction>(best_legal(one_.forward(state), game.legal()));
}

int64_t Learner::run_episode() {
  const bool learns = episode_ < options_.episodes;
  game_.start();
  while (!game_.over()) {
    Experience e;
    e.state = game_.board();
    e.action = choose(game_);
    e.reward = static_cast<float>(game_.move(e.action));
    e.next = game_.board();
    e.legal_next = static_cast<uint8_t>(game_.legal());
    if (learns) replay_.add(e);
    ++moves_;
    if (learns && moves_ >= options_.warm_up && moves_ % options_.train_every == 0) train();
  }
  ++episode_;
  return game_.score();
}

double wanted_value(const Experience& e, ConstFloats online, ConstFloats target,
                    const LearnerOptions& options) {
  const double reward = e.reward * options.reward_scale;
  if (e.legal_next == 0) return reward;
  return reward + options.gamma * target[best_legal(online, e.legal_next)];
}

// Values that are not to be trained are wanted as they are.
void Learner::fill_targets() {
  const ConstFloats q = online_.forward(states_.data());
  const ConstFloats ahead = online_next_.forward(next_.data());
  const ConstFloats valued = target_.forward(next_.data());
  copy_floats(q, wanted_.data());
  for (size_t i = 0; i < picked_.size(); ++i) {
    const Experience& e = *picked_[i];
    const size_t at = i * kDirections;
    const double wanted =
        wanted_value(e, ahead.subspan(at, kDirections), valued.subspan(at, kDirections), options_);
    wanted_.data()[at + static_cast<size_t>(e.action)] = static_cast<float>(wanted);
  }
}

void Learner::train() {
  for (size_t i = 0; i < picked_.size(); ++i) {
    const auto number = static_cast<uint64_t>(trained_) * picked_.size() + i;
    picked_[i] = &replay_.pick(picks_, number);
    scaled_exponents(picked_[i]->state, state_row(states_, i));
    scaled_exponents(picked_[i]->next, state_row(next_, i));
  }
  fill_targets();
  const ConstFloats q = online_.forward(states_.data());
  loss_.run(q, wanted_.data(), gradient_.data());
  online_.backward(gradient_.data());
  const double done = static_cast<double>(episode_) / static_cast<double>(options_.episodes);
  adam_.step(options_.learning_rate * (1 - done));
  if (++trained_ % options_.renew_every == 0) copy_parameters(online_, target_);
}

std::vector<int64_t> random_scores(uint64_t seed, int64_t games) {
  const Draws draws(seed, Draws::Purpose::kExplore);
  Game2048 game(seed);
  std::vector<int64_t> scores;
  uint64_t moves = 0;
  for (int64_t i = 0; i < games; ++i) {
    game.start();
    while (!game.over()) game.move(drawn_legal(game.legal(), draws.at(moves++)));
    scores.push_back(game.score());
  }
  return scores;
}

}  // namespace nsop::layers
