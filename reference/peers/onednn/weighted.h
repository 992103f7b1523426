// Layers with weights as oneDNN primitives: which tensor of a case is which of their arguments.
#pragma once

#include <string>

#include "reference/peers/onednn/onednn.h"

namespace nsop::reference::peers {

// As the case stores them.
struct WeightedLayer {
  Dims x, y;
  Desc w;
  Desc bias;  // empty where there is none
  std::string pass;

  bool has_bias() const { return !bias.is_zero(); }
  bool wants_data() const { return pass == "backward" || pass == "backward_data"; }
  bool wants_weights() const { return pass == "backward" || pass == "backward_weights"; }
};

// Appends a primitive per pass to a program. All that it is given must outlive it.
class WeightedAssembly {
 public:
  WeightedAssembly(const WeightedLayer& layer, const StepRequest& request, Program& program)
      : layer_(layer), request_(request), program_(program) {}

  template <class Forward>
  void add_forward(const typename Forward::primitive_desc& pd) {
    Program::Arguments arguments{
        {DNNL_ARG_SRC, program_.input(in(0), plain_desc(layer_.x), pd.src_desc())},
        {DNNL_ARG_WEIGHTS, program_.input(in(1), layer_.w, pd.weights_desc())},
        {DNNL_ARG_DST, program_.output(out(0), plain_desc(layer_.y), pd.dst_desc())}};
    if (layer_.has_bias()) arguments.emplace(DNNL_ARG_BIAS, program_.view(in(2), layer_.bias));
    program_.add(Forward(pd), pd, arguments);
  }

  template <class Data>
  void add_data(const typename Data::primitive_desc& pd) {
    const size_t weights = layer_.wants_weights() ? 1 : 0;
    const dnnl::memory w = program_.input(in(weights), layer_.w, pd.weights_desc());
    const dnnl::memory dy = gradient(pd.diff_dst_desc());
    program_.add(
        Data(pd), pd,
        {{DNNL_ARG_WEIGHTS, w},
         {DNNL_ARG_DIFF_DST, dy},
         {DNNL_ARG_DIFF_SRC, program_.output(out(0), plain_desc(layer_.x), pd.diff_src_desc())}});
  }

  template <class Weights>
  void add_weights(const typename Weights::primitive_desc& pd) {
    const size_t first = layer_.wants_data() ? 1 : 0;
    Program::Arguments arguments{
        {DNNL_ARG_SRC, program_.input(in(0), plain_desc(layer_.x), pd.src_desc())},
        {DNNL_ARG_DIFF_DST, gradient(pd.diff_dst_desc())},
        {DNNL_ARG_DIFF_WEIGHTS, program_.output(out(first), layer_.w, pd.diff_weights_desc())}};
    if (layer_.has_bias()) {
      arguments.emplace(DNNL_ARG_DIFF_BIAS, program_.view(out(first + 1), layer_.bias));
    }
    program_.add(Weights(pd), pd, arguments);
  }

 private:
  dnnl::memory gradient(const Desc& wanted) {
    return program_.input(request_.inputs.back().data(), plain_desc(layer_.y), wanted);
  }
  std::span<const float> in(size_t i) const { return request_.inputs[i].data(); }
  std::span<float> out(size_t i) const { return request_.outputs[i].data(); }

  const WeightedLayer& layer_;
  const StepRequest& request_;
  Program& program_;
};

}  // namespace nsop::reference::peers
