#include <cassert>
#include <cmath>

#include "kernels/norm.h"
#include "kernels/thresholds.h"
#include "kernels/units.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/row_norm.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/norm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// y = (x - mean) * inv * gamma + beta, n elements. `beta` may be null: no shift.
void normalise_row(const float* x, const float* gamma, const float* beta, size_t n, float mean,
                   float inv, float* y) {
  const FloatTag d;
  const FloatVec middle = hn::Set(d, mean);
  const FloatVec scale = hn::Set(d, inv);
  const auto at = [&](size_t i, size_t left) {
    const auto load = [&](const float* p) {
      return left == kLanes ? hn::LoadU(d, p + i) : load_n(d, p + i, left);
    };
    const FloatVec h = hn::Mul(hn::Sub(load(x), middle), scale);
    if (beta == nullptr) return hn::Mul(h, load(gamma));
    return hn::MulAdd(h, load(gamma), load(beta));
  };
  for_each_vector(
      n, [&](size_t i) { hn::StoreU(at(i, kLanes), d, y + i); },
      [&](size_t i, size_t left) { store_n(at(i, left), d, y + i, left); });
}

// Rows of at most so many vectors stay in registers between the passes.
constexpr size_t kShortVectors = 4;

// Rows [begin, end) of kV vectors, the last maybe in part.
template <size_t kV>
void normalise_short_rows(const NormRows& s, const float* x, const float* gamma, const float* beta,
                          float* y, float* mean, float* inv_std, size_t begin, size_t end) {
  const FloatTag d;
  const size_t left = s.length - (kV - 1) * kLanes;
  const auto load = [&](const float* p, size_t v) {
    return v + 1 < kV || left == kLanes ? hn::LoadU(d, p + v * kLanes)
                                        : load_n(d, p + v * kLanes, left);
  };
  const auto inside = hn::FirstN(d, left);
  const float share = 1.0f / static_cast<float>(s.length);
  FloatVec scale[kV];
  FloatVec shift[kV];
  for (size_t v = 0; v < kV; ++v) {
    scale[v] = load(gamma, v);
    shift[v] = beta == nullptr ? hn::Zero(d) : load(beta, v);
  }
  for (size_t row = begin; row < end; ++row) {
    FloatVec off[kV];
    HWY_UNROLL(4)
    for (size_t v = 0; v < kV; ++v) off[v] = load(x + row * s.length, v);
    if (s.centred) {
      FloatVec sum = off[0];
      HWY_UNROLL(4)
      for (size_t v = 1; v < kV; ++v) sum = hn::Add(sum, off[v]);
      const FloatVec centre = hn::Mul(hn::SumOfLanes(d, sum), hn::Set(d, share));
      mean[row] = hn::GetLane(centre);
      HWY_UNROLL(4)
      for (size_t v = 0; v < kV; ++v) off[v] = hn::Sub(off[v], centre);
      off[kV - 1] = hn::IfThenElseZero(inside, off[kV - 1]);
    }
    FloatVec squares = hn::Mul(off[0], off[0]);
    HWY_UNROLL(4)
    for (size_t v = 1; v < kV; ++v) squares = hn::MulAdd(off[v], off[v], squares);
    const float square = hn::GetLane(hn::SumOfLanes(d, squares)) * share;
    inv_std[row] = 1.0f / std::sqrt(square + kNormEpsilon);
    const FloatVec inv = hn::Set(d, inv_std[row]);
    float* to = y + row * s.length;
    HWY_UNROLL(4)
    for (size_t v = 0; v < kV; ++v) {
      const FloatVec result = hn::MulAdd(hn::Mul(off[v], inv), scale[v], shift[v]);
      if (v + 1 < kV || left == kLanes) {
        hn::StoreU(result, d, to + v * kLanes);
      } else {
        store_n(result, d, to + v * kLanes, left);
      }
    }
  }
}

// Rows [begin, end). beta and mean are null where the shape isn't centred.
void normalise_long_rows(const NormRows& s, const float* x, const float* gamma, const float* beta,
                         float* y, float* mean, float* inv_std, size_t begin, size_t end) {
  for (size_t row = begin; row < end; ++row) {
    const float* from = x + row * s.length;
    float centre = 0;
    double square = 0;
    if (s.centred) {
      const Moments moments = moments_of(from, 1, s.length, 0);
      mean[row] = centre = static_cast<float>(moments.mean);
      square = moments.squares / moments.count;
    } else {
      Chains squares;
      add_terms(
          from, s.length, [](FloatVec v) { return hn::Mul(v, v); }, squares);
      square = squares.total() / static_cast<double>(s.length);
    }
    inv_std[row] = static_cast<float>(1 / std::sqrt(square + double{kNormEpsilon}));
    normalise_row(from, gamma, beta, s.length, centre, inv_std[row], y + row * s.length);
  }
}

void normalise_rows(const NormRows& s, const float* x, const float* gamma, const float* beta,
                    float* y, float* mean, float* inv_std, size_t begin, size_t end) {
  const auto run = [&](auto rows) { rows(s, x, gamma, beta, y, mean, inv_std, begin, end); };
  static_assert(kShortVectors == 4);
  switch ((s.length + kLanes - 1) / kLanes) {
    case 1:
      return run(normalise_short_rows<1>);
    case 2:
      return run(normalise_short_rows<2>);
    case 3:
      return run(normalise_short_rows<3>);
    case 4:
      return run(normalise_short_rows<4>);
    default:
      return run(normalise_long_rows);
  }
}

// What a row's dx is made of: dx = inv * q + (x - mean) * x_factor + offset, q = dy * gamma.
struct RowGradient {
  float mean, inv, x_factor, offset;
};

// One row of dx; adds what the row has to say to dgamma and dbeta (null when there is none).
void row_gradient(const float* x, const float* gamma, const float* dy, size_t n,
                  const RowGradient& g, float* dx, float* dgamma, float* dbeta) {
  const FloatTag d;
  const FloatVec middle = hn::Set(d, g.mean);
  const FloatVec inv = hn::Set(d, g.inv);
  const FloatVec x_factor = hn::Set(d, g.x_factor);
  const FloatVec offset = hn::Set(d, g.offset);
  const auto step = [&](const auto& load, const auto& store) {
    const FloatVec off = hn::Sub(load(x), middle);
    const FloatVec gradient = load(dy);
    const FloatVec scaled = hn::Mul(gradient, inv);
    store(hn::MulAdd(scaled, load(gamma), hn::MulAdd(off, x_factor, offset)), dx);
    store(hn::MulAdd(scaled, off, load(dgamma)), dgamma);
    if (dbeta != nullptr) store(hn::Add(gradient, load(dbeta)), dbeta);
  };
  for_each_vector(
      n,
      [&](size_t i) {
        step([&](const float* p) { return hn::LoadU(d, p + i); },
             [&](FloatVec v, float* p) { hn::StoreU(v, d, p + i); });
      },
      [&](size_t i, size_t left) {
        step([&](const float* p) { return load_n(d, p + i, left); },
             [&](FloatVec v, float* p) { store_n(v, d, p + i, left); });
      });
}

// Rows [begin, end) of dx; dgamma and dbeta become the sums over these rows. mean and dbeta are
// null where the shape isn't centred.
void rows_backward(const NormRows& s, const float* x, const float* gamma, const float* mean,
                   const float* inv_std, const float* dy, float* dx, float* dgamma, float* dbeta,
                   size_t begin, size_t end) {
  const FloatTag d;
  for (size_t i = 0; i < s.length; ++i) dgamma[i] = 0;
  for (size_t i = 0; s.centred && i < s.length; ++i) dbeta[i] = 0;
  const auto by_gamma = [&](size_t i, size_t left, FloatVec v) {
    return hn::Mul(v, left == kLanes ? hn::LoadU(d, gamma + i) : load_n(d, gamma + i, left));
  };
  const auto count = static_cast<double>(s.length);
  for (size_t row = begin; row < end; ++row) {
    const size_t at = row * s.length;
    const float centre = s.centred ? mean[row] : 0;
    const double inv = inv_std[row];
    const TwoSums sums = weighted_sums(x + at, dy + at, centre, s.length, by_gamma);
    RowGradient g{centre, inv_std[row], 0, 0};
    g.x_factor = static_cast<float>(-inv * inv * inv * sums.product / count);
    if (s.centred) g.offset = static_cast<float>(-inv * sums.plain / count);
    row_gradient(x + at, gamma, dy + at, s.length, g, dx + at, dgamma, dbeta);
  }
}

// sums[i] += more[i], n elements.
void add_to(float* sums, const float* more, size_t n) {
  const FloatTag d;
  for_each_vector(
      n,
      [&](size_t i) {
        hn::StoreU(hn::Add(hn::LoadU(d, sums + i), hn::LoadU(d, more + i)), d, sums + i);
      },
      [&](size_t i, size_t left) {
        store_n(hn::Add(load_n(d, sums + i, left), load_n(d, more + i, left)), d, sums + i, left);
      });
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(normalise_rows);
HWY_EXPORT(rows_backward);
HWY_EXPORT(add_to);

size_t padded(size_t floats) { return (floats + 15) / 16 * 16; }

}  // namespace

void row_norm_forward(const NormRows& shape, ConstFloats x, ConstFloats gamma, ConstFloats beta,
                      Floats y, Floats mean, Floats inv_std, Pool& pool) {
  assert(x.size() == shape.rows * shape.length && y.size() == x.size());
  assert(gamma.size() == shape.length && inv_std.size() == shape.rows);
  assert(beta.size() == (shape.centred ? shape.length : 0));
  assert(mean.size() == (shape.centred ? shape.rows : 0));
  const auto rows = HWY_DYNAMIC_DISPATCH(normalise_rows);
  parallel_units(pool, shape.rows, shape.length, kNormElements,
                 [&](size_t begin, size_t end, size_t) {
                   rows(shape, x.data(), gamma.data(), shape.centred ? beta.data() : nullptr,
                        y.data(), mean.data(), inv_std.data(), begin, end);
                 });
}

size_t row_norm_workspace_floats(const NormRows& shape, int threads) {
  return static_cast<size_t>(threads - 1) * 2 * padded(shape.length);
}

void row_norm_backward(const NormRows& shape, ConstFloats x, ConstFloats gamma, ConstFloats mean,
                       ConstFloats inv_std, ConstFloats dy, Floats dx, Floats dgamma, Floats dbeta,
                       Floats workspace, Pool& pool) {
  assert(x.size() == shape.rows * shape.length && dy.size() == x.size() && dx.size() == x.size());
  assert(gamma.size() == shape.length && dgamma.size() == shape.length);
  assert(dbeta.size() == (shape.centred ? shape.length : 0));
  assert(workspace.size() >= row_norm_workspace_floats(shape, pool.threads()));
  const auto rows = HWY_DYNAMIC_DISPATCH(rows_backward);
  const auto add = HWY_DYNAMIC_DISPATCH(add_to);
  float* dshift = shape.centred ? dbeta.data() : nullptr;
  // The first part sums into the outputs, the others into the workspace.
  const auto own_sums = [&](size_t part) {
    return workspace.data() + (part - 1) * 2 * padded(shape.length);
  };
  parallel_units(pool, shape.rows, shape.length, kNormElements,
                 [&](size_t begin, size_t end, size_t part) {
                   float* scale_sums = part == 0 ? dgamma.data() : own_sums(part);
                   float* shift_sums = part == 0 ? dshift : own_sums(part) + padded(shape.length);
                   rows(shape, x.data(), gamma.data(), mean.data(), inv_std.data(), dy.data(),
                        dx.data(), scale_sums, shape.centred ? shift_sums : nullptr, begin, end);
                 });
  for (size_t part = 1; part < unit_parts(pool, shape.rows, shape.length, kNormElements); ++part) {
    add(dgamma.data(), own_sums(part), shape.length);
    if (shape.centred) add(dshift, own_sums(part) + padded(shape.length), shape.length);
  }
}

}  // namespace nsop::kernels
#endif  // HWY_ONCE
