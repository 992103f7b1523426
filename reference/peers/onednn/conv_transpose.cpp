// The transposed convolutions by oneDNN's deconvolution: the faster, measured at set-up, of the
// library's own layouts with the reorders inside and of plain tensors as they are; `onednn_blocked`
// leaves the reorders out. The op stores weights [c,out/groups,k...], the library describes them as
// [out,c,k...] or [groups,out/groups,c/groups,k...].
#include <cmath>

#include "reference/peers/onednn/weighted.h"

namespace nsop::reference::peers {
namespace {

using dnnl::algorithm;
using dnnl::prop_kind;
using Forward = dnnl::deconvolution_forward;
using Data = dnnl::deconvolution_backward_data;
using Weights = dnnl::deconvolution_backward_weights;

struct Deconv : WeightedLayer {
  explicit Deconv(const Case& op_case) {
    x = op_case.shape("in");
    pass = op_case.str("pass");
    const int64_t out = op_case.integer("out"), k = op_case.integer("k");
    const int64_t s = op_case.integer("s"), p = op_case.integer("p"), op = op_case.integer("op");
    const int64_t d = op_case.integer("d"), groups = op_case.integer("groups");
    const auto rank = static_cast<int64_t>(x.size()) - 2;
    const auto taps = static_cast<int64_t>(std::llround(std::pow(k, rank)));
    const int64_t outs = out / groups, ins = x[1] / groups;
    y = {x[0], out};
    w_dims = {outs, ins};
    Dims w_strides = {taps, outs * taps};
    if (groups > 1) {
      w_dims.insert(w_dims.begin(), groups);
      w_strides.insert(w_strides.begin(), ins * outs * taps);
    }
    int64_t apart = taps;
    for (int64_t i = 0; i < rank; ++i) {
      y.push_back((x[2 + i] - 1) * s - 2 * p + d * (k - 1) + 1 + op);
      w_dims.push_back(k);
      w_strides.push_back(apart /= k);
    }
    stride = Dims(rank, s);
    dilation = Dims(rank, d - 1);
    before = Dims(rank, p);
    after = Dims(rank, p - op);
    w = strided_desc(w_dims, w_strides);
    if (op_case.flag("bias")) bias = plain_desc({out});
  }

  Dims w_dims, stride, dilation, before, after;
};

// `own`: the library chooses the layouts.
Desc activations(const Dims& dims, bool own) { return own ? any_desc(dims) : plain_desc(dims); }
Desc weights(const Deconv& d, bool own) { return own ? any_desc(d.w_dims) : d.w; }

Forward::primitive_desc forward_desc(const Deconv& d, bool own, prop_kind kind) {
  return {{kind, algorithm::deconvolution_direct, activations(d.x, own), weights(d, own), d.bias,
           activations(d.y, own), d.stride, d.dilation, d.before, d.after},
          program_attr(),
          onednn_engine()};
}

Data::primitive_desc data_desc(const Deconv& d, bool own) {
  return {{algorithm::deconvolution_direct, activations(d.x, own), weights(d, own),
           activations(d.y, own), d.stride, d.dilation, d.before, d.after},
          program_attr(),
          onednn_engine(),
          forward_desc(d, own, prop_kind::forward_training)};
}

Weights::primitive_desc weights_desc(const Deconv& d, bool own) {
  return {{algorithm::deconvolution_direct, activations(d.x, own), weights(d, own), d.bias,
           activations(d.y, own), d.stride, d.dilation, d.before, d.after},
          program_attr(),
          onednn_engine(),
          forward_desc(d, own, prop_kind::forward_training)};
}

std::unique_ptr<Program> assemble(const StepRequest& request, bool own, Layout where) {
  auto program = std::make_unique<Program>(where);
  const Deconv d(request.op_case);
  WeightedAssembly assembly(d, request, *program);
  if (d.pass == "forward") {
    assembly.add_forward<Forward>(forward_desc(d, own, prop_kind::forward_inference));
  }
  if (d.wants_data()) assembly.add_data<Data>(data_desc(d, own));
  if (d.wants_weights()) assembly.add_weights<Weights>(weights_desc(d, own));
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
