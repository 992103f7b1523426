// batchnorm and groupnorm, declared in norm.h: each plane of a channel has one mean and variance.
#include <cassert>
#include <cmath>

#include "kernels/norm/norm.h"
#include "kernels/runtime/thresholds.h"
#include "kernels/runtime/units.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/norm/plane_norm.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/norm/norm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// y = (x - mean) * scale + shift of n floats. 8 bytes and 3 flops per element.
void normalise_plane(const float* x, size_t n, float mean, float scale, float shift, float* y) {
  const FloatTag d;
  const FloatVec middle = hn::Set(d, mean);
  const FloatVec factor = hn::Set(d, scale);
  const FloatVec offset = hn::Set(d, shift);
  write_run(n, y,
            [&](const auto& load) { return hn::MulAdd(hn::Sub(load(x), middle), factor, offset); });
}

// Groups [begin, end). Reads x twice, the second time from the cache where a group fits.
void normalise_groups(const NormPlanes& s, const float* x, const float* gamma, const float* beta,
                      float* y, float* mean, float* inv_std, size_t begin, size_t end) {
  for (size_t group = begin; group < end; ++group) {
    const size_t first = s.first_plane(group);
    const float* from = x + first * s.pixels;
    const Moments moments = s.groups == 0
                                ? moments_of(from, s.batch, s.pixels, s.channels * s.pixels)
                                : moments_of(from, 1, s.count(), 0);
    mean[group] = static_cast<float>(moments.mean);
    const double variance = moments.squares / moments.count;
    inv_std[group] = static_cast<float>(1 / std::sqrt(variance + double{kNormEpsilon}));
    for (size_t j = 0; j < s.planes_per_group(); ++j) {
      const size_t plane = first + j * s.plane_step();
      const size_t channel = plane % s.channels;
      normalise_plane(x + plane * s.pixels, s.pixels, mean[group], inv_std[group] * gamma[channel],
                      beta[channel], y + plane * s.pixels);
    }
  }
}

void normalise_planes(const NormPlanes& s, const float* x, const float* gamma, const float* beta,
                      const float* mean, const float* variance, float* y, size_t begin,
                      size_t end) {
  for (size_t plane = begin; plane < end; ++plane) {
    const size_t c = plane % s.channels;
    const double inv = 1 / std::sqrt(double{variance[c]} + double{kNormEpsilon});
    normalise_plane(x + plane * s.pixels, s.pixels, mean[c], static_cast<float>(inv * gamma[c]),
                    beta[c], y + plane * s.pixels);
  }
}

// dx = dy * dy_factor + (x - mean) * x_factor + offset of n floats. 12 bytes, 5 flops per element.
struct PlaneGradient {
  float mean, dy_factor, x_factor, offset;
};

void plane_gradient(const float* x, const float* dy, size_t n, const PlaneGradient& g, float* dx) {
  const FloatTag d;
  const FloatVec middle = hn::Set(d, g.mean);
  const FloatVec dy_factor = hn::Set(d, g.dy_factor);
  const FloatVec x_factor = hn::Set(d, g.x_factor);
  const FloatVec offset = hn::Set(d, g.offset);
  write_run(n, dx, [&](const auto& load) {
    const FloatVec linear = hn::MulAdd(hn::Sub(load(x), middle), x_factor, offset);
    return hn::MulAdd(load(dy), dy_factor, linear);
  });
}

// Groups [begin, end) of dx, and of every plane the sums of dy and of dy * (x - mean) * inv_std.
void groups_backward(const NormPlanes& s, const float* x, const float* gamma, const float* mean,
                     const float* inv_std, const float* dy, float* dx, float* plane_dy,
                     float* plane_product, size_t begin, size_t end) {
  const auto count = static_cast<double>(s.count());
  for (size_t group = begin; group < end; ++group) {
    const auto visit = [&](size_t j, const auto& fn) {
      const size_t plane = s.first_plane(group) + j * s.plane_step();
      fn(plane, plane * s.pixels, gamma[plane % s.channels]);
    };
    const float inv = inv_std[group];
    double sum = 0;
    double product = 0;
    const auto sum_up = [&](size_t plane, size_t at, float scale) {
      const GradientSums sums = gradient_sums(x + at, dy + at, mean[group], s.pixels);
      plane_dy[plane] = sums.plain;
      plane_product[plane] = sums.product * inv;
      sum += double{scale} * sums.plain;
      product += double{scale} * sums.product * inv;
    };
    for (size_t j = 0; j < s.planes_per_group(); ++j) visit(j, sum_up);
    const auto offset = static_cast<float>(-inv * sum / count);
    const auto x_factor = static_cast<float>(-inv * double{inv} * product / count);
    const auto write = [&](size_t, size_t at, float scale) {
      plane_gradient(x + at, dy + at, s.pixels, {mean[group], scale * inv, x_factor, offset},
                     dx + at);
    };
    // Backwards: the planes read last are in the nearest cache.
    for (size_t j = s.planes_per_group(); j > 0; --j) visit(j - 1, write);
  }
}

// dx = dy * factor of n floats. 8 bytes and 1 flop per element.
void scale_plane(const float* dy, size_t n, float factor, float* dx) {
  const FloatTag d;
  const FloatVec by = hn::Set(d, factor);
  write_run(n, dx, [&](const auto& load) { return hn::Mul(load(dy), by); });
}

// Planes [begin, end) of dx, the statistics being constants, and the same sums of every plane.
void planes_backward(const NormPlanes& s, const float* x, const float* gamma, const float* mean,
                     const float* variance, const float* dy, float* dx, float* plane_dy,
                     float* plane_product, size_t begin, size_t end) {
  for (size_t plane = begin; plane < end; ++plane) {
    const size_t c = plane % s.channels;
    const size_t at = plane * s.pixels;
    const double inv = 1 / std::sqrt(double{variance[c]} + double{kNormEpsilon});
    const GradientSums sums = gradient_sums(x + at, dy + at, mean[c], s.pixels);
    plane_dy[plane] = sums.plain;
    plane_product[plane] = static_cast<float>(sums.product * inv);
    scale_plane(dy + at, s.pixels, static_cast<float>(inv * gamma[c]), dx + at);
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(normalise_groups);
HWY_EXPORT(normalise_planes);
HWY_EXPORT(groups_backward);
HWY_EXPORT(planes_backward);

// sums[channel] = the sum over the batch of what its planes have.
void add_up_planes(const NormPlanes& s, const float* of_planes, Floats sums) {
  for (size_t c = 0; c < s.channels; ++c) {
    double sum = 0;
    for (size_t n = 0; n < s.batch; ++n) sum += of_planes[n * s.channels + c];
    sums[c] = static_cast<float>(sum);
  }
}

}  // namespace

void plane_norm_forward(const NormPlanes& shape, ConstFloats x, ConstFloats gamma, ConstFloats beta,
                        Floats y, Floats mean, Floats inv_std, ThreadPool& thread_pool) {
  assert(x.size() == shape.size() && y.size() == x.size());
  assert(gamma.size() == shape.channels && beta.size() == shape.channels);
  assert(mean.size() == shape.statistics() && inv_std.size() == mean.size());
  const auto groups = HWY_DYNAMIC_DISPATCH(normalise_groups);
  parallel_units(thread_pool, shape.statistics(), shape.count(), kNormElements,
                 [&](size_t begin, size_t end, size_t) {
                   groups(shape, x.data(), gamma.data(), beta.data(), y.data(), mean.data(),
                          inv_std.data(), begin, end);
                 });
}

void plane_norm_inference(const NormPlanes& shape, ConstFloats x, ConstFloats gamma,
                          ConstFloats beta, ConstFloats mean, ConstFloats variance, Floats y,
                          ThreadPool& thread_pool) {
  assert(x.size() == shape.size() && y.size() == x.size());
  assert(mean.size() == shape.channels && variance.size() == shape.channels);
  const auto planes = HWY_DYNAMIC_DISPATCH(normalise_planes);
  parallel_units(thread_pool, shape.planes(), shape.pixels, kNormElements,
                 [&](size_t begin, size_t end, size_t) {
                   planes(shape, x.data(), gamma.data(), beta.data(), mean.data(), variance.data(),
                          y.data(), begin, end);
                 });
}

size_t plane_norm_workspace_floats(const NormPlanes& shape) { return 2 * shape.planes(); }

void plane_norm_backward(const NormPlanes& shape, ConstFloats x, ConstFloats gamma,
                         ConstFloats mean, ConstFloats inv_std, ConstFloats dy, Floats dx,
                         Floats dgamma, Floats dbeta, Floats workspace, ThreadPool& thread_pool) {
  assert(x.size() == shape.size() && dy.size() == x.size() && dx.size() == x.size());
  assert(mean.size() == shape.statistics() && inv_std.size() == mean.size());
  assert(gamma.size() == shape.channels && dgamma.size() == gamma.size());
  assert(dbeta.size() == gamma.size() && workspace.size() >= plane_norm_workspace_floats(shape));
  const auto groups = HWY_DYNAMIC_DISPATCH(groups_backward);
  float* plane_dy = workspace.data();
  float* plane_product = plane_dy + shape.planes();
  parallel_units(thread_pool, shape.statistics(), shape.count(), kNormGradientElements,
                 [&](size_t begin, size_t end, size_t) {
                   groups(shape, x.data(), gamma.data(), mean.data(), inv_std.data(), dy.data(),
                          dx.data(), plane_dy, plane_product, begin, end);
                 });
  add_up_planes(shape, plane_dy, dbeta);
  add_up_planes(shape, plane_product, dgamma);
}

void plane_norm_inference_backward(const NormPlanes& shape, ConstFloats x, ConstFloats gamma,
                                   ConstFloats mean, ConstFloats variance, ConstFloats dy,
                                   Floats dx, Floats dgamma, Floats dbeta, Floats workspace,
                                   ThreadPool& thread_pool) {
  assert(x.size() == shape.size() && dy.size() == x.size() && dx.size() == x.size());
  assert(mean.size() == shape.channels && variance.size() == shape.channels);
  assert(gamma.size() == shape.channels && dgamma.size() == gamma.size());
  assert(dbeta.size() == gamma.size() && workspace.size() >= plane_norm_workspace_floats(shape));
  const auto planes = HWY_DYNAMIC_DISPATCH(planes_backward);
  float* plane_dy = workspace.data();
  float* plane_product = plane_dy + shape.planes();
  parallel_units(thread_pool, shape.planes(), shape.pixels, kNormGradientElements,
                 [&](size_t begin, size_t end, size_t) {
                   planes(shape, x.data(), gamma.data(), mean.data(), variance.data(), dy.data(),
                          dx.data(), plane_dy, plane_product, begin, end);
                 });
  add_up_planes(shape, plane_dy, dbeta);
  add_up_planes(shape, plane_product, dgamma);
}

}  // namespace nsop::kernels
#endif  // HWY_ONCE
