#include "kernels/layout/embedding.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>

#include "kernels/runtime/step.h"
#include "kernels/runtime/thresholds.h"
#include "kernels/runtime/units.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/layout/embedding.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// sum[j] += row[j], j < n. 12 bytes and 1 flop per element.
void add_row(const float* row, size_t n, float* sum) {
  const FloatTag d;
  size_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    hn::StoreU(hn::Add(hn::LoadU(d, sum + j), hn::LoadU(d, row + j)), d, sum + j);
  }
  if (j == n) return;
  store_n(hn::Add(load_n(d, sum + j, n - j), load_n(d, row + j, n - j)), d, sum + j, n - j);
}

// The first i < n where index[i] isn't an integer in [0, limit), else n. 4 bytes per element.
size_t wrong_index(const float* index, size_t n, float limit) {
  const FloatTag d;
  const hn::RebindToSigned<FloatTag> di;
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const FloatVec v = hn::LoadU(d, index + i);
    const FloatVec whole = hn::ConvertTo(d, hn::ConvertTo(di, v));
    const auto inside = hn::And(hn::Ge(v, hn::Zero(d)), hn::Lt(v, hn::Set(d, limit)));
    if (!hn::AllTrue(d, hn::And(inside, hn::Eq(v, whole)))) break;
  }
  const auto right = [limit](float v) {
    return v >= 0 && v < limit && static_cast<float>(static_cast<int32_t>(v)) == v;
  };
  while (i < n && right(index[i])) ++i;
  return i;
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(add_row);
HWY_EXPORT(wrong_index);

size_t row_of(const Embedding& table, float index) {
  assert(index >= 0 && index < static_cast<float>(table.vocab));
  static_cast<void>(table);
  return static_cast<size_t>(index);
}

}  // namespace

size_t embedding_wrong_index(const Embedding& table, std::span<const float> index) {
  return HWY_DYNAMIC_DISPATCH(wrong_index)(index.data(), index.size(),
                                           static_cast<float>(table.vocab));
}

void embedding_forward(const Embedding& table, std::span<const float> index,
                       std::span<const float> w, std::span<float> y, ThreadPool& thread_pool) {
  assert(w.size() == table.vocab * table.dim && y.size() == index.size() * table.dim);
  parallel_units(thread_pool, index.size(), table.dim, kArithmeticElements,
                 [&](size_t begin, size_t end, size_t) {
                   for (size_t i = begin; i < end; ++i) {
                     const float* row = w.data() + row_of(table, index[i]) * table.dim;
                     std::memcpy(y.data() + i * table.dim, row, table.dim * sizeof(float));
                   }
                 });
}

void embedding_backward(const Embedding& table, std::span<const float> index,
                        std::span<const float> dy, std::span<float> dw, ThreadPool& thread_pool) {
  assert(dw.size() == table.vocab * table.dim && dy.size() == index.size() * table.dim);
  const auto add = HWY_DYNAMIC_DISPATCH(add_row);
  // Every thread does all rows that pick from its part of the table: no two write the same row.
  parallel_units(thread_pool, table.vocab, table.dim, kArithmeticElements,
                 [&](size_t begin, size_t end, size_t) {
                   std::fill(dw.begin() + static_cast<std::ptrdiff_t>(begin * table.dim),
                             dw.begin() + static_cast<std::ptrdiff_t>(end * table.dim), 0.0f);
                   for (size_t i = 0; i < index.size(); ++i) {
                     const size_t row = row_of(table, index[i]);
                     if (row < begin || row >= end) continue;
                     add(dy.data() + i * table.dim, table.dim, dw.data() + row * table.dim);
                   }
                 });
}

namespace {

std::unique_ptr<Step> prepare(const StepRequest& request) {
  const Case& c = request.op_case;
  const Embedding table = {static_cast<size_t>(c.integer("vocab")),
                           static_cast<size_t>(c.integer("dim"))};
  if (c.str("pass") == "forward") {
    return make_step(request, 0, "row copies", [table](StepBuffers& b) {
      embedding_forward(table, b.in[0], b.in[1], b.out[0], *b.thread_pool);
    });
  }
  return make_step(request, 0, "rows added in place", [table](StepBuffers& b) {
    embedding_backward(table, b.in[0], b.in[1], b.out[0], *b.thread_pool);
  });
}

const VariantRow row{hwy_variant("embedding", "whole rows at a time", prepare)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
