#include "kernels/elementwise/optimizer.h"

#include <cassert>
#include <limits>

#include "kernels/runtime/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/optimizer.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// The state of an element beside its weight: none, one or two numbers.
struct States {
  FloatVec first;
  FloatVec second;
};

// A whole vector of elements, or the first `count` of the last one.
struct Whole {
  HWY_INLINE FloatVec load(FloatTag d, const float* p) const { return hn::LoadU(d, p); }
  HWY_INLINE void store(FloatVec v, FloatTag d, float* p) const { hn::StoreU(v, d, p); }
};
struct Part {
  size_t count;
  HWY_INLINE FloatVec load(FloatTag d, const float* p) const { return load_n(d, p, count); }
  HWY_INLINE void store(FloatVec v, FloatTag d, float* p) const { store_n(v, d, p, count); }
};

template <class Rule, class Access>
HWY_INLINE void update_vector(const Rule& rule, const Access& access, const float* g, float* w,
                              float* first, float* second) {
  const FloatTag d;
  States states{hn::Zero(d), hn::Zero(d)};
  if constexpr (Rule::kStates > 0) states.first = access.load(d, first);
  if constexpr (Rule::kStates > 1) states.second = access.load(d, second);
  access.store(rule(access.load(d, g), access.load(d, w), states), d, w);
  if constexpr (Rule::kStates > 0) access.store(states.first, d, first);
  if constexpr (Rule::kStates > 1) access.store(states.second, d, second);
}

template <class Rule>
HWY_INLINE void update(const Rule& rule, const float* g, float* w, float* first, float* second,
                       size_t n) {
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    update_vector(rule, Whole(), g + i, w + i, first + i, second + i);
  }
  if (i < n) update_vector(rule, Part{n - i}, g + i, w + i, first + i, second + i);
}

HWY_INLINE FloatVec set(float value) { return hn::Set(FloatTag(), value); }

// What is smaller in magnitude becomes 0; NaN stays.
HWY_INLINE FloatVec at_least(FloatVec least, FloatVec state) {
  return hn::IfThenZeroElse(hn::Lt(hn::Abs(state), least), state);
}
// Subnormal numbers become 0 (kernels/elementwise/optimizer.h).
HWY_INLINE FloatVec normal(FloatVec state) {
  return at_least(set(std::numeric_limits<float>::min()), state);
}

template <bool kMomentum>
struct Sgd {
  static constexpr int kStates = kMomentum ? 1 : 0;
  FloatVec rate, decay, momentum;
  bool nesterov;
  explicit Sgd(const SgdRule& r)
      : rate(set(r.rate)),
        decay(set(r.weight_decay)),
        momentum(set(r.momentum)),
        nesterov(r.nesterov) {}
  HWY_INLINE FloatVec operator()(FloatVec g, FloatVec w, States& states) const {
    g = hn::MulAdd(decay, w, g);
    if constexpr (kMomentum) {
      states.first = normal(hn::MulAdd(momentum, states.first, g));
      g = nesterov ? hn::MulAdd(momentum, states.first, g) : states.first;
    }
    return hn::NegMulAdd(rate, g, w);
  }
};

struct Adam {
  static constexpr int kStates = 2;
  FloatVec rate, root, beta1, rest1, beta2, rest2, eps, decay, keep;
  explicit Adam(const AdamRule& r)
      : rate(set(r.rate)),
        root(set(r.root)),
        beta1(set(r.beta1)),
        rest1(set(r.rest1)),
        beta2(set(r.beta2)),
        rest2(set(r.rest2)),
        eps(set(r.eps)),
        decay(set(r.weight_decay)),
        keep(set(r.keep)) {}
  HWY_INLINE FloatVec operator()(FloatVec g, FloatVec w, States& states) const {
    g = hn::MulAdd(decay, w, g);
    states.first = hn::MulAdd(beta1, states.first, hn::Mul(rest1, g));
    states.second = normal(hn::MulAdd(beta2, states.second, hn::Mul(rest2, hn::Mul(g, g))));
    const FloatVec size = hn::MulAdd(hn::Sqrt(states.second), root, eps);
    states.first = at_least(hn::Mul(set(0x1p-99F), size), normal(states.first));
    return hn::NegMulAdd(rate, hn::Div(states.first, size), hn::Mul(keep, w));
  }
};

template <bool kMomentum>
struct Rmsprop {
  static constexpr int kStates = kMomentum ? 2 : 1;
  FloatVec rate, alpha, rest, eps, decay, momentum;
  explicit Rmsprop(const RmspropRule& r)
      : rate(set(r.rate)),
        alpha(set(r.alpha)),
        rest(set(r.rest)),
        eps(set(r.eps)),
        decay(set(r.weight_decay)),
        momentum(set(r.momentum)) {}
  HWY_INLINE FloatVec operator()(FloatVec g, FloatVec w, States& states) const {
    g = hn::MulAdd(decay, w, g);
    states.first = normal(hn::MulAdd(alpha, states.first, hn::Mul(rest, hn::Mul(g, g))));
    FloatVec step = hn::Div(g, hn::Add(hn::Sqrt(states.first), eps));
    if constexpr (kMomentum) {
      step = normal(hn::MulAdd(momentum, states.second, step));
      states.second = step;
    }
    return hn::NegMulAdd(rate, step, w);
  }
};

struct Adagrad {
  static constexpr int kStates = 1;
  FloatVec rate, eps, decay;
  explicit Adagrad(const AdagradRule& r)
      : rate(set(r.rate)), eps(set(r.eps)), decay(set(r.weight_decay)) {}
  HWY_INLINE FloatVec operator()(FloatVec g, FloatVec w, States& states) const {
    g = hn::MulAdd(decay, w, g);
    states.first = normal(hn::MulAdd(g, g, states.first));
    return hn::NegMulAdd(rate, hn::Div(g, hn::Add(hn::Sqrt(states.first), eps)), w);
  }
};

void sgd_part(const SgdRule& rule, const float* g, float* w, float* momentum, float* /*none*/,
              size_t n) {
  if (momentum == nullptr) return update(Sgd<false>(rule), g, w, w, w, n);
  update(Sgd<true>(rule), g, w, momentum, w, n);
}

void adam_part(const AdamRule& rule, const float* g, float* w, float* m, float* v, size_t n) {
  update(Adam(rule), g, w, m, v, n);
}

void rmsprop_part(const RmspropRule& rule, const float* g, float* w, float* square, float* momentum,
                  size_t n) {
  if (momentum == nullptr) return update(Rmsprop<false>(rule), g, w, square, w, n);
  update(Rmsprop<true>(rule), g, w, square, momentum, n);
}

void adagrad_part(const AdagradRule& rule, const float* g, float* w, float* sum, float* /*none*/,
                  size_t n) {
  update(Adagrad(rule), g, w, sum, w, n);
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(sgd_part);
HWY_EXPORT(adam_part);
HWY_EXPORT(rmsprop_part);
HWY_EXPORT(adagrad_part);

template <class Part, class Rule>
void run(Part part, const Rule& rule, std::span<const float> gradient, std::span<float> weight,
         std::span<float> first, std::span<float> second, ThreadPool& thread_pool) {
  assert(gradient.size() == weight.size());
  assert(first.empty() || first.size() == weight.size());
  assert(second.empty() || second.size() == weight.size());
  parallel_chunks(thread_pool, weight.size(), kArithmeticElements, [&](size_t begin, size_t end) {
    part(rule, gradient.data() + begin, weight.data() + begin,
         first.empty() ? nullptr : first.data() + begin,
         second.empty() ? nullptr : second.data() + begin, end - begin);
  });
}

}  // namespace

void sgd_update(const SgdRule& rule, std::span<const float> gradient, std::span<float> weight,
                std::span<float> momentum, ThreadPool& thread_pool) {
  run(HWY_DYNAMIC_DISPATCH(sgd_part), rule, gradient, weight, momentum, {}, thread_pool);
}

void adam_update(const AdamRule& rule, std::span<const float> gradient, std::span<float> weight,
                 std::span<float> m, std::span<float> v, ThreadPool& thread_pool) {
  run(HWY_DYNAMIC_DISPATCH(adam_part), rule, gradient, weight, m, v, thread_pool);
}

void rmsprop_update(const RmspropRule& rule, std::span<const float> gradient,
                    std::span<float> weight, std::span<float> square, std::span<float> momentum,
                    ThreadPool& thread_pool) {
  run(HWY_DYNAMIC_DISPATCH(rmsprop_part), rule, gradient, weight, square, momentum, thread_pool);
}

void adagrad_update(const AdagradRule& rule, std::span<const float> gradient,
                    std::span<float> weight, std::span<float> sum, ThreadPool& thread_pool) {
  run(HWY_DYNAMIC_DISPATCH(adagrad_part), rule, gradient, weight, sum, {}, thread_pool);
}

}  // namespace nsop::kernels
#endif  // HWY_ONCE
