// The transposed convolutions by oneDNN's deconvolution: the faster, measured at set-up, of the
// library's own layouts with the reorders inside and of plain tensors as they are; `onednn_blocked`
// leaves the reorders out. The op stores weights [c,out/groups,k...], the library describes them as
// [out,c,k...] or [groups,out/groups,c/groups,k...].
#include <cmath>

#include "reference/peers/onednn.h"

namespace nsop::reference::peers {
namespace {

using dnnl::algorithm;
using dnnl::prop_kind;
using Forward = dnnl::deconvolution_forward;
using Data = dnnl::deconvolution_backward_data;
using Weights = dnnl::deconvolution_backward_weights;

struct Deconv {
  explicit Deconv(const Case& op_case) : x(op_case.shape("in")), pass(op_case.str("pass")) {
    const int64_t out = op_case.integer("out"), k = op_case.integer("k");
    const int64_t s = op_case.integer("s"), p = op_case.integer("p"), op = op_case.integer("op");
    const int64_t d = op_case.integer("d"), groups = op_case.integer("groups");
    const auto rank = static_cast<int64_t>(x.size()) - 2;
    const auto taps = static_cast<int64_t>(std::llround(std::pow(k, rank)));
    const int64_t outs = out / groups, ins = x[1] / groups;
    y = {x[0], out};
    w = {outs, ins};
    w_strides = {taps, outs * taps};
    if (groups > 1) {
      w.insert(w.begin(), groups);
      w_strides.insert(w_strides.begin(), ins * outs * taps);
    }
    int64_t apart = taps;
    for (int64_t i = 0; i < rank; ++i) {
      y.push_back((x[2 + i] - 1) * s - 2 * p + d * (k - 1) + 1 + op);
      w.push_back(k);
      w_strides.push_back(apart /= k);
    }
    stride = Dims(rank, s);
    dilation = Dims(rank, d - 1);
    before = Dims(rank, p);
    after = Dims(rank, p - op);
    bias = op_case.flag("bias");
  }
  Desc plain_w() const { return strided_desc(w, w_strides); }
  Desc bias_desc() const { return bias ? plain_desc({y[1]}) : Desc(); }
  bool wants_data() const { return pass == "backward" || pass == "backward_data"; }
  bool wants_weights() const { return pass == "backward" || pass == "backward_weights"; }

  Dims x, w, w_strides, y, stride, dilation, before, after;
  bool bias = false;
  std::string pass;
};

// Appends primitives for one case to a program; `own`: the library chooses the layouts.
class Assembly {
 public:
  Assembly(const StepRequest& request, Program& program)
      : d_(request.op_case), request_(request), program_(program) {}

  void forward(bool own) {
    const auto pd = forward_desc(own, prop_kind::forward_inference);
    Program::Arguments arguments{
        {DNNL_ARG_SRC, program_.input(in(0), plain_desc(d_.x), pd.src_desc())},
        {DNNL_ARG_WEIGHTS, program_.input(in(1), d_.plain_w(), pd.weights_desc())},
        {DNNL_ARG_DST, program_.output(out(0), plain_desc(d_.y), pd.dst_desc())}};
    if (d_.bias) arguments.emplace(DNNL_ARG_BIAS, program_.view(in(2), d_.bias_desc()));
    program_.add(Forward(pd), pd, arguments);
  }

  void data(bool own) {
    const Data::primitive_desc pd(
        {algorithm::deconvolution_direct, layout(d_.x, own), weights_layout(own), layout(d_.y, own),
         d_.stride, d_.dilation, d_.before, d_.after},
        program_attr(), onednn_engine(), forward_desc(own, prop_kind::forward_training));
    const dnnl::memory w =
        program_.input(in(d_.wants_weights() ? 1 : 0), d_.plain_w(), pd.weights_desc());
    const dnnl::memory dy = gradient(pd.diff_dst_desc());
    program_.add(
        Data(pd), pd,
        {{DNNL_ARG_WEIGHTS, w},
         {DNNL_ARG_DIFF_DST, dy},
         {DNNL_ARG_DIFF_SRC, program_.output(out(0), plain_desc(d_.x), pd.diff_src_desc())}});
  }

  void weights(bool own) {
    const Weights::primitive_desc pd(
        {algorithm::deconvolution_direct, layout(d_.x, own), weights_layout(own), d_.bias_desc(),
         layout(d_.y, own), d_.stride, d_.dilation, d_.before, d_.after},
        program_attr(), onednn_engine(), forward_desc(own, prop_kind::forward_training));
    const size_t first = d_.wants_data() ? 1 : 0;
    Program::Arguments arguments{
        {DNNL_ARG_SRC, program_.input(in(0), plain_desc(d_.x), pd.src_desc())},
        {DNNL_ARG_DIFF_DST, gradient(pd.diff_dst_desc())},
        {DNNL_ARG_DIFF_WEIGHTS, program_.output(out(first), d_.plain_w(), pd.diff_weights_desc())}};
    if (d_.bias) {
      arguments.emplace(DNNL_ARG_DIFF_BIAS, program_.view(out(first + 1), d_.bias_desc()));
    }
    program_.add(Weights(pd), pd, arguments);
  }

 private:
  static Desc layout(const Dims& dims, bool own) { return own ? any_desc(dims) : plain_desc(dims); }
  Desc weights_layout(bool own) const { return own ? any_desc(d_.w) : d_.plain_w(); }

  Forward::primitive_desc forward_desc(bool own, prop_kind kind) const {
    return {{kind, algorithm::deconvolution_direct, layout(d_.x, own), weights_layout(own),
             d_.bias_desc(), layout(d_.y, own), d_.stride, d_.dilation, d_.before, d_.after},
            program_attr(),
            onednn_engine()};
  }
  dnnl::memory gradient(const Desc& wanted) {
    return program_.input(request_.inputs.back().data(), plain_desc(d_.y), wanted);
  }
  std::span<const float> in(size_t i) const { return request_.inputs[i].data(); }
  std::span<float> out(size_t i) const { return request_.outputs[i].data(); }

  Deconv d_;
  const StepRequest& request_;
  Program& program_;
};

std::unique_ptr<Program> assemble(const StepRequest& request, bool own, Layout where) {
  auto program = std::make_unique<Program>(where);
  const Deconv d(request.op_case);
  Assembly assembly(request, *program);
  if (d.pass == "forward") assembly.forward(own);
  if (d.wants_data()) assembly.data(own);
  if (d.wants_weights()) assembly.weights(own);
  return program;
}

std::unique_ptr<Program> plain(const StepRequest& request) {
  return fastest({[&] { return assemble(request, true, Layout::kPlain); },
                  [&] { return assemble(request, false, Layout::kPlain); }});
}

const bool registered = [] {
  for (const char* op : {"conv1d_transpose", "conv2d_transpose", "conv3d_transpose"}) {
    const VariantRow row(
        onednn_variant(op, "onednn", "deconvolution primitive, fastest layout", plain));
    const VariantRow blocked(onednn_variant(
        op, "onednn_blocked",
        "deconvolution primitive in its own layouts, reorders outside the step",
        [](const StepRequest& request) { return assemble(request, true, Layout::kOwn); }));
  }
  return true;
}();

}  // namespace
}  // namespace nsop::reference::peers
