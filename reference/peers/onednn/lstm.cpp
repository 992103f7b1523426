// lstm by oneDNN's primitive: weights [in,gates,hidden] as the op has them, or reordered inside the
// step into the layout that the library prefers, whichever is faster, measured at set-up. The
// backward pass takes the workspace of a forward pass in training, which is run outside the step;
// the library adds gradients of weights to what is there, so they are zeroed inside.
#include <algorithm>

#include "reference/peers/onednn/onednn.h"

namespace nsop::reference::peers {
namespace {

using dnnl::prop_kind;
using Forward = dnnl::lstm_forward;
using Backward = dnnl::lstm_backward;
using Tag = dnnl::memory::format_tag;

constexpr auto kF32 = dnnl::memory::data_type::f32;
constexpr auto kDirection = dnnl::rnn_direction::unidirectional_left2right;

struct Lstm {
  explicit Lstm(const Case& c)
      : x(c.shape("in")),
        hidden(c.integer("hidden")),
        y({x[0], x[1], hidden}),
        state({1, 1, x[1], hidden}),
        w({1, 1, x[2], 4, hidden}),
        u({1, 1, hidden, 4, hidden}),
        b({1, 1, 4, hidden}),
        forward(c.str("pass") == "forward") {}
  Dims x;
  int64_t hidden;
  Dims y, state, w, u, b;
  bool forward;
};

Desc sequence(const Dims& dims) { return {dims, kF32, Tag::tnc}; }
Desc state_desc(const Dims& dims) { return {dims, kF32, Tag::ldnc}; }
Desc weights(const Dims& dims, bool own) { return {dims, kF32, own ? Tag::any : Tag::ldigo}; }
Desc bias(const Dims& dims) { return {dims, kF32, Tag::ldgo}; }

Forward::primitive_desc forward_desc(const Lstm& s, prop_kind kind, bool own) {
  return {
      {kind, kDirection, sequence(s.x), state_desc(s.state), state_desc(s.state), weights(s.w, own),
       weights(s.u, own), bias(s.b), sequence(s.y), state_desc(s.state), state_desc(s.state)},
      program_attr(),
      onednn_engine()};
}

class Assembly {
 public:
  Assembly(const StepRequest& request, Program& program, bool own)
      : s_(request.op_case), request_(request), program_(program), own_(own) {}

  void forward() {
    const auto pd = forward_desc(s_, prop_kind::forward_inference, own_);
    Program::Arguments arguments = given(pd.weights_layer_desc(), pd.weights_iter_desc());
    arguments[DNNL_ARG_DST_LAYER] = program_.view(out(0), sequence(s_.y));
    arguments[DNNL_ARG_DST_ITER] = program_.between(state_desc(s_.state));
    arguments[DNNL_ARG_DST_ITER_C] = program_.view(out(1), state_desc(s_.state));
    program_.add(Forward(pd), pd, arguments);
  }

  void backward() {
    const auto hint = forward_desc(s_, prop_kind::forward_training, own_);
    const Backward::primitive_desc pd(
        {prop_kind::backward,  kDirection,           sequence(s_.x),       state_desc(s_.state),
         state_desc(s_.state), weights(s_.w, own_),  weights(s_.u, own_),  bias(s_.b),
         sequence(s_.y),       state_desc(s_.state), state_desc(s_.state), sequence(s_.x),
         state_desc(s_.state), state_desc(s_.state), weights(s_.w, own_),  weights(s_.u, own_),
         bias(s_.b),           sequence(s_.y),       state_desc(s_.state), state_desc(s_.state)},
        program_attr(), onednn_engine(), hint);
    Program::Arguments done = saved(hint);
    Program::Arguments arguments = given(pd.weights_layer_desc(), pd.weights_iter_desc());
    for (const int made :
         {DNNL_ARG_DST_LAYER, DNNL_ARG_DST_ITER, DNNL_ARG_DST_ITER_C, DNNL_ARG_WORKSPACE}) {
      arguments[made] = done[made];
    }
    arguments[DNNL_ARG_DIFF_DST_LAYER] = program_.view(in(6), sequence(s_.y));
    arguments[DNNL_ARG_DIFF_DST_ITER] = zeroed_once(state_desc(s_.state));
    arguments[DNNL_ARG_DIFF_DST_ITER_C] = program_.view(in(7), state_desc(s_.state));
    arguments[DNNL_ARG_DIFF_SRC_LAYER] = program_.view(out(0), sequence(s_.x));
    arguments[DNNL_ARG_DIFF_SRC_ITER] = program_.view(out(4), state_desc(s_.state));
    arguments[DNNL_ARG_DIFF_SRC_ITER_C] = program_.view(out(5), state_desc(s_.state));
    arguments[DNNL_ARG_DIFF_WEIGHTS_LAYER] =
        zeroed(program_.output(out(1), weights(s_.w, false), pd.diff_weights_layer_desc()));
    arguments[DNNL_ARG_DIFF_WEIGHTS_ITER] =
        zeroed(program_.output(out(2), weights(s_.u, false), pd.diff_weights_iter_desc()));
    arguments[DNNL_ARG_DIFF_BIAS] = zeroed(program_.view(out(3), bias(s_.b)));
    program_.add(Backward(pd), pd, arguments);
  }

 private:
  // x, states, weights, bias.
  Program::Arguments given(const Desc& w, const Desc& u) {
    return {{DNNL_ARG_SRC_LAYER, program_.view(in(0), sequence(s_.x))},
            {DNNL_ARG_SRC_ITER, program_.view(in(4), state_desc(s_.state))},
            {DNNL_ARG_SRC_ITER_C, program_.view(in(5), state_desc(s_.state))},
            {DNNL_ARG_WEIGHTS_LAYER, program_.input(in(1), weights(s_.w, false), w)},
            {DNNL_ARG_WEIGHTS_ITER, program_.input(in(2), weights(s_.u, false), u)},
            {DNNL_ARG_BIAS, program_.view(in(3), bias(s_.b))}};
  }

  // The forward pass in training, outside the step, and what it leaves.
  Program::Arguments saved(const Forward::primitive_desc& pd) {
    Program::Arguments arguments = {
        {DNNL_ARG_SRC_LAYER, program_.view(in(0), sequence(s_.x))},
        {DNNL_ARG_SRC_ITER, program_.view(in(4), state_desc(s_.state))},
        {DNNL_ARG_SRC_ITER_C, program_.view(in(5), state_desc(s_.state))},
        {DNNL_ARG_WEIGHTS_LAYER, before(in(1), weights(s_.w, false), pd.weights_layer_desc())},
        {DNNL_ARG_WEIGHTS_ITER, before(in(2), weights(s_.u, false), pd.weights_iter_desc())},
        {DNNL_ARG_BIAS, program_.view(in(3), bias(s_.b))},
        {DNNL_ARG_DST_LAYER, program_.between(sequence(s_.y))},
        {DNNL_ARG_DST_ITER, program_.between(state_desc(s_.state))},
        {DNNL_ARG_DST_ITER_C, program_.between(state_desc(s_.state))},
        {DNNL_ARG_WORKSPACE, program_.between(pd.workspace_desc())}};
    if (pd.scratchpad_desc().get_size() > 0) {
      arguments[DNNL_ARG_SCRATCHPAD] = program_.between(pd.scratchpad_desc());
    }
    program_.add_before([forward = Forward(pd), arguments] {
      dnnl::stream stream(onednn_engine());
      forward.execute(stream, arguments);
      stream.wait();
    });
    return arguments;
  }

  // A copy of an input in another layout, made outside the step.
  dnnl::memory before(std::span<const float> data, const Desc& plain, const Desc& wanted) {
    const dnnl::memory source = program_.view(data, plain);
    if (plain == wanted) return source;
    const dnnl::memory copy = program_.between(wanted);
    program_.add_before(program_.reorder(source, copy));
    return copy;
  }

  static void fill_zero(const dnnl::memory& memory) {
    auto* floats = static_cast<float*>(memory.get_data_handle());
    std::fill_n(floats, memory.get_desc().get_size() / sizeof(float), 0.0F);
  }
  dnnl::memory zeroed(const dnnl::memory& memory) {
    program_.add_call([memory] { fill_zero(memory); });
    return memory;
  }
  dnnl::memory zeroed_once(const Desc& desc) {
    const dnnl::memory memory = program_.between(desc);
    fill_zero(memory);
    return memory;
  }

  std::span<const float> in(size_t i) const { return request_.inputs[i].data(); }
  std::span<float> out(size_t i) const { return request_.outputs[i].data(); }

  Lstm s_;
  const StepRequest& request_;
  Program& program_;
  bool own_;
};

std::unique_ptr<Program> assemble(const StepRequest& request, bool own, Layout layout) {
  auto program = std::make_unique<Program>(layout);
  Assembly assembly(request, *program, own);
  Lstm(request.op_case).forward ? assembly.forward() : assembly.backward();
  return program;
}

std::unique_ptr<Program> lstm(const StepRequest& request) {
  return fastest({[&] { return assemble(request, false, Layout::kPlain); },
                  [&] { return assemble(request, true, Layout::kPlain); }});
}

const VariantRow rows[] = {
    VariantRow(onednn_variant("lstm", "onednn", "LSTM primitive, plain layouts", lstm)),
    VariantRow(onednn_variant(
        "lstm", "onednn_blocked",
        "LSTM primitive with weights in its own layout, reorders outside the step",
        [](const StepRequest& request) { return assemble(request, true, Layout::kOwn); })),
};

}  // namespace
}  // namespace nsop::reference::peers
