#include "layers/upsample2d.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "kernels/runtime/thresholds.h"
#include "kernels/runtime/units.h"
#include "layers/core/copy.h"
#include "layers/core/variant.h"

namespace nsop::layers {

Upsample2D::Upsample2D(size_t scale) : scale_(scale) {
  if (scale < 1 || scale > 16) {
    throw usage_error(fmt::format("{}: expected a scale from 1 to 16", name()));
  }
}

std::string Upsample2D::name() const { return fmt::format("Upsample2D(s={})", scale_); }

Shape Upsample2D::infer(const Shape& in) const {
  if (in.size() != 4) refuse("[batch, channels, height, width]", in);
  const auto scale = static_cast<int64_t>(scale_);
  return {in[0], in[1], in[2] * scale, in[3] * scale};
}

void Upsample2D::plan(Arena& /*arena*/) {
  const Shape& in = input_shape();
  rows_ = static_cast<size_t>(in[0] * in[1] * in[2]);
  width_ = static_cast<size_t>(in[3]);
}

// x [rows, width] -> y [rows, scale, width, scale]: the first of a row's copies is stretched, the
// others are copied from it.
void Upsample2D::do_forward(ConstFloats x, Floats y) {
  const size_t wide = width_ * scale_;
  const auto stretch = [&](size_t begin, size_t end, size_t /*part*/) {
    for (size_t row = begin; row < end; ++row) {
      const Floats to = y.subspan(row * wide * scale_, wide * scale_);
      for (size_t j = 0; j < width_; ++j) {
        std::fill_n(&to[j * scale_], scale_, x[row * width_ + j]);
      }
      for (size_t i = 1; i < scale_; ++i) std::copy_n(to.begin(), wide, &to[i * wide]);
    }
  };
  kernels::parallel_units(thread_pool(), rows_, wide * scale_, kernels::kArithmeticElements,
                          stretch);
}

// dy [rows, scale, width, scale] -> dx [rows, width].
void Upsample2D::do_backward(ConstFloats, ConstFloats, ConstFloats dy, Floats dx) {
  if (dx.empty()) return;
  const size_t wide = width_ * scale_;
  const auto gather = [&](size_t begin, size_t end, size_t /*part*/) {
    for (size_t row = begin; row < end; ++row) {
      const ConstFloats from = dy.subspan(row * wide * scale_, wide * scale_);
      const Floats to = dx.subspan(row * width_, width_);
      clear_floats(to);
      for (size_t i = 0; i < from.size(); i += wide) {
        const float* next = &from[i];
        for (float& sum : to) {
          for (size_t k = 0; k < scale_; ++k) sum += *next++;
        }
      }
    }
  };
  kernels::parallel_units(thread_pool(), rows_, wide * scale_, kernels::kArithmeticElements,
                          gather);
}

namespace {

const VariantRow upsample2d_row{layer_variant({
    .op = "upsample2d",
    .make =
        [](const Case& c) {
          return std::make_unique<Upsample2D>(static_cast<size_t>(c.integer("s")));
        },
    .input = [](const Case& c) { return c.shape("in"); },
})};

}  // namespace
}  // namespace nsop::layers
