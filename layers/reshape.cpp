#include "layers/reshape.h"

#include <fmt/format.h>

#include <algorithm>

#include "layers/core/copy.h"

namespace nsop::layers {
namespace {

void copy(ConstFloats from, Floats to) {
  if (from.data() != to.data()) copy_floats(from, to);
}

}  // namespace

std::string Reshape::name() const {
  return fmt::format("Reshape({})", to_.empty() ? "batch alone" : shape_text(to_));
}

Shape Reshape::infer(const Shape& in) const {
  Shape out = {in[0]};
  out.insert(out.end(), to_.begin(), to_.end());
  const bool positive = std::ranges::all_of(to_, [](int64_t extent) { return extent >= 1; });
  if (!positive || element_count(out) != element_count(in)) {
    refuse(fmt::format("[batch, ...] of {} values per sample", element_count(to_)), in);
  }
  return out;
}

void Reshape::do_forward(ConstFloats x, Floats y) { copy(x, y); }

void Reshape::do_backward(ConstFloats, ConstFloats, ConstFloats dy, Floats dx) {
  if (!dx.empty()) copy(dy, dx);
}

Shape Flatten::infer(const Shape& in) const { return {in[0], element_count(in) / in[0]}; }

}  // namespace nsop::layers
