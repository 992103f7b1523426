#include "layers/apps/dqn2048/game2048.h"

#include <bit>
#include <cassert>
#include <vector>

namespace nsop::layers {
namespace {

constexpr double kChanceOfTwo = 0.9;
constexpr uint32_t kLargestExponent = 15;

// What sliding a row of four cells towards its first one does.
struct RowSlide {
  uint16_t row = 0;
  uint16_t quarter_reward = 0;  // rewards are multiples of 4
};

uint16_t reversed(uint16_t row) {
  return static_cast<uint16_t>((row >> 12) | ((row >> 4) & 0x00F0) | ((row << 4) & 0x0F00) |
                               (row << 12));
}

RowSlide slide_row(uint16_t row) {
  std::array<uint32_t, 4> out{};
  size_t filled = 0;
  bool may_merge = false;
  uint32_t reward = 0;
  for (int cell = 0; cell < 4; ++cell) {
    const uint32_t tile = (row >> (4 * cell)) & 15U;
    if (tile == 0) continue;
    if (may_merge && out[filled - 1] == tile && tile < kLargestExponent) {
      reward += 1U << ++out[filled - 1];
      may_merge = false;
    } else {
      out[filled++] = tile;
      may_merge = true;
    }
  }
  const uint32_t packed = out[0] | (out[1] << 4) | (out[2] << 8) | (out[3] << 12);
  return {static_cast<uint16_t>(packed), static_cast<uint16_t>(reward / 4)};
}

constexpr size_t kRows = 65536;
constexpr uint8_t kToFirst = 1, kToLast = 2;

// 320 KiB, of which the boards of a game touch a small part.
struct Tables {
  std::vector<RowSlide> slides{kRows};
  std::vector<uint8_t> can_slide = std::vector<uint8_t>(kRows);  // kToFirst | kToLast
  Tables() {
    for (size_t i = 0; i < kRows; ++i) slides[i] = slide_row(static_cast<uint16_t>(i));
    for (size_t i = 0; i < kRows; ++i) {
      const auto row = static_cast<uint16_t>(i);
      const bool to_last = slides[reversed(row)].row != reversed(row);
      can_slide[i] =
          static_cast<uint8_t>((slides[i].row != row ? kToFirst : 0) | (to_last ? kToLast : 0));
    }
  }
};

const Tables& tables() {
  static const Tables made;
  return made;
}

// Rows become columns.
Board transposed(Board b) {
  const Board pairs = (b & 0xF0F00F0FF0F00F0F) | ((b & 0x0000F0F00000F0F0) << 12) |
                      ((b & 0x0F0F00000F0F0000) >> 12);
  return (pairs & 0xFF00FF0000FF00FF) | ((pairs & 0x00FF00FF00000000) >> 24) |
         ((pairs & 0x00000000FF00FF00) << 24);
}

uint32_t can_slide(Board b) {
  const auto& can = tables().can_slide;
  return static_cast<uint32_t>(can[b & 0xFFFF] | can[(b >> 16) & 0xFFFF] | can[(b >> 32) & 0xFFFF] |
                               can[b >> 48]);
}

Slide slide_rows(Board b, bool to_last) {
  Slide result;
  uint32_t quarters = 0;
  for (int shift = 0; shift < 64; shift += 16) {
    const auto row = static_cast<uint16_t>(b >> shift);
    const RowSlide& moved = tables().slides[to_last ? reversed(row) : row];
    result.board |= static_cast<Board>(to_last ? reversed(moved.row) : moved.row) << shift;
    quarters += moved.quarter_reward;
  }
  result.reward = static_cast<int32_t>(4 * quarters);
  return result;
}

// Bit 0 of every nibble that is zero.
Board empty_cells(Board b) {
  b |= b >> 2;
  b |= b >> 1;
  return ~b & 0x1111111111111111;
}

}  // namespace

uint32_t legal_moves(Board board) {
  const uint32_t rows = can_slide(board);
  const uint32_t columns = can_slide(transposed(board));
  return columns | (rows << 2);  // up, down are kToFirst, kToLast of the columns
}

Slide slide(Board board, Direction direction) {
  const bool vertical = direction == Direction::kUp || direction == Direction::kDown;
  const bool to_last = direction == Direction::kDown || direction == Direction::kRight;
  if (!vertical) return slide_rows(board, to_last);
  Slide moved = slide_rows(transposed(board), to_last);
  moved.board = transposed(moved.board);
  return moved;
}

Board add_tile(Board board, uint64_t draw) {
  Board empty = empty_cells(board);
  if (empty == 0) return board;
  for (uint32_t skip = Draws::below(draw, static_cast<uint32_t>(std::popcount(empty))); skip > 0;
       --skip) {
    empty &= empty - 1;
  }
  const Board exponent = Draws::fraction(draw) < kChanceOfTwo ? 1 : 2;
  return board | exponent << std::countr_zero(empty);
}

void raw_tiles(Board board, std::span<float, kCells> values) {
  for (size_t i = 0; i < kCells; ++i) {
    const uint32_t tile = 1U << ((board >> (4 * i)) & 15);
    values[i] = static_cast<float>(tile & ~1U);
  }
}

void scaled_exponents(Board board, std::span<float, kCells> values) {
  for (size_t i = 0; i < kCells; ++i) {
    values[i] = static_cast<float>((board >> (4 * i)) & 15) / 16;
  }
}

void Game2048::start() {
  board_ = add_tile(add_tile(0, tiles_.at(drawn_)), tiles_.at(drawn_ + 1));
  drawn_ += 2;
  legal_ = legal_moves(board_);
  score_ = 0;
}

int32_t Game2048::move(Direction direction) {
  assert((legal_ >> static_cast<uint32_t>(direction) & 1U) != 0);
  const Slide moved = slide(board_, direction);
  board_ = add_tile(moved.board, tiles_.at(drawn_++));
  legal_ = legal_moves(board_);
  score_ += moved.reward;
  return moved.reward;
}

}  // namespace nsop::layers
