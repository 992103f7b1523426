#include "layers/dense.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "layers/core/variant.h"

namespace nsop::layers {

Dense::Dense(size_t in, size_t out, DenseOptions options) : options_(options) {
  shape_.in = in;
  shape_.out = out;
  shape_.out_by_in = options.out_by_in;
  if (in == 0 || out == 0) throw usage_error(name() + ": sizes must be at least 1");
}

std::string Dense::name() const {
  return fmt::format("Dense({}->{}{})", shape_.in, shape_.out, options_.bias ? "" : ", no bias");
}

void Dense::init_parameters(Random& random) {
  const Fan fan{shape_.in, shape_.out};
  initialize(options_.initializer, fan, parameters()[0].value, random);
  if (options_.bias) initialize_bias(options_.initializer, fan, parameters()[1].value, random);
}

Shape Dense::infer(const Shape& in) const {
  if (in.back() != static_cast<int64_t>(shape_.in)) refuse(fmt::format("[..., {}]", shape_.in), in);
  Shape out = in;
  out.back() = static_cast<int64_t>(shape_.out);
  return out;
}

void Dense::plan(Arena& arena) {
  shape_.batch = static_cast<size_t>(element_count(input_shape())) / shape_.in;
  const auto in = static_cast<int64_t>(shape_.in);
  const auto out = static_cast<int64_t>(shape_.out);
  add_parameter("weight", options_.out_by_in ? Shape{out, in} : Shape{in, out}, arena);
  if (options_.bias) add_parameter("bias", {out}, arena);
  workspace_ = arena.scratch(kernels::dense_workspace_floats(shape_, thread_pool().threads()));
}

void Dense::do_forward(ConstFloats x, Floats y) {
  const ConstFloats bias = options_.bias ? value(1) : ConstFloats();
  kernels::dense_forward(shape_, x, value(0), bias, y, workspace_, thread_pool());
}

void Dense::do_backward(ConstFloats x, ConstFloats, ConstFloats dy, Floats dx) {
  const Floats dbias = options_.bias ? gradient(1) : Floats();
  if (dx.empty()) {
    kernels::dense_backward_weights(shape_, x, dy, gradient(0), dbias, workspace_, thread_pool());
  } else {
    kernels::dense_backward(shape_, x, value(0), dy, dx, gradient(0), dbias, workspace_,
                            thread_pool());
  }
}

namespace {

std::unique_ptr<Layer> make_dense(const Case& c) {
  DenseOptions options;
  options.bias = c.flag("bias");
  options.out_by_in = c.str("w") == "oi";
  return std::make_unique<Dense>(static_cast<size_t>(c.shape("in")[1]),
                                 static_cast<size_t>(c.integer("out")), options);
}

const VariantRow dense_row{layer_variant({
    .op = "dense",
    .make = make_dense,
    .input = [](const Case& c) { return c.shape("in"); },
    .parameters = {{"w", "weight"}, {"b", "bias"}},
    .unsupported = whole_backward,
})};

}  // namespace
}  // namespace nsop::layers
