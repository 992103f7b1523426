// The expressions that Eigen is measured with, for a file compiled for one instruction set, which
// defines NSOP_EIGEN_TABLE and NSOP_EIGEN_TARGET. No standard containers here: their functions
// would be compiled for that instruction set and might be linked into code that runs on others.
//
// Destinations are the caller's memory through Map; `noalias` keeps products from making
// temporaries. What Eigen packs or allocates inside a product happens inside the step.
#include <Eigen/Core>

#include "reference/peers/eigen/table.h"

namespace nsop::reference::peers {
namespace {

using A = EigenArguments;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using In = Eigen::Map<const Eigen::ArrayXf, Eigen::Aligned64>;
using Out = Eigen::Map<Eigen::ArrayXf, Eigen::Aligned64>;
using InMatrix = Eigen::Map<const Matrix, Eigen::Aligned64>;
using OutMatrix = Eigen::Map<Matrix, Eigen::Aligned64>;

Eigen::Map<const Eigen::VectorXf, Eigen::Aligned64> in_vector(const A& a, int i) {
  return {a.in[i], a.size};
}
In in(const A& a, int i) { return {a.in[i], a.size}; }
Out out(const A& a) { return {a.out[0], a.size}; }

// c [m,n] = op(a) op(b)
template <class Left, class Right>
void multiply(const Left& left, const Right& right, float* c, int64_t m, int64_t n) {
  OutMatrix(c, m, n).noalias() = left * right;
}

void matmul(const A& a) {
  const InMatrix left(a.in[0], a.first_transposed ? a.k : a.m, a.first_transposed ? a.m : a.k);
  const InMatrix right(a.in[1], a.second_transposed ? a.n : a.k, a.second_transposed ? a.k : a.n);
  if (a.first_transposed && a.second_transposed) {
    multiply(left.transpose(), right.transpose(), a.out[0], a.m, a.n);
  } else if (a.first_transposed) {
    multiply(left.transpose(), right, a.out[0], a.m, a.n);
  } else if (a.second_transposed) {
    multiply(left, right.transpose(), a.out[0], a.m, a.n);
  } else {
    multiply(left, right, a.out[0], a.m, a.n);
  }
}

// x [m,k], w [k,n] or [n,k], y [m,n]
void dense_forward(const A& a) {
  matmul(a);
  if (a.in[2] == nullptr) return;
  OutMatrix(a.out[0], a.m, a.n).rowwise() +=
      Eigen::Map<const Eigen::RowVectorXf, Eigen::Aligned64>(a.in[2], a.n);
}

// in: w, dy; out: dx [m,k]
void dense_data(const A& a) {
  const InMatrix dy(a.in[1], a.m, a.n);
  if (a.second_transposed) {
    multiply(dy, InMatrix(a.in[0], a.n, a.k), a.out[0], a.m, a.k);
  } else {
    multiply(dy, InMatrix(a.in[0], a.k, a.n).transpose(), a.out[0], a.m, a.k);
  }
}

// in: x, dy; out: dw, db
void dense_weights(const A& a) {
  const InMatrix x(a.in[0], a.m, a.k), dy(a.in[1], a.m, a.n);
  if (a.second_transposed) {
    multiply(dy.transpose(), x, a.out[0], a.n, a.k);
  } else {
    multiply(x.transpose(), dy, a.out[0], a.k, a.n);
  }
  if (a.out[1] == nullptr) return;
  Eigen::Map<Eigen::RowVectorXf, Eigen::Aligned64>(a.out[1], a.n) = dy.colwise().sum();
}

// in: x, w, dy; out: dx, dw, db
void dense_backward(const A& a) {
  A part = a;
  part.in[0] = a.in[1];
  part.in[1] = a.in[2];
  dense_data(part);
  part.in[0] = a.in[0];
  part.out[0] = a.out[1];
  part.out[1] = a.out[2];
  dense_weights(part);
}

// One number from x [m,n]: from all of it (n 1), per column (n > 1, `first_transposed`), per row.
template <class Fold>
void reduce(const A& a, Fold fold) {
  if (a.n == 1) {
    a.out[0][0] = fold(Eigen::Map<const Eigen::ArrayXf, Eigen::Aligned64>(a.in[0], a.m));
  } else if (a.first_transposed) {
    OutMatrix(a.out[0], 1, a.n).array() = fold(InMatrix(a.in[0], a.m, a.n).array().colwise());
  } else {
    Eigen::Map<Eigen::ArrayXf, Eigen::Aligned64>(a.out[0], a.m) =
        fold(InMatrix(a.in[0], a.m, a.n).array().rowwise());
  }
}

const EigenEntry entries[] = {
    {"sum", "forward", [](const A& a) { reduce(a, [](const auto& x) { return x.sum(); }); }},
    {"mean", "forward", [](const A& a) { reduce(a, [](const auto& x) { return x.mean(); }); }},
    {"max", "forward", [](const A& a) { reduce(a, [](const auto& x) { return x.maxCoeff(); }); }},
    {"min", "forward", [](const A& a) { reduce(a, [](const auto& x) { return x.minCoeff(); }); }},
    {"dot", "forward", [](const A& a) { a.out[0][0] = in_vector(a, 0).dot(in_vector(a, 1)); }},
    {"norm_l1", "forward", [](const A& a) { a.out[0][0] = in_vector(a, 0).lpNorm<1>(); }},
    {"norm_l2", "forward", [](const A& a) { a.out[0][0] = in_vector(a, 0).norm(); }},
    {"norm_linf", "forward",
     [](const A& a) { a.out[0][0] = in_vector(a, 0).lpNorm<Eigen::Infinity>(); }},
    {"relu", "forward", [](const A& a) { out(a) = in(a, 0).max(0.0f); }},
    {"relu", "backward", [](const A& a) { out(a) = (in(a, 0) > 0.0f).select(in(a, 1), 0.0f); }},
    {"tanh", "forward", [](const A& a) { out(a) = in(a, 0).tanh(); }},
    {"tanh", "backward", [](const A& a) { out(a) = in(a, 1) * (1.0f - in(a, 0).square()); }},
    // Its logistic() is a rational approximation that misses the tolerance of the op.
    {"sigmoid", "forward", [](const A& a) { out(a) = (1.0f + (-in(a, 0)).exp()).inverse(); }},
    {"sigmoid", "backward", [](const A& a) { out(a) = in(a, 1) * in(a, 0) * (1.0f - in(a, 0)); }},
    {"exp", "forward", [](const A& a) { out(a) = in(a, 0).exp(); }},
    {"log", "forward", [](const A& a) { out(a) = in(a, 0).log(); }},
    {"log2", "forward", [](const A& a) { out(a) = in(a, 0).log2(); }},
    {"sin", "forward", [](const A& a) { out(a) = in(a, 0).sin(); }},
    {"cos", "forward", [](const A& a) { out(a) = in(a, 0).cos(); }},
    {"sqrt", "forward", [](const A& a) { out(a) = in(a, 0).sqrt(); }},
    {"abs", "forward", [](const A& a) { out(a) = in(a, 0).abs(); }},
    {"neg", "forward", [](const A& a) { out(a) = -in(a, 0); }},
    {"square", "forward", [](const A& a) { out(a) = in(a, 0).square(); }},
    {"recip", "forward", [](const A& a) { out(a) = in(a, 0).inverse(); }},
    {"sign", "forward", [](const A& a) { out(a) = in(a, 0).sign(); }},
    {"clip", "forward", [](const A& a) { out(a) = in(a, 0).max(a.lo).min(a.hi); }},
    {"add", "forward", [](const A& a) { out(a) = in(a, 0) + in(a, 1); }},
    {"sub", "forward", [](const A& a) { out(a) = in(a, 0) - in(a, 1); }},
    {"mul", "forward", [](const A& a) { out(a) = in(a, 0) * in(a, 1); }},
    {"div", "forward", [](const A& a) { out(a) = in(a, 0) / in(a, 1); }},
    {"maximum", "forward", [](const A& a) { out(a) = in(a, 0).max(in(a, 1)); }},
    {"minimum", "forward", [](const A& a) { out(a) = in(a, 0).min(in(a, 1)); }},
    {"fma", "forward", [](const A& a) { out(a) = in(a, 0) * in(a, 1) + in(a, 2); }},
    {"axpy", "forward", [](const A& a) { out(a) = a.lo * in(a, 0) + in(a, 1); }},
    {"scale", "forward", [](const A& a) { out(a) = a.lo * in(a, 0); }},
    {"where", "forward", [](const A& a) { out(a) = (in(a, 0) > 0.0f).select(in(a, 1), in(a, 2)); }},
    {"matmul", "forward", matmul},
    {"dense", "forward", dense_forward},
    {"dense", "backward", dense_backward},
    {"dense", "backward_data", dense_data},
    {"dense", "backward_weights", dense_weights},
};

}  // namespace

const EigenTable NSOP_EIGEN_TABLE = {NSOP_EIGEN_TARGET, Eigen::SimdInstructionSetsInUse(),
                                     Eigen::setNbThreads, entries,
                                     sizeof entries / sizeof entries[0]};

}  // namespace nsop::reference::peers
