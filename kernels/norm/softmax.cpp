#include "kernels/norm/softmax.h"

#include <cassert>

#include "kernels/runtime/fresh_step.h"
#include "kernels/runtime/step.h"
#include "kernels/runtime/thresholds.h"
#include "kernels/runtime/ways.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/norm/softmax.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/math/log-inl.h"
#include "kernels/math/math-inl.h"
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// e^z for z <= 0, or NaN.
HWY_INLINE FloatVec exp_of_shifted(FloatTag d, FloatVec z) {
#if NSOP_HAVE_FLOAT_TABLES
  // e^-104 rounds to 0.
  const ExpReduced<FloatVec> e =
      exp_reduce<ExpRest::kPower>(d, max_keep_nan(d, hn::Set(d, -104.0f), z));
  return times_power(hn::MulAdd(e.power, e.rest, e.power), e.n);
#else
  // At -88 the exponent field becomes 0, and with it the whole product.
  const ExpParts<FloatVec> e = exp_parts<0>(d, max_keep_nan(d, hn::Set(d, -88.0f), z));
  return hn::MulAdd(e.scale, e.rest, e.scale);
#endif
}

// Calls fn(vector, position, count) on n elements of x; count < lanes in the last vector only,
// whose other lanes are zero.
template <class Fn>
HWY_INLINE void for_each_vector(const float* x, size_t n, Fn&& fn) {
  const FloatTag d;
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) fn(hn::LoadU(d, x + i), i, kLanes);
  if (i < n) fn(load_n(d, x + i, n - i), i, n - i);
}

HWY_INLINE void store_part(FloatVec v, float* y, size_t count) {
  const FloatTag d;
  if (count == kLanes) {
    hn::StoreU(v, d, y);
  } else {
    store_n(v, d, y, count);
  }
}

// The largest element, in all lanes. What a NaN does to it doesn't matter: the sum of exponentials
// will be NaN.
HWY_INLINE FloatVec largest_of(const float* x, size_t n) {
  const FloatTag d;
  FloatVec m0 = hn::Set(d, x[0]);
  FloatVec m1 = m0;
  size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    m0 = hn::Max(m0, hn::LoadU(d, x + i));
    m1 = hn::Max(m1, hn::LoadU(d, x + i + kLanes));
  }
  for (; i < n; i += kLanes) {
    const size_t left = n - i;
    if (left >= kLanes) {
      m0 = hn::Max(m0, hn::LoadU(d, x + i));
    } else {
      m1 = hn::Max(m1, hn::IfThenElse(hn::FirstN(d, left), load_n(d, x + i, left), m1));
    }
  }
  return hn::MaxOfLanes(d, hn::Max(m0, m1));
}

// The same of each of `count` <= lanes columns.
HWY_INLINE FloatVec largest_of_lanes(const float* x, const Columns& s, size_t count) {
  const FloatTag d;
  FloatVec largest = load_n(d, x, count);
  for (size_t i = 1; i < s.length; ++i) {
    largest = hn::Max(largest, load_n(d, x + i * s.stride, count));
  }
  return largest;
}

struct PlainSoftmax {
  static HWY_INLINE void forward_row(const float* x, size_t n, float* y) {
    const FloatTag d;
    const FloatVec largest = largest_of(x, n);
    FloatVec sum = hn::Zero(d);
    for_each_vector(x, n, [&](FloatVec v, size_t at, size_t count) {
      FloatVec e = exp_of_shifted(d, hn::Sub(v, largest));
      if (count < kLanes) e = hn::IfThenElseZero(hn::FirstN(d, count), e);
      sum = hn::Add(sum, e);
      store_part(e, y + at, count);
    });
    const FloatVec scale = hn::Div(hn::Set(d, 1.0f), hn::SumOfLanes(d, sum));
    for_each_vector(y, n, [&](FloatVec e, size_t at, size_t count) {
      store_part(hn::Mul(e, scale), y + at, count);
    });
  }

  static HWY_INLINE void backward_row(const float* y, const float* dy, size_t n, float* dx) {
    const FloatTag d;
    FloatVec sum0 = hn::Zero(d);
    FloatVec sum1 = hn::Zero(d);
    size_t i = 0;
    for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
      sum0 = hn::MulAdd(hn::LoadU(d, y + i), hn::LoadU(d, dy + i), sum0);
      sum1 = hn::MulAdd(hn::LoadU(d, y + i + kLanes), hn::LoadU(d, dy + i + kLanes), sum1);
    }
    for (; i < n; i += kLanes) {
      const size_t count = HWY_MIN(kLanes, n - i);
      sum0 = hn::MulAdd(load_n(d, y + i, count), load_n(d, dy + i, count), sum0);
    }
    const FloatVec sum = hn::SumOfLanes(d, hn::Add(sum0, sum1));
    for_each_vector(y, n, [&](FloatVec p, size_t at, size_t count) {
      const FloatVec g = count == kLanes ? hn::LoadU(d, dy + at) : load_n(d, dy + at, count);
      store_part(hn::Mul(p, hn::Sub(g, sum)), dx + at, count);
    });
  }

  // One vector of columns, `count` of them in use.
  static HWY_INLINE void forward_lanes(const float* x, const Columns& s, size_t count, float* y) {
    const FloatTag d;
    const FloatVec largest = largest_of_lanes(x, s, count);
    FloatVec sum = hn::Zero(d);
    for (size_t i = 0; i < s.length; ++i) {
      const FloatVec v = load_n(d, x + i * s.stride, count);
      const FloatVec e = exp_of_shifted(d, hn::Sub(v, largest));
      sum = hn::Add(sum, e);
      store_part(e, y + i * s.stride, count);
    }
    const FloatVec scale = hn::Div(hn::Set(d, 1.0f), sum);
    for (size_t i = 0; i < s.length; ++i) {
      float* at = y + i * s.stride;
      store_part(hn::Mul(load_n(d, at, count), scale), at, count);
    }
  }

  static HWY_INLINE void backward_lanes(const float* y, const float* dy, const Columns& s,
                                        size_t count, float* dx) {
    const FloatTag d;
    FloatVec sum = hn::Zero(d);
    for (size_t i = 0; i < s.length; ++i) {
      sum =
          hn::MulAdd(load_n(d, y + i * s.stride, count), load_n(d, dy + i * s.stride, count), sum);
    }
    for (size_t i = 0; i < s.length; ++i) {
      const FloatVec p = load_n(d, y + i * s.stride, count);
      const FloatVec g = load_n(d, dy + i * s.stride, count);
      store_part(hn::Mul(p, hn::Sub(g, sum)), dx + i * s.stride, count);
    }
  }
};

struct LogSoftmax {
  static HWY_INLINE void forward_row(const float* x, size_t n, float* y) {
    const FloatTag d;
    const FloatVec largest = largest_of(x, n);
    FloatVec sum = hn::Zero(d);
    for_each_vector(x, n, [&](FloatVec v, size_t, size_t count) {
      const FloatVec e = exp_of_shifted(d, hn::Sub(v, largest));
      sum = hn::Add(sum, count < kLanes ? hn::IfThenElseZero(hn::FirstN(d, count), e) : e);
    });
    const FloatVec log_sum = log(d, hn::SumOfLanes(d, sum));
    for_each_vector(x, n, [&](FloatVec v, size_t at, size_t count) {
      store_part(hn::Sub(hn::Sub(v, largest), log_sum), y + at, count);
    });
  }

  static HWY_INLINE void backward_row(const float* y, const float* dy, size_t n, float* dx) {
    const FloatTag d;
    const FloatVec sum = hn::Set(d, sum_of(dy, n));
    for_each_vector(y, n, [&](FloatVec v, size_t at, size_t count) {
      const FloatVec g = count == kLanes ? hn::LoadU(d, dy + at) : load_n(d, dy + at, count);
      store_part(hn::NegMulAdd(exp_of_shifted(d, v), sum, g), dx + at, count);
    });
  }

  static HWY_INLINE void forward_lanes(const float* x, const Columns& s, size_t count, float* y) {
    const FloatTag d;
    const FloatVec largest = largest_of_lanes(x, s, count);
    FloatVec sum = hn::Zero(d);
    for (size_t i = 0; i < s.length; ++i) {
      const FloatVec v = load_n(d, x + i * s.stride, count);
      sum = hn::Add(sum, exp_of_shifted(d, hn::Sub(v, largest)));
    }
    const FloatVec log_sum = log(d, sum);
    for (size_t i = 0; i < s.length; ++i) {
      const FloatVec v = load_n(d, x + i * s.stride, count);
      store_part(hn::Sub(hn::Sub(v, largest), log_sum), y + i * s.stride, count);
    }
  }

  static HWY_INLINE void backward_lanes(const float* y, const float* dy, const Columns& s,
                                        size_t count, float* dx) {
    const FloatTag d;
    FloatVec sum = hn::Zero(d);
    for (size_t i = 0; i < s.length; ++i) {
      sum = hn::Add(sum, load_n(d, dy + i * s.stride, count));
    }
    for (size_t i = 0; i < s.length; ++i) {
      const FloatVec e = exp_of_shifted(d, load_n(d, y + i * s.stride, count));
      const FloatVec g = load_n(d, dy + i * s.stride, count);
      store_part(hn::NegMulAdd(e, sum, g), dx + i * s.stride, count);
    }
  }
};

template <class Kind>
void forward_rows(const float* x, size_t rows, size_t length, float* y) {
  for (size_t r = 0; r < rows; ++r) Kind::forward_row(x + r * length, length, y + r * length);
}

template <class Kind>
void backward_rows(const float* y, const float* dy, size_t rows, size_t length, float* dx) {
  for (size_t r = 0; r < rows; ++r) {
    Kind::backward_row(y + r * length, dy + r * length, length, dx + r * length);
  }
}

template <class Kind>
void forward_columns(const float* x, const Columns& s, float* y) {
  size_t j = 0;
  for (; j + kLanes <= s.columns; j += kLanes) Kind::forward_lanes(x + j, s, kLanes, y + j);
  if (j < s.columns) Kind::forward_lanes(x + j, s, s.columns - j, y + j);
}

template <class Kind>
void backward_columns(const float* y, const float* dy, const Columns& s, float* dx) {
  size_t j = 0;
  for (; j + kLanes <= s.columns; j += kLanes) {
    Kind::backward_lanes(y + j, dy + j, s, kLanes, dx + j);
  }
  if (j < s.columns) Kind::backward_lanes(y + j, dy + j, s, s.columns - j, dx + j);
}

template <class Kind>
Softmax::Code code_of() {
  return {forward_rows<Kind>, forward_columns<Kind>, backward_rows<Kind>, backward_columns<Kind>};
}

Softmax::Code softmax_code(SoftmaxKind kind) {
  return kind == SoftmaxKind::kLog ? code_of<LogSoftmax>() : code_of<PlainSoftmax>();
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(softmax_code);

void rows_forward(const AxisShape& s, const Softmax::Code& code, const float* x, float* y,
                  ThreadPool& thread_pool) {
  parallel_lines(thread_pool, s, kSoftmaxElements, [&](size_t begin, size_t end) {
    const size_t at = begin * s.length;
    code.forward_rows(x + at, end - begin, s.length, y + at);
  });
}

void rows_backward(const AxisShape& s, const Softmax::Code& code, const float* y, const float* dy,
                   float* dx, ThreadPool& thread_pool) {
  parallel_lines(thread_pool, s, kSoftmaxGradientElements, [&](size_t begin, size_t end) {
    const size_t at = begin * s.length;
    code.backward_rows(y + at, dy + at, end - begin, s.length, dx + at);
  });
}

void columns_forward(const AxisShape& s, const Softmax::Code& code, const float* x, float* y,
                     ThreadPool& thread_pool) {
  parallel_columns(thread_pool, s, kSoftmaxElements, [&](size_t outer, size_t begin, size_t end) {
    const size_t at = outer * s.length * s.inner + begin;
    code.forward_columns(x + at, {s.length, s.inner, end - begin}, y + at);
  });
}

void columns_backward(const AxisShape& s, const Softmax::Code& code, const float* y,
                      const float* dy, float* dx, ThreadPool& thread_pool) {
  parallel_columns(
      thread_pool, s, kSoftmaxGradientElements, [&](size_t outer, size_t begin, size_t end) {
        const size_t at = outer * s.length * s.inner + begin;
        code.backward_columns(y + at, dy + at, {s.length, s.inner, end - begin}, dx + at);
      });
}

}  // namespace

// How lines are done, by how they lie.
struct SoftmaxWay {
  Required<const char*> name;
  Required<bool (*)(const AxisShape& shape)> pays;
  Required<void (*)(const AxisShape& shape, const Softmax::Code& code, const float* x, float* y,
                    ThreadPool& thread_pool)>
      forward;
  Required<void (*)(const AxisShape& shape, const Softmax::Code& code, const float* y,
                    const float* dy, float* dx, ThreadPool& thread_pool)>
      backward;
};

namespace {

constexpr SoftmaxWay kSoftmaxWays[] = {
    {.name = "rows, three passes",
     .pays = [](const AxisShape& s) { return s.inner == 1; },
     .forward = rows_forward,
     .backward = rows_backward},
    {.name = "columns in lanes",
     .pays = [](const AxisShape&) { return true; },
     .forward = columns_forward,
     .backward = columns_backward},
};

}  // namespace

Softmax::Softmax(SoftmaxKind kind, const AxisShape& shape)
    : shape_(shape),
      way_(&first_that_pays(kSoftmaxWays, shape)),
      code_(HWY_DYNAMIC_DISPATCH(softmax_code)(kind)) {}

std::string Softmax::algorithm() const { return way_->name.value; }

void Softmax::forward(std::span<const float> x, std::span<float> y, ThreadPool& thread_pool) const {
  assert(x.size() == shape_.size() && y.size() == shape_.size());
  way_->forward(shape_, code_, x.data(), y.data(), thread_pool);
}

void Softmax::backward(std::span<const float> y, std::span<const float> dy, std::span<float> dx,
                       ThreadPool& thread_pool) const {
  assert(y.size() == shape_.size() && dy.size() == y.size() && dx.size() == y.size());
  way_->backward(shape_, code_, y.data(), dy.data(), dx.data(), thread_pool);
}

namespace {

Variant variant_of(const std::string& op, SoftmaxKind kind) {
  const auto prepare = [kind](const StepRequest& request) -> std::unique_ptr<Step> {
    const Softmax softmax(kind, axis_shape_of(request.op_case));
    if (request.op_case.str("pass") == "forward") {
      return make_step(request, 0, softmax.algorithm(), [softmax](StepBuffers& b) {
        softmax.forward(b.in[0], b.out[0], *b.thread_pool);
      });
    }
    return make_step(request, 0, softmax.algorithm(), [softmax](StepBuffers& b) {
      softmax.backward(b.in[0], b.in[1], b.out[0], *b.thread_pool);
    });
  };
  return hwy_variant(op, "passes over lines in cache, split over threads", prepare);
}

const Variant softmax_hwy = variant_of("softmax", SoftmaxKind::kPlain);
const ForkingRow softmax_row{softmax_hwy};
const VariantRow softmax_fresh_row{fresh_variant(softmax_hwy)};
const VariantRow log_softmax_row{variant_of("log_softmax", SoftmaxKind::kLog)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
