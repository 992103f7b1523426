// The rule of kernels/runtime/pages.h from both sides: one stream, and four pages at once, whatever
// the size.
#include <array>

#include "kernels/runtime/nontemporal.h"
#include "kernels/runtime/step.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/probes/page_variants.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/elementwise-inl.h"
#include "kernels/math/math-inl.h"
#include "kernels/reduce/reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

struct ReluByPages {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const {
    return max_keep_nan(d, hn::Zero(d), x);
  }
};

struct AddByPages {
  HWY_INLINE FloatVec operator()(FloatTag /*d*/, FloatVec a, FloatVec b) const {
    return hn::Add(a, b);
  }
};

struct SumByPages {
  using State = FloatVec;
  static constexpr size_t kWays = 8;
  static constexpr bool kZeroPads = true;
  static HWY_INLINE State start(FloatTag d, float /*first*/) { return hn::Zero(d); }
  static HWY_INLINE void add(FloatTag /*d*/, State& state, FloatVec x) {
    state = hn::Add(state, x);
  }
  static HWY_INLINE State join(FloatTag /*d*/, State a, State b) { return hn::Add(a, b); }
  static HWY_INLINE float part(FloatTag d, State state, const float* /*x*/, size_t /*n*/) {
    return hn::GetLane(hn::SumOfLanes(d, state));
  }
};

template <class Function, class... Operand>
HWY_NOINLINE size_t map_plain_pages(float* y, size_t n, const Operand&... in) {
  const Function f;
  for_each_place(n, [=](size_t i) HWY_ATTR { map_four<false, kPageFloats>(f, y, i, in...); });
  return n;
}

// As map() does it but for the rule: the first `paged` elements by pages, the others in one stream.
// With plain stores one stream asks for the lines of a long result where the machine does.
template <class Function, class... Operand>
HWY_INLINE void map_by(size_t paged, bool stream, float* y, size_t n, const Operand&... in) {
  size_t done = 0;
  if (paged > 0 && stream) {
    map_pages(Function(), y, paged, in...);
    done = paged;
  } else if (paged > 0) {
    done = map_plain_pages<Function>(y, paged, in...);
  } else if (stream) {
    done = map_nontemporal(Function(), y, n, in...);
  } else if (asks_ahead(n)) {
    done = map_asking(Function(), y, n, in...);
  }
  map_rest(Function(), y, done, n, in...);
}

// 8 bytes per element.
void relu_by_pages(const float* x, const float* /*b*/, float* y, size_t n, size_t paged,
                   bool stream) {
  map_by<ReluByPages>(paged, stream, y, n, Moving{x});
}

// 12 bytes per element.
void add_by_pages(const float* a, const float* b, float* c, size_t n, size_t paged, bool stream) {
  map_by<AddByPages>(paged, stream, c, n, Moving{a}, Moving{b});
}

// 4 bytes per element.
void sum_by_pages(const float* x, const float* /*b*/, float* y, size_t n, size_t paged,
                  bool /*stream*/) {
  *y = fold_value<SumByPages>(x, n, paged);
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(relu_by_pages);
HWY_EXPORT(add_by_pages);
HWY_EXPORT(sum_by_pages);

using Part = void (*)(const float* a, const float* b, float* y, size_t n, size_t paged,
                      bool stream);
enum class Walk { kOneStream, kFourPages };

Part part_of(const std::string& op) {
  if (op == "relu") return HWY_DYNAMIC_DISPATCH(relu_by_pages);
  return op == "add" ? HWY_DYNAMIC_DISPATCH(add_by_pages) : HWY_DYNAMIC_DISPATCH(sum_by_pages);
}

std::string cannot(const Case& c, int threads) {
  if (threads > 1) return "the rule is of one thread's walk";
  if (c.has("pass") && c.str("pass") != "forward") return "the forward pass shows the rule";
  if (c.has("b") && c.str("b") != "same") return "operands of one size show the rule";
  if (c.has("axis") && c.str("axis") != "all") return "the sum of all shows the rule";
  return {};
}

Variant variant(const std::string& op, Walk walk) {
  const bool paged = walk == Walk::kFourPages;
  const char* how = paged ? "four pages at once, whatever the size and the stores"
                          : "one stream, whatever the size and the stores";
  Variant v = hwy_variant(op, how, [=](const StepRequest& request) {
    const Part part = part_of(op);
    const size_t n = request.inputs[0].size();
    const size_t by_pages = paged ? n / kPageGroup * kPageGroup : 0;
    const size_t arrays = request.inputs.size() + 1;
    return make_step(request, 0, how, [=](StepBuffers& b) {
      float* out = b.out[0].data();
      const bool stream = op != "sum" && use_nontemporal(arrays, n, out);
      part(b.in[0].data(), b.in.back().data(), out, n, by_pages, stream);
    });
  });
  v.name = paged ? "four_pages" : "one_stream";
  v.role = Role::kProbe;
  v.unsupported = cannot;
  return v;
}

const std::array<VariantRow, 6> rows = {
    VariantRow(variant("relu", Walk::kOneStream)), VariantRow(variant("relu", Walk::kFourPages)),
    VariantRow(variant("add", Walk::kOneStream)),  VariantRow(variant("add", Walk::kFourPages)),
    VariantRow(variant("sum", Walk::kOneStream)),  VariantRow(variant("sum", Walk::kFourPages))};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
