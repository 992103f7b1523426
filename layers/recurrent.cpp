#include "layers/recurrent.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "layers/core/copy.h"
#include "layers/core/variant.h"

namespace nsop::layers {
Recurrent::Recurrent(std::string kind, kernels::CellKind cell, size_t in, size_t hidden,
                     RecurrentOptions options)
    : kind_(std::move(kind)), options_(options) {
  shape_.cell = cell;
  shape_.in = in;
  shape_.hidden = hidden;
  if (in == 0 || hidden == 0) throw usage_error(name() + ": sizes must be at least 1");
}

std::string Recurrent::name() const {
  return fmt::format("{}({}->{})", kind_, shape_.in, shape_.hidden);
}

Shape Recurrent::infer(const Shape& in) const {
  const bool fits =
      (in.size() == 2 || in.size() == 3) && in.back() == static_cast<int64_t>(shape_.in);
  if (!fits) refuse(fmt::format("[steps, batch, {0}] or [batch, {0}]", shape_.in), in);
  Shape out = in;
  out.back() = static_cast<int64_t>(shape_.hidden);
  return out;
}

Recurrent::State Recurrent::state() const {
  if (!options_.stateful) return start_;
  return {buffer(0), is_lstm() ? buffer(1) : Floats()};
}

Recurrent::State Recurrent::take_state(Arena& arena) const {
  const Floats hidden = arena.take(shape_.state_size());
  return {hidden, is_lstm() ? arena.take(shape_.state_size()) : Floats()};
}

void Recurrent::plan(Arena& arena) {
  const Shape& in = input_shape();
  shape_.steps = in.size() == 3 ? static_cast<size_t>(in[0]) : 1;
  shape_.batch = static_cast<size_t>(in[in.size() - 2]);
  const auto hidden = static_cast<int64_t>(shape_.hidden);
  const auto columns = static_cast<int64_t>(shape_.columns());
  add_parameter("weight", {in.back(), columns}, arena);
  add_parameter("state_weight", {hidden, columns}, arena);
  add_parameter("bias", {columns}, arena);
  if (is_gru()) add_parameter("state_bias", {columns}, arena);
  start_ = take_state(arena);
  before_ = start_;
  if (options_.stateful) {
    const Shape state = {static_cast<int64_t>(shape_.batch), hidden};
    add_buffer("hidden", state, arena);
    if (is_lstm()) add_buffer("cell", state, arena);
  }
  state_gradient_ = take_state(arena);
  if (is_lstm()) last_cell_gradient_ = arena.take(shape_.state_size());
  saved_ = arena.take(kernels::recurrent_saved_floats(shape_));
  if (is_lstm() && !arena.measures()) last_.c = kernels::recurrent_last_cell(shape_, saved_);
  workspace_ = arena.scratch(kernels::recurrent_workspace_floats(shape_, thread_pool().threads()));
}

void Recurrent::init_parameters(Random& random) {
  const Fan fan{shape_.hidden, shape_.hidden};
  for (Parameter& p : parameters()) {
    const auto start = p.shape.size() == 1 ? initialize_bias : initialize;
    start(options_.initializer, fan, p.value, random);
  }
  clear_floats(state().hidden);
  clear_floats(state().cell);
}

kernels::RecurrentWeights Recurrent::weights() const {
  return {.w = value(0), .u = value(1), .b = value(2), .bu = is_gru() ? value(3) : ConstFloats()};
}

void Recurrent::do_forward(ConstFloats x, Floats y) {
  const State kept = state();
  if (options_.stateful) {  // it moves on below, and backward() needs where it was
    copy_floats(kept.hidden, before_.hidden);
    copy_floats(kept.cell, before_.cell);
  }
  kernels::recurrent_forward(shape_, weights(), x, {before_.hidden, before_.cell}, y, saved_,
                             workspace_, thread_pool());
  last_.h = ConstFloats(y).last(shape_.state_size());
  if (!options_.stateful) return;
  copy_floats(last_.h, kept.hidden);
  copy_floats(last_.c, kept.cell);
}

void Recurrent::do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) {
  const kernels::RecurrentBackward tensors = {
      .x = x,
      .before = {before_.hidden, before_.cell},
      .y = y,
      .saved = saved_,
      .dy = dy,
      .dc = last_cell_gradient_,
      .dx = dx,
      .dbefore = {state_gradient_.hidden, state_gradient_.cell}};
  const kernels::RecurrentGradients gradients = {.w = gradient(0),
                                                 .u = gradient(1),
                                                 .b = gradient(2),
                                                 .bu = is_gru() ? gradient(3) : Floats()};
  kernels::recurrent_backward(shape_, weights(), tensors, gradients, workspace_, thread_pool());
}

namespace {

// A sequence starts from the states that the op is given, as it does where a network is not
// stateful.
const Recurrent& recurrent(const Layer& layer) { return dynamic_cast<const Recurrent&>(layer); }

template <class L>
Variant sequence(const char* op) {
  return layer_variant({
      .op = op,
      .make =
          [](const Case& c) {
            return std::make_unique<L>(static_cast<size_t>(c.shape("in")[2]),
                                       static_cast<size_t>(c.integer("hidden")));
          },
      .input = [](const Case& c) { return c.shape("in"); },
      .parameters = {{"w", "weight"},
                     {"u", "state_weight"},
                     {"b", "bias"},
                     {"bw", "bias"},
                     {"bu", "state_bias"}},
      .saved = {{"c_n", [](const Layer& layer) { return recurrent(layer).last_state().c; }},
                {"dh0",
                 [](const Layer& layer) { return recurrent(layer).state_gradient().hidden; }},
                {"dc0", [](const Layer& layer) { return recurrent(layer).state_gradient().cell; }}},
      .restore = {{"h0", [](Layer& layer,
                            ConstFloats h) { copy_floats(h, recurrent(layer).state().hidden); }},
                  {"c0", [](Layer& layer,
                            ConstFloats c) { copy_floats(c, recurrent(layer).state().cell); }},
                  {"dc_n",
                   [](Layer& layer, ConstFloats dc) {
                     copy_floats(dc, recurrent(layer).last_cell_gradient());
                   }}},
  });
}

const VariantRow lstm_row{sequence<LSTM>("lstm")};
const VariantRow gru_row{sequence<GRU>("gru")};
const VariantRow rnn_row{sequence<RNN>("rnn")};

}  // namespace
}  // namespace nsop::layers
