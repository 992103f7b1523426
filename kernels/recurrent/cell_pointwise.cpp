#include "kernels/recurrent/cell_pointwise.h"

#include <cassert>

#include "kernels/runtime/step.h"
#include "kernels/runtime/thresholds.h"
#include "kernels/runtime/units.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/recurrent/cell_pointwise.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/math/math-inl.h"
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// A vector, whole or in part, at the same place of several arrays.
struct Place {
  size_t at;
  size_t count;
  HWY_INLINE FloatVec load(const float* p) const {
    const FloatTag d;
    return count == kLanes ? hn::LoadU(d, p + at) : load_n(d, p + at, count);
  }
  HWY_INLINE void store(FloatVec v, float* p) const {
    const FloatTag d;
    if (count == kLanes) return hn::StoreU(v, d, p + at);
    store_n(v, d, p + at, count);
  }
};

// Calls unit(place) for the units [begin, end) of a row.
template <class Unit>
HWY_INLINE void for_each_place(Range units, const Unit& unit) {
  size_t i = units.begin;
  for (; i + kLanes <= units.end; i += kLanes) unit(Place{i, kLanes});
  if (i < units.end) unit(Place{i, units.end - i});
}

// 1 - v^2: the slope of tanh where it is v.
HWY_INLINE FloatVec tanh_slope(FloatVec v) {
  return hn::NegMulAdd(v, v, hn::Set(FloatTag(), 1.0f));
}

// v (1 - v): the slope of the sigmoid where it is v.
HWY_INLINE FloatVec sigmoid_slope(FloatVec v) { return hn::NegMulAdd(v, v, v); }

// Units of one row: gates [4 hidden], states [hidden]. 28 bytes, 5 exponentials per unit.
void lstm_forward_row(size_t hidden, Range units, const float* gates, const float* c, float* h,
                      float* c_next) {
  const FloatTag d;
  for_each_place(units, [&](const Place& p) {
    const FloatVec i = sigmoid(d, p.load(gates));
    const FloatVec f = sigmoid(d, p.load(gates + hidden));
    const FloatVec g = tanh(d, p.load(gates + 2 * hidden));
    const FloatVec o = sigmoid(d, p.load(gates + 3 * hidden));
    const FloatVec next = hn::MulAdd(f, p.load(c), hn::Mul(i, g));
    p.store(next, c_next);
    p.store(hn::Mul(o, tanh(d, next)), h);
  });
}

// 56 bytes, 5 exponentials per unit.
void lstm_backward_row(size_t hidden, Range units, const float* gates, const float* c,
                       const float* c_next, const float* dh, const float* dc_next, float* dgates,
                       float* dc) {
  const FloatTag d;
  for_each_place(units, [&](const Place& p) {
    const FloatVec i = sigmoid(d, p.load(gates));
    const FloatVec f = sigmoid(d, p.load(gates + hidden));
    const FloatVec g = tanh(d, p.load(gates + 2 * hidden));
    const FloatVec o = sigmoid(d, p.load(gates + 3 * hidden));
    const FloatVec t = tanh(d, p.load(c_next));
    const FloatVec from_h = p.load(dh);
    const FloatVec cell = p.load(c);
    const FloatVec next = hn::MulAdd(hn::Mul(from_h, o), tanh_slope(t), p.load(dc_next));
    p.store(hn::Mul(hn::Mul(next, g), sigmoid_slope(i)), dgates);
    p.store(hn::Mul(hn::Mul(next, cell), sigmoid_slope(f)), dgates + hidden);
    p.store(hn::Mul(hn::Mul(next, i), tanh_slope(g)), dgates + 2 * hidden);
    p.store(hn::Mul(hn::Mul(from_h, t), sigmoid_slope(o)), dgates + 3 * hidden);
    p.store(hn::Mul(next, f), dc);
  });
}

// The activated gates of a GRU.
struct GruGates {
  FloatVec r, z, n;
  FloatVec from_state;  // gh_n
};

HWY_INLINE GruGates gru_gates(const Place& p, size_t hidden, const float* gx, const float* gh) {
  const FloatTag d;
  GruGates gate;
  gate.r = sigmoid(d, hn::Add(p.load(gx), p.load(gh)));
  gate.z = sigmoid(d, hn::Add(p.load(gx + hidden), p.load(gh + hidden)));
  gate.from_state = p.load(gh + 2 * hidden);
  gate.n = tanh(d, hn::MulAdd(gate.r, gate.from_state, p.load(gx + 2 * hidden)));
  return gate;
}

// Units of one row: gates [3 hidden], states [hidden]. 32 bytes, 3 exponentials per unit.
void gru_forward_row(size_t hidden, Range units, const float* gx, const float* gh, const float* h,
                     float* h_next) {
  for_each_place(units, [&](const Place& p) {
    const GruGates gate = gru_gates(p, hidden, gx, gh);
    // (1 - z) n + z h without a rounding of 1 - z.
    const FloatVec rest = hn::NegMulAdd(gate.z, gate.n, gate.n);
    p.store(hn::MulAdd(gate.z, p.load(h), rest), h_next);
  });
}

// 60 bytes, 3 exponentials per unit.
void gru_backward_row(size_t hidden, Range units, const float* gx, const float* gh, const float* h,
                      const float* dh_next, float* dgx, float* dgh, float* dh) {
  for_each_place(units, [&](const Place& p) {
    const GruGates gate = gru_gates(p, hidden, gx, gh);
    const FloatVec from_next = p.load(dh_next);
    const FloatVec state = p.load(h);
    const FloatVec rest = hn::NegMulAdd(gate.z, from_next, from_next);  // (1 - z) dh_next
    const FloatVec dn = hn::Mul(rest, tanh_slope(gate.n));
    const FloatVec dr = hn::Mul(hn::Mul(dn, gate.from_state), sigmoid_slope(gate.r));
    const FloatVec off = hn::Sub(state, gate.n);
    const FloatVec dz = hn::Mul(hn::Mul(from_next, off), sigmoid_slope(gate.z));
    p.store(dr, dgx);
    p.store(dz, dgx + hidden);
    p.store(dn, dgx + 2 * hidden);
    p.store(dr, dgh);
    p.store(dz, dgh + hidden);
    p.store(hn::Mul(dn, gate.r), dgh + 2 * hidden);
    p.store(hn::Mul(from_next, gate.z), dh);
  });
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(lstm_forward_row);
HWY_EXPORT(lstm_backward_row);
HWY_EXPORT(gru_forward_row);
HWY_EXPORT(gru_backward_row);

// Calls fn(row, units) on pieces of rows, shared out over threads.
template <class Fn>
void parallel_rows_of_units(ThreadPool& thread_pool, const CellShape& s, const Fn& fn) {
  constexpr size_t kPiece = 256;  // units of a row
  constexpr size_t kCost = 3;     // of a unit, in functions of one element
  const size_t pieces = (s.hidden + kPiece - 1) / kPiece;
  parallel_units(thread_pool, s.batch * pieces, kCost * std::min(kPiece, s.hidden),
                 kFunctionElements, [&](size_t begin, size_t end, size_t) {
                   for (size_t i = begin; i < end; ++i) {
                     const size_t first = i % pieces * kPiece;
                     fn(i / pieces, Range{first, std::min(s.hidden, first + kPiece)});
                   }
                 });
}

}  // namespace

void lstm_pointwise_forward(const CellShape& shape, std::span<const float> gates,
                            std::span<const float> c, std::span<float> h, std::span<float> c_next,
                            ThreadPool& thread_pool) {
  assert(gates.size() == 4 * shape.size() && c.size() == shape.size());
  assert(h.size() == shape.size() && c_next.size() == shape.size());
  const auto do_row = HWY_DYNAMIC_DISPATCH(lstm_forward_row);
  const size_t n = shape.hidden;
  parallel_rows_of_units(thread_pool, shape, [&](size_t row, Range units) {
    do_row(n, units, gates.data() + row * 4 * n, c.data() + row * n, h.data() + row * n,
           c_next.data() + row * n);
  });
}

void lstm_pointwise_backward(const CellShape& shape, std::span<const float> gates,
                             std::span<const float> c, std::span<const float> c_next,
                             std::span<const float> dh, std::span<const float> dc_next,
                             std::span<float> dgates, std::span<float> dc,
                             ThreadPool& thread_pool) {
  assert(gates.size() == 4 * shape.size() && dgates.size() == gates.size());
  assert(c.size() == shape.size() && c_next.size() == shape.size() && dh.size() == shape.size());
  assert(dc_next.size() == shape.size() && dc.size() == shape.size());
  const auto do_row = HWY_DYNAMIC_DISPATCH(lstm_backward_row);
  const size_t n = shape.hidden;
  parallel_rows_of_units(thread_pool, shape, [&](size_t row, Range units) {
    do_row(n, units, gates.data() + row * 4 * n, c.data() + row * n, c_next.data() + row * n,
           dh.data() + row * n, dc_next.data() + row * n, dgates.data() + row * 4 * n,
           dc.data() + row * n);
  });
}

void gru_pointwise_forward(const CellShape& shape, std::span<const float> gx,
                           std::span<const float> gh, std::span<const float> h,
                           std::span<float> h_next, ThreadPool& thread_pool) {
  assert(gx.size() == 3 * shape.size() && gh.size() == gx.size());
  assert(h.size() == shape.size() && h_next.size() == shape.size());
  const auto do_row = HWY_DYNAMIC_DISPATCH(gru_forward_row);
  const size_t n = shape.hidden;
  parallel_rows_of_units(thread_pool, shape, [&](size_t row, Range units) {
    do_row(n, units, gx.data() + row * 3 * n, gh.data() + row * 3 * n, h.data() + row * n,
           h_next.data() + row * n);
  });
}

void gru_pointwise_backward(const CellShape& shape, std::span<const float> gx,
                            std::span<const float> gh, std::span<const float> h,
                            std::span<const float> dh_next, std::span<float> dgx,
                            std::span<float> dgh, std::span<float> dh, ThreadPool& thread_pool) {
  assert(gx.size() == 3 * shape.size() && gh.size() == gx.size());
  assert(dgx.size() == gx.size() && dgh.size() == gx.size() && h.size() == shape.size());
  assert(dh_next.size() == shape.size() && dh.size() == shape.size());
  const auto do_row = HWY_DYNAMIC_DISPATCH(gru_backward_row);
  const size_t n = shape.hidden;
  parallel_rows_of_units(thread_pool, shape, [&](size_t row, Range units) {
    do_row(n, units, gx.data() + row * 3 * n, gh.data() + row * 3 * n, h.data() + row * n,
           dh_next.data() + row * n, dgx.data() + row * 3 * n, dgh.data() + row * 3 * n,
           dh.data() + row * n);
  });
}

namespace {

CellShape shape_of(const StepRequest& request) {
  const std::vector<int64_t> n = request.op_case.shape("n");
  return {static_cast<size_t>(n[0]), static_cast<size_t>(n[1])};
}

std::unique_ptr<Step> prepare_lstm(const StepRequest& request) {
  const CellShape s = shape_of(request);
  if (request.op_case.str("pass") == "forward") {
    return make_step(request, 0, "single pass", [s](StepBuffers& b) {
      lstm_pointwise_forward(s, b.in[0], b.in[1], b.out[0], b.out[1], *b.thread_pool);
    });
  }
  return make_step(request, 0, "single pass", [s](StepBuffers& b) {
    lstm_pointwise_backward(s, b.in[0], b.in[1], b.in[2], b.in[3], b.in[4], b.out[0], b.out[1],
                            *b.thread_pool);
  });
}

std::unique_ptr<Step> prepare_gru(const StepRequest& request) {
  const CellShape s = shape_of(request);
  if (request.op_case.str("pass") == "forward") {
    return make_step(request, 0, "single pass", [s](StepBuffers& b) {
      gru_pointwise_forward(s, b.in[0], b.in[1], b.in[2], b.out[0], *b.thread_pool);
    });
  }
  return make_step(request, 0, "single pass", [s](StepBuffers& b) {
    gru_pointwise_backward(s, b.in[0], b.in[1], b.in[2], b.in[3], b.out[0], b.out[1], b.out[2],
                           *b.thread_pool);
  });
}

const VariantRow lstm_row{
    hwy_variant("lstm_pointwise", "all gates of a unit in one pass", prepare_lstm)};
const VariantRow gru_row{
    hwy_variant("gru_pointwise", "all gates of a unit in one pass", prepare_gru)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
