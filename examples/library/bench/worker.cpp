// What a box blur is, how exact it has to be, and the two ways in which this library does it.
#include <box_blur.h>
#include <nsop/library.h>

using namespace nsop;

const OpRow box_blur{define_op({
    .name = "box_blur",
    .summary = "Mean of the 2r+1 elements around each, zeros beyond the ends.",
    .params = {key::count("n"), key::index("r")},
    .inputs =
        [](const Case& c) {
          return std::vector<InputSpec>{{"x", {c.integer("n")}}};
        },
    .outputs =
        [](const Case& c) {
          return std::vector<OutputSpec>{{"y", {c.integer("n")}}};
        },
    .oracle =
        [](const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
          const int64_t n = c.integer("n"), r = c.integer("r");
          for (int64_t i = 0; i < n; ++i) {
            for (int64_t j = std::max<int64_t>(i - r, 0); j <= std::min(i + r, n - 1); ++j) {
              out[0].data[i] += double{in[0].data()[j]} / static_cast<double>(2 * r + 1);
            }
          }
        },
    // 2r+1 additions and a product in float32 of values in [-1, 1], each rounded once.
    .tolerance =
        [](const Case& c) {
          return Tolerance{.absolute = 0x1p-24 * double(2 * c.integer("r") + 3)};
        },
})};

using Blur = void (*)(std::span<const float>, int, std::span<float>);
static Variant variant(const char* name, Role role, Blur blur) {
  return define_variant(
      {.op = "box_blur", .name = name, .role = role, .prepare = [blur](const StepRequest& r) {
         return [blur, x = r.inputs[0].data(), radius = int(r.op_case.integer("r")),
                 y = r.outputs[0].data()] { blur(x, radius, y); };
       }});
}
const VariantRow plain{variant("plain", Role::kBefore, boxblur::blur_plain)};
const VariantRow running{variant("running", Role::kOurs, boxblur::blur_running)};
