// Indices beyond the table are found, wherever they are.
#include "kernels/layout/embedding.h"

#include <vector>

#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

class EmbeddingOnTarget : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(Targets, EmbeddingOnTarget, testing::ValuesIn(targets()),
                         target_param_name);

TEST_P(EmbeddingOnTarget, FindsTheFirstWrongIndex) {
  const Embedding table = {5, 2};
  for (const size_t n : {0, 1, 7, 16, 33}) {
    std::vector<float> index(n);
    for (size_t i = 0; i < n; ++i) index[i] = static_cast<float>(i % 5);
    EXPECT_EQ(embedding_wrong_index(table, index), n);
    for (size_t i = 0; i < n; ++i) {
      std::vector<float> wrong = index;
      wrong[n - 1] = -1;
      for (const float value : {5.0f, -1.0f, 1.5f, -0.5f, 3e9f, kInf, -kInf, kNan}) {
        wrong[i] = value;
        EXPECT_EQ(embedding_wrong_index(table, wrong), i) << value;
      }
      wrong = index;
      wrong[i] = -0.0f;
      EXPECT_EQ(embedding_wrong_index(table, wrong), n);
    }
  }
}

TEST_P(EmbeddingOnTarget, KnowsTheEndOfTheLargestTable) {
  const Embedding table = {size_t{1} << 24, 1};
  std::vector<float> index(20, 16777215.0f);
  EXPECT_EQ(embedding_wrong_index(table, index), 20U);
  index[17] = 16777216.0f;
  EXPECT_EQ(embedding_wrong_index(table, index), 17U);
}

}  // namespace
}  // namespace nsop::kernels
