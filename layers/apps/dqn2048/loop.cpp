#include "layers/apps/dqn2048/loop.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "harness/core/error.h"
#include "layers/apps/dqn2048/legal.h"

namespace nsop::layers {
namespace {

constexpr double kFirstEpsilon = 1.0, kEpsilonDecay = 0.995, kLeastEpsilon = 0.1;

}  // namespace

DqnLoop::DqnLoop(DqnTrainer& trainer, size_t episodes)
    : trainer_(trainer), times_(episodes), episodes_(episodes) {
  legal_moves(0);  // builds the tables
}

Direction DqnLoop::choose(const Game2048& game, uint64_t draw, double epsilon) {
  const uint32_t legal = game.legal();
  if (Draws::fraction(draw) < epsilon) {
    return drawn_legal(legal, draw);
  }
  std::array<float, kCells> state{};
  std::array<float, kDirections> q{};
  raw_tiles(game.board(), state);
  trainer_.values(state, q);
  return static_cast<Direction>(best_legal(q, legal));
}

void DqnLoop::play(Game2048& game, const Draws& explore, double epsilon, const DqnRecord& record) {
  game.start();
  while (!game.over()) {
    Experience e;
    e.state = game.board();
    e.action = choose(game, explore.at(moves_), epsilon);
    e.reward = static_cast<float>(game.move(e.action));
    e.next = game.board();
    e.legal_next = static_cast<uint8_t>(game.legal());
    replay_.add(e);
    if (moves_ == record.actions.size()) {
      throw environment_error("dqn2048: more moves than the output 'actions' has room for");
    }
    record.actions[moves_++] = static_cast<float>(e.action);
  }
}

void DqnLoop::run(uint64_t seed, std::span<const float> parameters, const DqnRecord& record) {
  assert(record.scores.size() == episodes_);
  times_.clear();
  trainer_.reset(parameters);
  replay_.clear();
  moves_ = 0;
  const Draws explore(seed, Draws::Purpose::kExplore), picks(seed, Draws::Purpose::kReplay);
  Game2048 game(seed);
  double epsilon = kFirstEpsilon;
  PhaseTimes& phases = trainer_.phases();
  phases.start();
  for (size_t episode = 0; episode < episodes_; ++episode) {
    const size_t before = moves_;
    play(game, explore, epsilon, record);
    phases.end(DqnPhase::kPlay);
    record.scores[episode] = static_cast<float>(game.score());
    record.moves[episode] = static_cast<float>(moves_ - before);
    record.losses[episode] = times_.timed([&] {
      batch_.fill(replay_, picks, episode);
      phases.end(DqnPhase::kSample);
      return trainer_.train(batch_.view());
    });
    epsilon = std::max(kLeastEpsilon, epsilon * kEpsilonDecay);
  }
  std::ranges::fill(record.actions.subspan(moves_), -1.0F);
}

}  // namespace nsop::layers
