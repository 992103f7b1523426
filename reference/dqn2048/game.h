// The game 2048 and the random draws of the DQN workload once more, from their definition in
// docs/dqn.md and by other means than the implementation that is measured: plain cells, no tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nsop::reference {

// Draw number i of a purpose (0 tiles, 1 exploration, 2 replay).
uint64_t dqn_draw(uint64_t seed, uint64_t purpose, uint64_t i);
int64_t upper_below(uint64_t draw, int64_t count);  // upper half as a number in [0, count)
double lower_fraction(uint64_t draw);               // lower half in [0, 1)

// Tile values by row and column; 0 is empty.
using Cells = std::array<std::array<int64_t, 4>, 4>;

class DqnGame {
 public:
  explicit DqnGame(uint64_t seed) : seed_(seed) {}
  void start();
  const Cells& cells() const { return cells_; }
  int64_t score() const { return score_; }
  bool is_legal(int direction) const;  // up, down, left, right = 0..3
  std::vector<int> legal() const;      // ascending; empty: the game is over
  int64_t move(int direction);         // in a legal direction; returns the reward

 private:
  void add_tile();

  uint64_t seed_, drawn_ = 0;
  Cells cells_{};
  int64_t score_ = 0;
};

}  // namespace nsop::reference
