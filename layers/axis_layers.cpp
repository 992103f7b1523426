#include "layers/axis_layers.h"

#include <fmt/format.h>

#include "kernels/reduce/mean.h"
#include "layers/core/variant.h"

namespace nsop::layers {

std::string AxisLayer::name() const { return fmt::format("{}(axis={})", kind_, axis_); }

size_t AxisLayer::axis_of(const Shape& in) const {
  const auto rank = static_cast<int>(in.size());
  const int axis = axis_ < 0 ? axis_ + rank : axis_;
  if (axis < 0 || axis >= rank) {
    refuse(fmt::format("of at least {} dimensions", axis_ < 0 ? -axis_ : axis_ + 1), in);
  }
  return static_cast<size_t>(axis);
}

Shape AxisLayer::infer(const Shape& in) const {
  axis_of(in);
  return in;
}

kernels::AxisShape AxisLayer::lines() const {
  const Shape& in = input_shape();
  const size_t axis = axis_of(in);
  kernels::AxisShape s;
  s.length = static_cast<size_t>(in[axis]);
  for (size_t i = 0; i < in.size(); ++i) {
    if (i < axis) s.outer *= static_cast<size_t>(in[i]);
    if (i > axis) s.inner *= static_cast<size_t>(in[i]);
  }
  return s;
}

void Softmax::plan(Arena&) { kernel_.emplace(form_, lines()); }

void Softmax::do_forward(ConstFloats x, Floats y) { kernel_->forward(x, y, thread_pool()); }

void Softmax::do_backward(ConstFloats, ConstFloats y, ConstFloats dy, Floats dx) {
  if (!dx.empty()) kernel_->backward(y, dy, dx, thread_pool());
}

Shape Mean::infer(const Shape& in) const {
  Shape out = in;
  out.erase(out.begin() + static_cast<std::ptrdiff_t>(axis_of(in)));
  return out.empty() ? Shape{1} : out;
}

void Mean::plan(Arena& arena) {
  kernel_.emplace(kernels::Reduction::kMean, lines());
  workspace_ = arena.scratch(kernel_->workspace_floats(thread_pool().threads()));
}

void Mean::do_forward(ConstFloats x, Floats y) { kernel_->run(x, y, workspace_, thread_pool()); }

void Mean::do_backward(ConstFloats, ConstFloats, ConstFloats dy, Floats dx) {
  if (!dx.empty()) kernels::mean_backward(lines(), dy, dx, thread_pool());
}

namespace {

template <class L>
Variant softmax(const char* op) {
  return layer_variant({
      .op = op,
      .make =
          [](const Case& c) { return std::make_unique<L>(static_cast<int>(c.integer("axis"))); },
      .input = [](const Case& c) { return c.shape("n"); },
  });
}

const VariantRow softmax_row{softmax<Softmax>("softmax")};
const VariantRow log_softmax_row{softmax<LogSoftmax>("log_softmax")};

bool over_all(const Case& c) { return c.str("axis") == "all"; }

const VariantRow mean_row{layer_variant({
    .op = "mean",
    .make =
        [](const Case& c) {
          return std::make_unique<Mean>(over_all(c) ? 0 : std::stoi(c.str("axis")));
        },
    .input =
        [](const Case& c) {
          return over_all(c) ? Shape{element_count(c.shape("n"))} : c.shape("n");
        },
})};

}  // namespace
}  // namespace nsop::layers
