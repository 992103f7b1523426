// The game 2048 on 64-bit boards: a nibble per cell, moves by table. Nothing here allocates.
//
// Tiles slide as far as they can; two equal neighbours in the direction of the move merge, each
// tile once per move, and the merged tile's value is the reward. After a move that changed the
// board a tile appears in an empty cell: 2 with probability 0.9, else 4.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "layers/apps/dqn2048/draws.h"

namespace nsop::layers {

constexpr int kCells = 16;
constexpr int kDirections = 4;

// The order of the network's outputs.
enum class Direction : uint8_t { kUp = 0, kDown = 1, kLeft = 2, kRight = 3 };

// Cell i (row-major) is nibble i, from the low end: 0 is empty, e is the tile 2^e. Two tiles of
// 2^15 do not merge.
using Board = uint64_t;

// Bit d is set when direction d changes the board; 0: the game is over.
uint32_t legal_moves(Board board);

struct Slide {
  Board board = 0;
  int32_t reward = 0;  // sum of the merged tiles
};
// Without the new tile.
Slide slide(Board board, Direction direction);

// Adds the tile of draw number i: its upper half picks the empty cell (in row-major order), a lower
// half below 0.9 makes it a 2. A full board stays as it is.
Board add_tile(Board board, uint64_t draw);

// Tile values (0, 2, 4, ...) as the network sees them.
void raw_tiles(Board board, std::span<float, kCells> values);
// Exponents / 16 (0, 1/16, 2/16, ...).
void scaled_exponents(Board board, std::span<float, kCells> values);

// One game after another from one stream of tiles.
class Game2048 {
 public:
  explicit Game2048(uint64_t seed) : tiles_(seed, Draws::Purpose::kTile) {}

  void start();  // an empty board and two tiles; the score is 0
  Board board() const { return board_; }
  uint32_t legal() const { return legal_; }
  bool over() const { return legal_ == 0; }
  int64_t score() const { return score_; }
  // Moves in a legal direction (assert), adds a tile, returns the reward.
  int32_t move(Direction direction);

 private:
  Draws tiles_;
  uint64_t drawn_ = 0;
  Board board_ = 0;
  uint32_t legal_ = 0;
  int64_t score_ = 0;
};

}  // namespace nsop::layers
