#include "kernels/elementwise/unary.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string>

#include "kernels/runtime/nontemporal.h"
#include "kernels/runtime/step.h"
#include "kernels/runtime/thresholds.h"

namespace nsop::kernels {
namespace {

struct Family {
  UnaryPart (*part)(Unary op);
  size_t least;
};

constexpr std::array<Family, 4> kFamilies = {{
    {arithmetic_part, kArithmeticElements},
    {exp_log_part, kFunctionElements},
    {trig_part, kFunctionElements},
    {power_part, kFunctionElements},
}};

// x^e for the exponents that need no logarithm; kPow for the others.
Unary simple_power(float e) {
  if (e == 2) return Unary::kSquare;
  if (e == -1) return Unary::kRecip;
  return Unary::kPow;
}

// x^0, of NaN, too.
void ones(const float* /*x*/, float* y, size_t n, const ElementwiseArgs& /*args*/) {
  std::fill_n(y, n, 1.0f);
}

// An op with its parameters, on the target that is chosen now: what steps keep, because finding it
// takes as long as a hundred elements do.
struct Found {
  UnaryPart part;
  Family family;
  ElementwiseArgs args;
  void run(std::span<const float> x, std::span<float> y, ThreadPool& thread_pool) const {
    run_unary(part, x, y, thread_pool, family.least, args);
  }
};

Found find(Unary op, UnaryParams params) {
  if (op == Unary::kPow) {
    if (params.first == 0) return {ones, kFamilies[0], {}};
    op = simple_power(params.first);
  }
  for (const Family& family : kFamilies) {
    const UnaryPart part = family.part(op);
    if (part != nullptr) return {part, family, {params.first, params.second}};
  }
  assert(false && "no family has this op");
  return {};
}

}  // namespace

void unary(Unary op, UnaryParams params, std::span<const float> x, std::span<float> y,
           ThreadPool& thread_pool) {
  find(op, params).run(x, y, thread_pool);
}

namespace {

UnaryParams no_params(const Case& /*c*/) { return {}; }
UnaryParams clip_params(const Case& c) {
  return {static_cast<float>(c.number("lo")), static_cast<float>(c.number("hi"))};
}

UnaryParams pow_params(const Case& c) { return {static_cast<float>(c.number("e"))}; }
UnaryParams scale_params(const Case& c) { return {static_cast<float>(c.number("alpha"))}; }

Variant unary_variant(const std::string& name, Unary op, UnaryParams (*params)(const Case&)) {
  return hwy_variant(
      name, "one pass over vectors, split over threads", [op, params](const StepRequest& request) {
        const Found found = find(op, params(request.op_case));
        return make_step(request, 0, single_pass(request),
                         [found](StepBuffers& b) { found.run(b.in[0], b.out[0], *b.thread_pool); });
      });
}

const VariantRow abs_row{unary_variant("abs", Unary::kAbs, no_params)};
const VariantRow neg_row{unary_variant("neg", Unary::kNeg, no_params)};
const VariantRow square_row{unary_variant("square", Unary::kSquare, no_params)};
const VariantRow sqrt_row{unary_variant("sqrt", Unary::kSqrt, no_params)};
const VariantRow recip_row{unary_variant("recip", Unary::kRecip, no_params)};
const VariantRow sign_row{unary_variant("sign", Unary::kSign, no_params)};
const VariantRow clip_row{unary_variant("clip", Unary::kClip, clip_params)};
const ForkingRow exp_row{unary_variant("exp", Unary::kExp, no_params)};
const VariantRow log_row{unary_variant("log", Unary::kLog, no_params)};
const VariantRow log2_row{unary_variant("log2", Unary::kLog2, no_params)};
const VariantRow log10_row{unary_variant("log10", Unary::kLog10, no_params)};
const VariantRow sin_row{unary_variant("sin", Unary::kSin, no_params)};
const VariantRow cos_row{unary_variant("cos", Unary::kCos, no_params)};
const VariantRow pow_row{unary_variant("pow", Unary::kPow, pow_params)};
const VariantRow scale_row{unary_variant("scale", Unary::kScale, scale_params)};

}  // namespace
}  // namespace nsop::kernels
