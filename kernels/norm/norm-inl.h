// Sums and moments of floats on vectors. Included once per target.
#if defined(NSOP_KERNELS_NORM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_NORM_INL_H_
#undef NSOP_KERNELS_NORM_INL_H_
#else
#define NSOP_KERNELS_NORM_INL_H_
#endif

#include <algorithm>
#include <cstddef>

#include "hwy/cache_control.h"
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// Calls full(i) for every whole vector of [0, n) and then rest(i, left) for what is left.
template <class Full, class Rest>
HWY_INLINE void for_each_vector(size_t n, const Full& full, const Rest& rest) {
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) full(i);
  if (i < n) rest(i, n - i);
}

// out[i] = map(load) for every vector i of [0, n); load(p) reads the same vector of array p. Asks
// for lines of `out` ahead: the hardware foresees too late those that nobody has read before.
template <class Map>
HWY_INLINE void write_run(size_t n, float* out, const Map& map) {
  constexpr size_t kAhead = 256;  // floats
  const FloatTag d;
  for_each_vector(
      n,
      [&](size_t i) {
        if (kLanes >= 8) hwy::Prefetch(out + i + kAhead);
        hn::StoreU(map([&](const float* p) { return hn::LoadU(d, p + i); }), d, out + i);
      },
      [&](size_t i, size_t left) {
        store_n(map([&](const float* p) { return load_n(d, p + i, left); }), d, out + i, left);
      });
}

// Partial sums, in as many independent chains as keep the adders busy.
struct Chains {
  FloatVec sum[4];
  Chains() {
    HWY_UNROLL(4)
    for (FloatVec& s : sum) s = hn::Zero(FloatTag());
  }
  HWY_INLINE float total() const {
    const FloatTag d;
    return hn::GetLane(
        hn::SumOfLanes(d, hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]))));
  }
};

// Like for_each_vector, with the chain in turn as another argument.
template <class Full, class Rest>
HWY_INLINE void for_each_chained(size_t n, const Full& full, const Rest& rest) {
  size_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    HWY_UNROLL(4)
    for (size_t c = 0; c < 4; ++c) full(c, i + c * kLanes);
  }
  for (; i + kLanes <= n; i += kLanes) full(0, i);
  if (i < n) rest(1, i, n - i);
}

// Sums of values less `centre`, and of the squares of these.
class SumsAround {
 public:
  explicit SumsAround(float centre) : centre_(hn::Set(FloatTag(), centre)) {}

  HWY_INLINE void add(const float* p, size_t n) {
    const FloatTag d;
    for_each_chained(
        n, [&](size_t c, size_t i) { add_to(c, hn::Sub(hn::LoadU(d, p + i), centre_)); },
        [&](size_t c, size_t i, size_t left) {
          const FloatVec off = hn::Sub(load_n(d, p + i, left), centre_);
          add_to(c, hn::IfThenElseZero(hn::FirstN(d, left), off));
        });
  }

  HWY_INLINE float sum() const { return plain_.total(); }
  HWY_INLINE float squares() const { return squared_.total(); }

 private:
  HWY_INLINE void add_to(size_t chain, FloatVec off) {
    plain_.sum[chain] = hn::Add(plain_.sum[chain], off);
    squared_.sum[chain] = hn::MulAdd(off, off, squared_.sum[chain]);
  }

  FloatVec centre_;
  Chains plain_;
  Chains squared_;
};

// Sums over a group or row, of dy and of dy * (x - centre); dy is weighted or not.
struct GradientSums {
  float plain = 0;
  float product = 0;
};

// Of n floats, without weights. 8 bytes and 4 flops per element.
HWY_INLINE GradientSums gradient_sums(const float* x, const float* dy, float centre, size_t n) {
  const FloatTag d;
  const FloatVec middle = hn::Set(d, centre);
  FloatVec plain[2] = {hn::Zero(d), hn::Zero(d)};
  FloatVec product[2] = {hn::Zero(d), hn::Zero(d)};
  size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    HWY_UNROLL(2)
    for (size_t c = 0; c < 2; ++c) {
      const size_t at = i + c * kLanes;
      const FloatVec g = hn::LoadU(d, dy + at);
      plain[c] = hn::Add(plain[c], g);
      product[c] = hn::MulAdd(g, hn::Sub(hn::LoadU(d, x + at), middle), product[c]);
    }
  }
  for (; i < n; i += kLanes) {
    const size_t left = HWY_MIN(kLanes, n - i);
    const FloatVec g = load_n(d, dy + i, left);
    plain[0] = hn::Add(plain[0], g);
    product[0] = hn::MulAdd(g, hn::Sub(load_n(d, x + i, left), middle), product[0]);
  }
  return {hn::GetLane(hn::SumOfLanes(d, hn::Add(plain[0], plain[1]))),
          hn::GetLane(hn::SumOfLanes(d, hn::Add(product[0], product[1])))};
}

// Count, mean and sum of squares around the mean of the values so far.
struct Moments {
  double count = 0;
  double mean = 0;
  double squares = 0;

  // Chan, Golub & LeVeque 1983, doi:10.1080/00031305.1983.10483115.
  HWY_INLINE void merge(double n, double other_mean, double other_squares) {
    const double total = count + n;
    const double delta = other_mean - mean;
    squares += other_squares + delta * delta * (count * n / total);
    mean += delta * (n / total);
    count = total;
  }
};

// How many floats are read twice in a row, if need be: they stay in the first cache.
constexpr size_t kMomentBlock = 4096;

// Adds `runs` runs of n floats, `step` apart, that belong together (at most about a block).
//
// One pass gives both sums around a guess of the mean. The variance is a difference of them, which
// is as good as the guess: when more than a bit could get lost, a second pass starts from the mean.
HWY_INLINE void add_block(const float* p, size_t runs, size_t n, size_t step, Moments& moments) {
  const auto count = static_cast<double>(runs * n);
  const size_t few = HWY_MIN(n, size_t{16});
  float centre = moments.count > 0 ? static_cast<float>(moments.mean)
                                   : sum_of(p, few) / static_cast<float>(few);
  double off = 0;
  double squares = 0;
  const auto pass = [&] {
    SumsAround sums(centre);
    for (size_t r = 0; r < runs; ++r) sums.add(p + r * step, n);
    off = sums.sum() / count;
    squares = sums.squares();
  };
  pass();
  if (!(off * off * count <= squares / 2)) {
    centre = static_cast<float>(centre + off);
    pass();
  }
  moments.merge(count, centre + off, std::max(squares - off * off * count, 0.0));
}

// The moments of `runs` runs of n floats, `step` apart.
inline Moments moments_of(const float* p, size_t runs, size_t n, size_t step) {
  Moments moments;
  if (n >= kMomentBlock) {
    for (size_t r = 0; r < runs; ++r) {
      const float* run = p + r * step;
      for (size_t i = 0; i < n; i += kMomentBlock) {
        add_block(run + i, 1, HWY_MIN(kMomentBlock, n - i), 0, moments);
      }
    }
    return moments;
  }
  const size_t together = kMomentBlock / n;
  for (size_t r = 0; r < runs; r += together) {
    add_block(p + r * step, HWY_MIN(together, runs - r), n, step, moments);
  }
  return moments;
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
