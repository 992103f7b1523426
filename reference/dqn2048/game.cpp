#include "reference/dqn2048/game.h"

#include <utility>

namespace nsop::reference {
namespace {

constexpr uint64_t kStep = 0x9E3779B97F4A7C15;

uint64_t scrambled(uint64_t z) {
  z ^= z >> 30;
  z *= 0xBF58476D1CE4E5B9;
  z ^= z >> 27;
  z *= 0x94D049BB133111EB;
  z ^= z >> 31;
  return z;
}

using Line = std::array<int64_t, 4>;

// The line after its tiles went to the front, and the sum of the merged ones.
std::pair<Line, int64_t> pushed(const Line& line) {
  Line tiles{};
  size_t count = 0;
  for (const int64_t tile : line) {
    if (tile != 0) tiles[count++] = tile;
  }
  Line result{};
  int64_t gained = 0;
  size_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    if (i + 1 < count && tiles[i] == tiles[i + 1]) {
      gained += 2 * tiles[i++];
      result[at++] = 2 * tiles[i];
    } else {
      result[at++] = tiles[i];
    }
  }
  return {result, gained};
}

// Row and column of place `p` of line `l`, counted from the side that the tiles go to.
std::pair<size_t, size_t> place(int direction, size_t l, size_t p) {
  switch (direction) {
    case 0:
      return {p, l};
    case 1:
      return {3 - p, l};
    case 2:
      return {l, p};
    default:
      return {l, 3 - p};
  }
}

std::pair<Cells, int64_t> slid(const Cells& cells, int direction) {
  Cells result{};
  int64_t gained = 0;
  for (size_t l = 0; l < 4; ++l) {
    Line line{};
    for (size_t p = 0; p < 4; ++p) {
      const auto [row, column] = place(direction, l, p);
      line[p] = cells[row][column];
    }
    const auto [moved, reward] = pushed(line);
    gained += reward;
    for (size_t p = 0; p < 4; ++p) {
      const auto [row, column] = place(direction, l, p);
      result[row][column] = moved[p];
    }
  }
  return {result, gained};
}

}  // namespace

uint64_t dqn_draw(uint64_t seed, uint64_t purpose, uint64_t i) {
  return scrambled(scrambled(seed + kStep * (purpose + 1)) + kStep * (i + 1));
}

int64_t upper_below(uint64_t draw, int64_t count) {
  return static_cast<int64_t>((draw >> 32) * static_cast<uint64_t>(count) >> 32);
}

double lower_fraction(uint64_t draw) {
  return static_cast<double>(draw & 0xFFFFFFFF) / 4294967296.0;
}

void DqnGame::add_tile() {
  std::vector<int64_t*> empty;
  for (auto& row : cells_) {
    for (int64_t& cell : row) {
      if (cell == 0) empty.push_back(&cell);
    }
  }
  const uint64_t draw = dqn_draw(seed_, 0, drawn_++);
  *empty.at(static_cast<size_t>(upper_below(draw, static_cast<int64_t>(empty.size())))) =
      lower_fraction(draw) < 0.9 ? 2 : 4;
}

void DqnGame::start() {
  cells_ = {};
  score_ = 0;
  add_tile();
  add_tile();
}

bool DqnGame::is_legal(int direction) const { return slid(cells_, direction).first != cells_; }

std::vector<int> DqnGame::legal() const {
  std::vector<int> directions;
  for (int d = 0; d < 4; ++d) {
    if (is_legal(d)) directions.push_back(d);
  }
  return directions;
}

int64_t DqnGame::move(int direction) {
  const auto [moved, gained] = slid(cells_, direction);
  cells_ = moved;
  score_ += gained;
  add_tile();
  return gained;
}

}  // namespace nsop::reference
