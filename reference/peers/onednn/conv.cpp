#include "reference/peers/onednn/conv.h"

#include <fmt/format.h>

#include <functional>
#include <numeric>
#include <utility>

namespace nsop::reference::peers {
namespace {

using dnnl::algorithm;
using dnnl::prop_kind;
using Forward = dnnl::convolution_forward;
using Data = dnnl::convolution_backward_data;
using Weights = dnnl::convolution_backward_weights;
using Pool = dnnl::pooling_forward;

size_t axes(const Conv& c) { return c.stride.size(); }

Desc activations(const Dims& dims, Way way) {
  if (way == Way::kPlain) return plain_desc(dims);
  return way == Way::kChannelsLast ? common_layouts(dims)[1] : any_desc(dims);
}

Desc weights(const Dims& dims, Way way) {
  return way == Way::kPlain ? plain_desc(dims) : any_desc(dims);
}

Desc bias_desc(const Conv& c) { return c.bias ? plain_desc({c.y[1]}) : Desc(); }

// Of a mean over pixels, db is the plain sum of dy over images: it needs no pixels.
Desc diff_bias_desc(const Conv& c) { return c.mean ? Desc() : bias_desc(c); }

bool is_winograd(Way way) { return way == Way::kWinograd || way == Way::kPackedWinograd; }

// For inference the library asks for transformed weights, whose reorder takes longer than the
// transform inside the primitive that is for training.
prop_kind forward_kind(Way way) {
  return way == Way::kWinograd ? prop_kind::forward_training : prop_kind::forward_inference;
}

algorithm algorithm_of(Way way) {
  if (is_winograd(way)) return algorithm::convolution_winograd;
  return way == Way::kDirect ? algorithm::convolution_direct : algorithm::convolution_auto;
}

// Winograd's transforms round, whatever the number of products that an output sums; below so many,
// the library exceeds the op's tolerance, which grows with that number.
constexpr int64_t kLeastTerms = 64;

void require_terms(Way way, int64_t terms) {
  if (!is_winograd(way) || terms >= kLeastTerms) return;
  throw dnnl::error(dnnl_unimplemented, "Winograd misses the tolerance of such short sums");
}

int64_t product(const Dims& dims, size_t first) {
  return std::accumulate(dims.begin() + static_cast<ptrdiff_t>(first), dims.end(), int64_t{1},
                         std::multiplies<>());
}

// Products per element of y, of dx, of dw.
int64_t forward_terms(const Conv& c) { return product(c.w, c.w.size() - axes(c) - 1); }
int64_t data_terms(const Conv& c) { return product(c.w, 0) / c.x[1]; }
int64_t weights_terms(const Conv& c) { return c.y[0] * product(c.y, 2); }

Forward::primitive_desc forward_desc(const Conv& c, Way way, prop_kind kind) {
  return {{kind, algorithm_of(way), activations(c.x, way), weights(c.w, way), bias_desc(c),
           activations(c.y, way), c.stride, c.dilation, c.pad, c.pad},
          program_attr(),
          onednn_engine()};
}

Data::primitive_desc data_desc(const Conv& c, Way way) {
  require_terms(way, data_terms(c));
  return {{algorithm_of(way), activations(c.x, way), weights(c.w, way), activations(c.y, way),
           c.stride, c.dilation, c.pad, c.pad},
          program_attr(),
          onednn_engine(),
          forward_desc(c, way, prop_kind::forward_training)};
}

Weights::primitive_desc weights_desc(const Conv& c, Way way) {
  require_terms(way, weights_terms(c));
  return {{algorithm_of(way), activations(c.x, way), weights(c.w, way), diff_bias_desc(c),
           activations(c.y, way), c.stride, c.dilation, c.pad, c.pad},
          program_attr(),
          onednn_engine(),
          forward_desc(c, way, prop_kind::forward_training)};
}

// The mean over all pixels is an average pool with one window; its gradient spreads dy.
Dims mean_dims(const Conv& c) {
  Dims dims(c.y.size(), 1);
  dims[0] = c.y[0];
  dims[1] = c.y[1];
  return dims;
}

Pool::primitive_desc mean_desc(const Conv& c, const Desc& full, const Desc& mean) {
  const Dims window(c.y.begin() + 2, c.y.end());
  return {{prop_kind::forward_training, algorithm::pooling_avg_exclude_padding, full, mean, window,
           window, Dims(axes(c), 0), Dims(axes(c), 0)},
          program_attr(),
          onednn_engine()};
}

// Appends primitives for one case to a program.
class Assembly {
 public:
  Assembly(const Conv& conv, const StepRequest& request, Program& program)
      : c_(conv), request_(request), program_(program) {}

  void forward(Way way) {
    require_terms(way, forward_terms(c_));
    const auto pd = forward_desc(c_, way, forward_kind(way));
    const dnnl::memory y = c_.mean ? program_.between(pd.dst_desc())
                                   : program_.output(out(0), plain_desc(c_.y), pd.dst_desc());
    Program::Arguments arguments{
        {DNNL_ARG_SRC, program_.input(in(0), plain_desc(c_.x), pd.src_desc())},
        {DNNL_ARG_WEIGHTS, program_.input(in(1), plain_desc(c_.w), pd.weights_desc())},
        {DNNL_ARG_DST, y}};
    if (c_.bias) arguments.emplace(DNNL_ARG_BIAS, program_.view(in(2), bias_desc(c_)));
    program_.add(Forward(pd), pd, arguments);
    if (c_.mean) average(y);
  }

  void data(Way way) {
    const auto pd = data_desc(c_, way);
    const std::span<const float> w = in(c_.wants_weights() ? 1 : 0);
    const dnnl::memory dy = gradient(pd.diff_dst_desc());
    const dnnl::memory weights_in = program_.input(w, plain_desc(c_.w), pd.weights_desc());
    const dnnl::memory dx = program_.output(out(0), plain_desc(c_.x), pd.diff_src_desc());
    program_.add(
        Data(pd), pd,
        {{DNNL_ARG_WEIGHTS, weights_in}, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_SRC, dx}});
  }

  void weight_gradient(Way way) {
    const auto pd = weights_desc(c_, way);
    const size_t first = c_.wants_data() ? 1 : 0;
    const dnnl::memory dy = gradient(pd.diff_dst_desc());
    const dnnl::memory x = program_.input(in(0), plain_desc(c_.x), pd.src_desc());
    const dnnl::memory dw = program_.output(out(first), plain_desc(c_.w), pd.diff_weights_desc());
    Program::Arguments arguments{
        {DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_WEIGHTS, dw}};
    if (c_.bias && !c_.mean) {
      arguments.emplace(DNNL_ARG_DIFF_BIAS, program_.view(out(first + 1), bias_desc(c_)));
    }
    program_.add(Weights(pd), pd, arguments);
    if (c_.bias && c_.mean)
      program_.add_row_sum(request_.inputs.back().data(), c_.y[0], c_.y[1], out(first + 1));
  }

 private:
  std::span<const float> in(size_t i) const { return request_.inputs[i].data(); }
  std::span<float> out(size_t i) const { return request_.outputs[i].data(); }

  void average(const dnnl::memory& y) {
    const Desc plain = plain_desc(mean_dims(c_));
    const auto pd = mean_desc(c_, y.get_desc(), any_desc(mean_dims(c_)));
    Program::Arguments arguments{{DNNL_ARG_SRC, y},
                                 {DNNL_ARG_DST, program_.output(out(0), plain, pd.dst_desc())}};
    if (pd.workspace_desc().get_size() > 0) {
      arguments.emplace(DNNL_ARG_WORKSPACE, program_.between(pd.workspace_desc()));
    }
    program_.add(Pool(pd), pd, arguments);
  }

  // dy in layout `wanted`, spread over the pixels if the output is a mean.
  dnnl::memory gradient(const Desc& wanted) {
    const std::span<const float> dy = request_.inputs.back().data();
    if (!c_.mean) return program_.input(dy, plain_desc(c_.y), wanted);
    for (const dnnl::memory& spread : spread_) {
      if (spread.get_desc() == wanted) return spread;
    }
    const Dims dims = mean_dims(c_);
    const Dims window(c_.y.begin() + 2, c_.y.end()), none(axes(c_), 0);
    const auto hint = mean_desc(c_, wanted, any_desc(dims));
    const dnnl::pooling_backward::primitive_desc pd({algorithm::pooling_avg_exclude_padding, wanted,
                                                     hint.dst_desc(), window, window, none, none},
                                                    program_attr(), onednn_engine(), hint);
    spread_.push_back(program_.between(wanted));
    program_.add(dnnl::pooling_backward(pd), pd,
                 {{DNNL_ARG_DIFF_DST, program_.input(dy, plain_desc(dims), pd.diff_dst_desc())},
                  {DNNL_ARG_DIFF_SRC, spread_.back()}});
    return spread_.back();
  }

  const Conv& c_;
  const StepRequest& request_;
  Program& program_;
  std::vector<dnnl::memory> spread_;
};

using Part = void (Assembly::*)(Way);

// The way in which this part alone is fastest.
Way fastest_way(const Conv& conv, const StepRequest& request, const std::vector<Way>& ways,
                Layout layout, Part part) {
  std::vector<Builder> builders;
  for (const Way way : ways) {
    builders.push_back([&, way] {
      auto program = std::make_unique<Program>(layout);
      (Assembly(conv, request, *program).*part)(way);
      return program;
    });
  }
  return ways[fastest_index(builders)];
}

}  // namespace

Conv conv_of(const Case& op_case, bool can_reduce) {
  Conv c;
  c.x = op_case.shape("in");
  const int64_t out = op_case.integer("out"), k = op_case.integer("k");
  const int64_t s = op_case.integer("s"), p = op_case.integer("p"), d = op_case.integer("d");
  const int64_t groups = op_case.integer("groups");
  c.w = groups == 1 ? Dims{out, c.x[1]} : Dims{groups, out / groups, c.x[1] / groups};
  c.y = {c.x[0], out};
  for (size_t i = 2; i < c.x.size(); ++i) {
    c.w.push_back(k);
    c.y.push_back((c.x[i] + 2 * p - (d * (k - 1) + 1)) / s + 1);
  }
  c.stride.assign(c.x.size() - 2, s);
  c.dilation.assign(c.x.size() - 2, d - 1);
  c.pad.assign(c.x.size() - 2, p);
  c.bias = op_case.flag("bias");
  c.mean = can_reduce && op_case.str("reduce") == "mean";
  c.pass = op_case.str("pass");
  return c;
}

std::unique_ptr<Program> conv_program(const Conv& conv, const StepRequest& request,
                                      const std::vector<Way>& ways, Layout layout) {
  std::vector<std::pair<Part, Way>> parts;
  const auto plan = [&](Part part) {
    parts.emplace_back(part, fastest_way(conv, request, ways, layout, part));
  };
  if (conv.pass == "forward") plan(&Assembly::forward);
  if (conv.wants_data()) plan(&Assembly::data);
  if (conv.wants_weights()) plan(&Assembly::weight_gradient);
  auto program = std::make_unique<Program>(layout);
  Assembly assembly(conv, request, *program);  // one for both gradients: they share what they can
  for (const auto& [part, way] : parts) (assembly.*part)(way);
  return program;
}

std::string conv_unsupported(const Conv& conv, const std::vector<Way>& ways) {
  std::string reason;
  for (const Way way : ways) {
    try {
      if (conv.pass == "forward") {
        require_terms(way, forward_terms(conv));
        forward_desc(conv, way, forward_kind(way));
      }
      if (conv.wants_data()) data_desc(conv, way);
      if (conv.wants_weights()) weights_desc(conv, way);
      return {};
    } catch (const dnnl::error& error) {
      reason = fmt::format("oneDNN has no such implementation for this shape: {}", error.what());
    }
  }
  return reason;
}

}  // namespace nsop::reference::peers
