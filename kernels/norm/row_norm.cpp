// layernorm and rmsnorm, declared in norm.h: each row has its own mean and variance.
#include <cassert>
#include <cmath>

#include "kernels/norm/norm.h"
#include "kernels/runtime/thresholds.h"
#include "kernels/runtime/units.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/norm/row_norm.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/norm/norm-inl.h"
#include "kernels/norm/short_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// y = (x - mean) * inv * gamma + beta, n elements. `beta` may be null: no shift.
void normalise_row(const float* x, const float* gamma, const float* beta, size_t n, float mean,
                   float inv, float* y) {
  const FloatTag d;
  const FloatVec middle = hn::Set(d, mean);
  const FloatVec scale = hn::Set(d, inv);
  write_run(n, y, [&](const auto& load) {
    const FloatVec h = hn::Mul(hn::Sub(load(x), middle), scale);
    return beta == nullptr ? hn::Mul(h, load(gamma)) : hn::MulAdd(h, load(gamma), load(beta));
  });
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
      SumsAround sums(0);
      sums.add(from, s.length);
      square = sums.squares() / static_cast<double>(s.length);
    }
    inv_std[row] = static_cast<float>(1 / std::sqrt(square + double{kNormEpsilon}));
    normalise_row(from, gamma, beta, s.length, centre, inv_std[row], y + row * s.length);
  }
}

void normalise_rows(const NormRows& s, const float* x, const float* gamma, const float* beta,
                    float* y, float* mean, float* inv_std, size_t begin, size_t end) {
  const bool short_rows = with_short_vectors(s.length, [&](auto vectors) {
    ShortForward<vectors()> forward(s, x, gamma, beta, y, mean, inv_std);
    for_short_rows(forward, begin, end);
  });
  if (!short_rows) normalise_long_rows(s, x, gamma, beta, y, mean, inv_std, begin, end);
}

// Of a row, dy being weighted with gamma.
//
// Adds what a row has to say to dgamma and dbeta (null where there is none), too, or, of the first
// row, puts it there. 20 bytes read, 8 written and 9 flops per element.
GradientSums row_sums(const float* x, const float* gamma, const float* dy, size_t n, float centre,
                      float inv_std, bool first, float* dgamma, float* dbeta) {
  const FloatTag d;
  const FloatVec middle = hn::Set(d, centre);
  const FloatVec inv = hn::Set(d, inv_std);
  FloatVec plain = hn::Zero(d);
  FloatVec product = hn::Zero(d);
  const auto step = [&](const auto& load, const auto& store) {
    const FloatVec off = hn::Sub(load(x), middle);
    const FloatVec gradient = load(dy);
    const FloatVec q = hn::Mul(gradient, load(gamma));
    plain = hn::Add(plain, q);
    product = hn::MulAdd(q, off, product);
    const auto so_far = [&](const float* sums) { return first ? hn::Zero(d) : load(sums); };
    store(hn::MulAdd(hn::Mul(gradient, inv), off, so_far(dgamma)), dgamma);
    if (dbeta != nullptr) store(hn::Add(gradient, so_far(dbeta)), dbeta);
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
  return {hn::GetLane(hn::SumOfLanes(d, plain)), hn::GetLane(hn::SumOfLanes(d, product))};
}

// What a row's dx is made of: dx = inv * q + (x - mean) * x_factor + offset.
struct RowGradient {
  float mean, inv, x_factor, offset;
};

// One row of dx. 16 bytes and 6 flops per element.
void row_gradient(const float* x, const float* gamma, const float* dy, size_t n,
                  const RowGradient& g, float* dx) {
  const FloatTag d;
  const FloatVec middle = hn::Set(d, g.mean);
  const FloatVec inv = hn::Set(d, g.inv);
  const FloatVec x_factor = hn::Set(d, g.x_factor);
  const FloatVec offset = hn::Set(d, g.offset);
  write_run(n, dx, [&](const auto& load) {
    const FloatVec linear = hn::MulAdd(hn::Sub(load(x), middle), x_factor, offset);
    return hn::MulAdd(hn::Mul(load(dy), inv), load(gamma), linear);
  });
}

void long_rows_backward(const NormRows& s, const float* x, const float* gamma, const float* mean,
                        const float* inv_std, const float* dy, float* dx, float* dgamma,
                        float* dbeta, size_t begin, size_t end) {
  const auto count = static_cast<double>(s.length);
  for (size_t row = begin; row < end; ++row) {
    const size_t at = row * s.length;
    const float centre = s.centred ? mean[row] : 0;
    const double inv = inv_std[row];
    const GradientSums sums = row_sums(x + at, gamma, dy + at, s.length, centre, inv_std[row],
                                       row == begin, dgamma, dbeta);
    RowGradient g{centre, inv_std[row], 0, 0};
    g.x_factor = static_cast<float>(-inv * inv * inv * sums.product / count);
    if (s.centred) g.offset = static_cast<float>(-inv * sums.plain / count);
    row_gradient(x + at, gamma, dy + at, s.length, g, dx + at);
  }
}

// Rows [begin, end) of dx; dgamma and dbeta become the sums over these rows. mean and dbeta are
// null where the shape isn't centred.
void rows_backward(const NormRows& s, const float* x, const float* gamma, const float* mean,
                   const float* inv_std, const float* dy, float* dx, float* dgamma, float* dbeta,
                   size_t begin, size_t end) {
  const bool short_rows = with_short_vectors(s.length, [&](auto vectors) {
    ShortBackward<vectors()> backward(s, x, gamma, mean, inv_std, dy, dx);
    for_short_rows(backward, begin, end);
    backward.store_sums_over_rows(dgamma, dbeta);
  });
  if (short_rows) return;
  long_rows_backward(s, x, gamma, mean, inv_std, dy, dx, dgamma, dbeta, begin, end);
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
                      Floats y, Floats mean, Floats inv_std, ThreadPool& thread_pool) {
  assert(x.size() == shape.rows * shape.length && y.size() == x.size());
  assert(gamma.size() == shape.length && inv_std.size() == shape.rows);
  assert(beta.size() == (shape.centred ? shape.length : 0));
  assert(mean.size() == (shape.centred ? shape.rows : 0));
  const auto rows = HWY_DYNAMIC_DISPATCH(normalise_rows);
  parallel_units(thread_pool, shape.rows, shape.length, kNormElements,
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
                       Floats workspace, ThreadPool& thread_pool) {
  assert(x.size() == shape.rows * shape.length && dy.size() == x.size() && dx.size() == x.size());
  assert(gamma.size() == shape.length && dgamma.size() == shape.length);
  assert(dbeta.size() == (shape.centred ? shape.length : 0));
  assert(workspace.size() >= row_norm_workspace_floats(shape, thread_pool.threads()));
  const auto rows = HWY_DYNAMIC_DISPATCH(rows_backward);
  const auto add = HWY_DYNAMIC_DISPATCH(add_to);
  float* dshift = shape.centred ? dbeta.data() : nullptr;
  // The first part sums into the outputs, the others into the workspace.
  const auto own_sums = [&](size_t part) {
    return workspace.data() + (part - 1) * 2 * padded(shape.length);
  };
  parallel_units(thread_pool, shape.rows, shape.length, kNormGradientElements,
                 [&](size_t begin, size_t end, size_t part) {
                   float* scale_sums = part == 0 ? dgamma.data() : own_sums(part);
                   float* shift_sums = part == 0 ? dshift : own_sums(part) + padded(shape.length);
                   rows(shape, x.data(), gamma.data(), mean.data(), inv_std.data(), dy.data(),
                        dx.data(), scale_sums, shape.centred ? shift_sums : nullptr, begin, end);
                 });
  for (size_t part = 1;
       part < unit_parts(thread_pool, shape.rows, shape.length, kNormGradientElements); ++part) {
    add(dgamma.data(), own_sums(part), shape.length);
    if (shape.centred) add(dshift, own_sums(part) + padded(shape.length), shape.length);
  }
}

}  // namespace nsop::kernels
#endif  // HWY_ONCE
