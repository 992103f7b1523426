#include "kernels/conv/ways/remainders.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace nsop::kernels {
namespace {

TEST(LineSorter, SortsByRemainderAndBackAndTouchesNothingElse) {
  const LineSorter sorter = line_sorter();
  for (const size_t d : {1, 2, 3, 5}) {
    for (size_t columns = 1; columns <= 40; ++columns) {
      const size_t remainder = columns + 3;
      std::vector<float> line(d * columns + 1), sorted(d * remainder, -1), back(line.size(), -1);
      std::iota(line.begin(), line.end(), 0.0f);
      sorter.sort(line.data(), sorted.data(), d, columns, remainder);
      for (size_t i = 0; i < d; ++i) {
        for (size_t j = 0; j < remainder; ++j) {
          const float expected = j < columns ? line[j * d + i] : -1;
          ASSERT_EQ(sorted[i * remainder + j], expected) << d << " " << columns;
        }
      }
      sorter.unsort(sorted.data(), back.data(), d, columns, remainder);
      EXPECT_EQ(back.back(), -1);
      line.back() = -1;
      ASSERT_EQ(back, line) << d << " " << columns;
    }
  }
}

}  // namespace
}  // namespace nsop::kernels
