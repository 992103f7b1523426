// dense against a naive sum in double precision.
#include "kernels/gemm/dense.h"

#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

class DenseOnTarget : public EveryTarget {
 protected:
  DenseShape shape_;
  std::vector<float> x_, w_, bias_, dy_;

  void set(size_t batch, size_t in, size_t out, bool out_by_in) {
    shape_ = {batch, in, out, out_by_in};
    x_ = random_floats(batch * in, 1);
    w_ = random_floats(in * out, 2);
    bias_ = random_floats(out, 3);
    dy_ = random_floats(batch * out, 4);
  }
  size_t w_index(size_t i, size_t o) const {
    return shape_.out_by_in ? o * shape_.in + i : i * shape_.out + o;
  }

  void check_forward(bool with_bias, int threads) {
    GuardedFloats y(shape_.batch * shape_.out, 1);
    GuardedFloats workspace(dense_workspace_floats(shape_, threads));
    const std::span<const float> bias = with_bias ? bias_ : std::span<const float>();
    dense_forward(shape_, x_, w_, bias, y.span(), workspace.span(), shared_threads(threads));
    EXPECT_TRUE(y.intact() && workspace.intact());
    for (size_t n = 0; n < shape_.batch; ++n) {
      for (size_t o = 0; o < shape_.out; ++o) {
        ExactSum sum;
        for (size_t i = 0; i < shape_.in; ++i) {
          sum.add(double{x_[n * shape_.in + i]} * w_[w_index(i, o)]);
        }
        if (with_bias) sum.add(bias_[o]);
        expect_near(sum, y.span()[n * shape_.out + o], "y");
      }
    }
  }

  void check_data(int threads) {
    GuardedFloats dx(shape_.batch * shape_.in, 1);
    GuardedFloats workspace(dense_workspace_floats(shape_, threads));
    dense_backward_data(shape_, w_, dy_, dx.span(), workspace.span(), shared_threads(threads));
    EXPECT_TRUE(dx.intact() && workspace.intact());
    for (size_t n = 0; n < shape_.batch; ++n) {
      for (size_t i = 0; i < shape_.in; ++i) {
        ExactSum sum;
        for (size_t o = 0; o < shape_.out; ++o) {
          sum.add(double{dy_[n * shape_.out + o]} * w_[w_index(i, o)]);
        }
        expect_near(sum, dx.span()[n * shape_.in + i], "dx");
      }
    }
  }

  void check_weights(bool with_bias, int threads) {
    GuardedFloats dw(shape_.in * shape_.out, 1);
    GuardedFloats dbias(with_bias ? shape_.out : 0, 1);
    GuardedFloats workspace(dense_workspace_floats(shape_, threads));
    dense_backward_weights(shape_, x_, dy_, dw.span(), dbias.span(), workspace.span(),
                           shared_threads(threads));
    EXPECT_TRUE(dw.intact() && dbias.intact() && workspace.intact());
    for (size_t o = 0; o < shape_.out; ++o) {
      ExactSum bias;
      for (size_t n = 0; n < shape_.batch; ++n) bias.add(dy_[n * shape_.out + o]);
      if (with_bias) expect_near(bias, dbias.span()[o], "dbias");
      for (size_t i = 0; i < shape_.in; ++i) {
        ExactSum sum;
        for (size_t n = 0; n < shape_.batch; ++n) {
          sum.add(double{x_[n * shape_.in + i]} * dy_[n * shape_.out + o]);
        }
        expect_near(sum, dw.span()[w_index(i, o)], "dw");
      }
    }
  }

  // Both gradients at once, compared with each pass by itself.
  void check_backward(std::span<float> workspace) {
    GuardedFloats dx(x_.size()), dw(w_.size()), dbias(shape_.out);
    dense_backward(shape_, x_, w_, dy_, dx.span(), dw.span(), dbias.span(), workspace,
                   serial_threads());
    EXPECT_TRUE(dx.intact() && dw.intact() && dbias.intact());
    GuardedFloats own_dx(x_.size()), own_dw(w_.size()), own_dbias(shape_.out);
    GuardedFloats own(dense_workspace_floats(shape_, 1));
    dense_backward_data(shape_, w_, dy_, own_dx.span(), own.span(), serial_threads());
    dense_backward_weights(shape_, x_, dy_, own_dw.span(), own_dbias.span(), own.span(),
                           serial_threads());
    const auto expect_same = [](std::span<const float> got, std::span<const float> wanted) {
      for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], wanted[i], 1e-4) << i;
    };
    expect_same(dx.span(), own_dx.span());
    expect_same(dw.span(), own_dw.span());
    expect_same(dbias.span(), own_dbias.span());
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, DenseOnTarget, testing::ValuesIn(targets()), target_param_name);

TEST_P(DenseOnTarget, AllPassesInBothLayouts) {
  const size_t sizes[][3] = {{1, 1, 1},  {1, 100, 32}, {1, 7, 65},
                             {3, 33, 5}, {32, 64, 97}, {70, 40, 9}};
  for (const auto& size : sizes) {
    for (const bool out_by_in : {false, true}) {
      for (const int threads : {1, 3}) {
        set(size[0], size[1], size[2], out_by_in);
        for (const bool with_bias : {false, true}) {
          check_forward(with_bias, threads);
          check_weights(with_bias, threads);
        }
        check_data(threads);
      }
    }
  }
}

// One pass gets no workspace: products that ran under its name would miss theirs.
TEST_P(DenseOnTarget, AlgorithmNamesTheWayOfBothGradients) {
  for (const size_t batch : {1, 2, 33}) {
    for (const bool out_by_in : {false, true}) {
      set(batch, 400, 300, out_by_in);
      const std::string way = dense_backward_algorithm(shape_);
      EXPECT_EQ(way == "one pass", batch == 1) << way;
      EXPECT_EQ(way.starts_with("dx: "), batch != 1) << way;
      GuardedFloats workspace(way == "one pass" ? 0 : dense_workspace_floats(shape_, 1));
      check_backward(workspace.span());
      EXPECT_TRUE(workspace.intact());
    }
  }
}

TEST_P(DenseOnTarget, LargeEnoughForTwoThreads) {
  for (const bool out_by_in : {false, true}) {
    set(32, 120, 130, out_by_in);
    check_forward(true, 2);
    check_data(2);
    check_weights(true, 2);
  }
}

}  // namespace
}  // namespace nsop::kernels
