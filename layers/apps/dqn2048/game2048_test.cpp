#include "layers/apps/dqn2048/game2048.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <numeric>
#include <vector>

namespace nsop::layers {
namespace {

Board board_of(const std::array<int, kCells>& exponents) {
  Board b = 0;
  for (size_t i = 0; i < kCells; ++i) b |= static_cast<Board>(exponents[i]) << (4 * i);
  return b;
}

// Exponents of one line after its tiles went to the front, by the rules and without a table.
std::vector<int> pushed(const std::vector<int>& line) {
  std::vector<int> tiles, out;
  for (const int e : line) {
    if (e != 0) tiles.push_back(e);
  }
  for (size_t i = 0; i < tiles.size(); ++i) {
    const bool merges = i + 1 < tiles.size() && tiles[i] == tiles[i + 1] && tiles[i] < 15;
    out.push_back(merges ? tiles[i++] + 1 : tiles[i]);
  }
  out.resize(4, 0);
  return out;
}

// Cell number `p` of line `l`, counted from the side that the tiles go to.
size_t cell(Direction direction, size_t l, size_t p) {
  switch (direction) {
    case Direction::kUp:
      return 4 * p + l;
    case Direction::kDown:
      return 4 * (3 - p) + l;
    case Direction::kLeft:
      return 4 * l + p;
    default:
      return 4 * l + 3 - p;
  }
}

Board plain_slide(Board board, Direction direction) {
  std::array<int, kCells> out{};
  for (size_t l = 0; l < 4; ++l) {
    std::vector<int> line;
    for (size_t p = 0; p < 4; ++p) {
      line.push_back(static_cast<int>((board >> (4 * cell(direction, l, p))) & 15));
    }
    const std::vector<int> moved = pushed(line);
    for (size_t p = 0; p < 4; ++p) out[cell(direction, l, p)] = moved[p];
  }
  return board_of(out);
}

int64_t sum_of_tiles(Board board) {
  std::array<float, kCells> tiles{};
  raw_tiles(board, tiles);
  return static_cast<int64_t>(std::accumulate(tiles.begin(), tiles.end(), 0.0));
}

TEST(Game2048, SlidesAndMergesOncePerMove) {
  const Board b = board_of({1, 1, 2, 2,  //
                            1, 1, 1, 0,  //
                            0, 3, 0, 3,  //
                            4, 0, 0, 0});
  const Slide left = slide(b, Direction::kLeft);
  EXPECT_EQ(left.board, board_of({2, 3, 0, 0, 2, 1, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0}));
  EXPECT_EQ(left.reward, 4 + 8 + 4 + 16);
  const Slide right = slide(b, Direction::kRight);
  EXPECT_EQ(right.board, board_of({0, 0, 2, 3, 0, 0, 1, 2, 0, 0, 0, 4, 0, 0, 0, 4}));
  const Slide up = slide(b, Direction::kUp);
  EXPECT_EQ(up.board, board_of({2, 2, 2, 2, 4, 3, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(up.reward, 4 + 4);
  const Slide down = slide(b, Direction::kDown);
  EXPECT_EQ(down.board, board_of({0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 4, 3, 1, 3}));
}

TEST(Game2048, AFullBoardWithoutEqualNeighboursIsOver) {
  const Board over = board_of({1, 2, 1, 2, 2, 1, 2, 1, 1, 2, 1, 2, 2, 1, 2, 1});
  EXPECT_EQ(legal_moves(over), 0U);
  EXPECT_EQ(add_tile(over, 12345), over);
  const Board one_pair = board_of({1, 1, 3, 2, 2, 4, 2, 1, 1, 2, 1, 2, 2, 1, 2, 1});
  EXPECT_EQ(legal_moves(one_pair), 0b1100U);  // left and right
}

TEST(Game2048, TheLargestTilesDoNotMerge) {
  const Board b = board_of({15, 15, 14, 14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(slide(b, Direction::kLeft).board,
            board_of({15, 15, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(slide(b, Direction::kLeft).reward, 32768);
}

// Computed from docs/dqn.md by another program.
TEST(Game2048, DrawsAreThoseThatAreDocumented) {
  EXPECT_EQ(Draws(0, Draws::Purpose::kReplay).at(0), 0xee2751b92135351cULL);
  EXPECT_EQ(Draws(1, Draws::Purpose::kReplay).at(1), 0x6d5016879973635cULL);
  EXPECT_EQ(Draws(0xFFFFFFFFFFFF, Draws::Purpose::kReplay).at(1000), 0x62c7d027a4039e0ULL);
}

// A stream with a bias would show here: 5 standard deviations of 16,000 draws.
TEST(Game2048, TilesAppearEverywhereAndOneInTenIsAFour) {
  const Draws draws(7, Draws::Purpose::kTile);
  std::array<int, kCells> places{};
  int fours = 0;
  for (uint64_t i = 0; i < 16000; ++i) {
    const Board b = add_tile(0, draws.at(i));
    const auto place = static_cast<size_t>(std::countr_zero(b)) / 4;
    ++places[place];
    fours += (b >> (4 * place)) == 2;
  }
  EXPECT_NEAR(fours, 1600, 190);
  for (const int n : places) EXPECT_NEAR(n, 1000, 155);
}

RC_GTEST_PROP(Game2048, SlidesAsTheRulesSay, (Board dense, Board mask)) {
  // Half of the cells are empty, as in a game.
  const Board half = (mask & 0x1111111111111111) * 15;
  for (const Board board : {dense, dense & half, dense & half & 0x3333333333333333}) {
    for (size_t d = 0; d < kDirections; ++d) {
      const auto direction = static_cast<Direction>(d);
      const Slide got = slide(board, direction);
      RC_ASSERT(got.board == plain_slide(board, direction));
      RC_ASSERT(((legal_moves(board) >> d) & 1U) == (got.board != board ? 1U : 0U));
      RC_ASSERT(sum_of_tiles(got.board) == sum_of_tiles(board));
    }
  }
}

// The reward of a move is what its merges made; a new tile is in a cell that was empty.
RC_GTEST_PROP(Game2048, AGameKeepsItsAccounts, (uint32_t seed)) {
  Game2048 game(seed);
  game.start();
  int64_t score = 0;
  for (uint64_t i = 0; !game.over(); ++i) {
    const int direction = std::countr_zero(game.legal());
    const Board slid = slide(game.board(), static_cast<Direction>(direction)).board;
    score += game.move(static_cast<Direction>(direction));
    const Board added = game.board() ^ slid;
    RC_ASSERT(std::popcount(added) == 1);
    RC_ASSERT(sum_of_tiles(game.board()) - sum_of_tiles(slid) <= 4);
    RC_ASSERT(game.score() == score);
  }
}

}  // namespace
}  // namespace nsop::layers
