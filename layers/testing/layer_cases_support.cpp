// Odd shapes on purpose: batch 1, length 1, channels 1, sizes that are no multiple of a vector.
#include "layers/testing/layer_cases_support.h"

#include <gtest/gtest.h>

#include <map>

#include "layers/activations.h"
#include "layers/axis_layers.h"
#include "layers/conv.h"
#include "layers/dense.h"
#include "layers/dropout.h"
#include "layers/embedding.h"
#include "layers/norm.h"
#include "layers/pool2d.h"
#include "layers/recurrent.h"
#include "layers/reshape.h"

namespace nsop::layers {
namespace {

template <class L, class... Args>
std::function<std::unique_ptr<Layer>()> making(Args... args) {
  return [args...] { return std::make_unique<L>(args...); };
}

const std::vector<Shape> kAnyButEmpty = {{}, {3, 0}, {-1, 4}};

std::vector<LayerCase> activation_cases() {
  struct Kind {
    std::string name;
    std::function<std::unique_ptr<Layer>()> make;
    std::string op;
  };
  const std::vector<Kind> kinds = {
      {"ReLU", making<ReLU>(), "relu"},
      {"Tanh", making<Tanh>(), "tanh"},
      {"Sigmoid", making<Sigmoid>(), "sigmoid"},
      {"LeakyReLU", making<LeakyReLU>(0.125f), "leaky_relu alpha=0.125"},
      {"ELU", making<ELU>(1.5f), "elu alpha=1.5"},
      {"GELU", making<GELU>(GeluForm::kErf), "gelu form=erf"},
      {"GELUTanh", making<GELU>(GeluForm::kTanh), "gelu form=tanh"},
      {"SiLU", making<SiLU>(), "silu"},
      {"ReLU6", making<ReLU6>(), "relu6"},
      {"Softplus", making<Softplus>(), "softplus"},
  };
  std::vector<LayerCase> cases;
  for (const Kind& kind : kinds) {
    for (const Shape& in : {Shape{1}, Shape{3, 37}, Shape{1, 1, 19}, Shape{2, 3, 5, 7}}) {
      cases.push_back({kind.name + "_" + shape_text(in), kind.make, in,
                       kind.op + " pass=forward range=-3:3 n=" + shape_text(in), true,
                       kAnyButEmpty});
    }
  }
  return cases;
}

void add_dense(std::vector<LayerCase>& cases) {
  struct Size {
    Shape in;
    size_t out;
    bool bias;
    bool out_by_in;
  };
  for (const Size& s :
       {Size{{1, 1}, 1, true, true}, Size{{1, 19}, 7, true, true}, Size{{1, 5}, 33, false, false},
        Size{{5, 13}, 17, true, false}, Size{{3, 7}, 1, false, true}, Size{{4, 1}, 9, true, true},
        Size{{13}, 5, true, true}, Size{{2, 3, 7}, 5, true, true}}) {
    const DenseOptions options{.bias = s.bias, .out_by_in = s.out_by_in};
    const auto in = static_cast<size_t>(s.in.back());
    const std::string text = shape_text({element_count(s.in) / s.in.back(), s.in.back()}) +
                             " out=" + std::to_string(s.out) + " bias=" + (s.bias ? "1" : "0") +
                             " w=" + (s.out_by_in ? "oi" : "io");
    cases.push_back({"Dense_" + shape_text(s.in) + "_to_" + std::to_string(s.out),
                     making<Dense>(in, s.out, options),
                     s.in,
                     "dense pass=forward in=" + text,
                     true,
                     {{}, {2, s.in.back() + 1}, {0, s.in.back()}}});
  }
}

struct ConvSize {
  Shape in;
  size_t out;
  ConvOptions options;
};

std::vector<ConvSize> conv_sizes() {
  return {
      {{1, 1, 1}, 1, {.kernel = 1}},
      {{2, 3, 17}, 5, {.kernel = 3, .stride = 1, .pad = 1}},
      {{1, 2, 19}, 3, {.kernel = 5, .stride = 3, .pad = 2, .bias = false}},
      {{2, 4, 13}, 6, {.kernel = 3, .stride = 2, .pad = 2, .dilation = 2, .groups = 2}},
      {{2, 3, 9}, 2, {.kernel = 3, .pad = 1, .mean = true}},
      {{2, 5, 9}, 5, {.kernel = 3, .pad = 1, .groups = 5}},
      {{1, 2, 11}, 3, {.kernel = 3, .pad = 1, .dilation = 3}},
      {{1, 1, 1, 1}, 1, {.kernel = 1}},
      {{2, 3, 7, 5}, 4, {.kernel = 3, .stride = 1, .pad = 1}},
      {{1, 2, 9, 8}, 3, {.kernel = 3, .stride = 2, .pad = 0, .bias = false}},
      {{1, 4, 7, 9}, 6, {.kernel = 3, .stride = 1, .pad = 2, .dilation = 2, .groups = 2}},
      {{2, 5, 6, 7}, 5, {.kernel = 3, .stride = 1, .pad = 1, .groups = 5}},
      {{1, 2, 7, 8}, 2, {.kernel = 2, .stride = 3, .pad = 1}},
      {{2, 2, 5, 6}, 3, {.kernel = 3, .pad = 1, .mean = true}},
      {{1, 1, 3, 3}, 2, {.kernel = 5, .pad = 1}},
      {{1, 16, 3, 3}, 16, {.kernel = 3, .pad = 1}},  // by Winograd
      {{1, 1, 1, 1, 1}, 1, {.kernel = 1}},
      {{2, 2, 3, 4, 5}, 3, {.kernel = 3, .stride = 1, .pad = 1}},
      {{1, 4, 5, 4, 6}, 2, {.kernel = 2, .stride = 2, .pad = 1, .dilation = 2, .groups = 2}},
      {{1, 3, 3, 4, 5}, 6, {.kernel = 3, .stride = 2, .pad = 1, .groups = 3}},
  };
}

void add_conv(std::vector<LayerCase>& cases) {
  size_t number = 0;
  for (const ConvSize& s : conv_sizes()) {
    const ConvOptions& o = s.options;
    const size_t rank = s.in.size() - 2;
    const auto channels = static_cast<size_t>(s.in[1]);
    const std::string op = "conv" + std::to_string(rank) + "d";
    std::string text = op + " pass=forward in=" + shape_text(s.in);
    const auto add = [&text](const char* key, size_t value) {
      text += std::string(" ") + key + "=" + std::to_string(value);
    };
    add("out", s.out);
    add("k", o.kernel);
    add("s", o.stride);
    add("p", o.pad);
    add("bias", o.bias ? 1 : 0);
    add("d", o.dilation);
    add("groups", o.groups);
    if (o.mean) text += " reduce=mean";
    LayerCase c;
    c.name = op + "_" + std::to_string(++number);
    c.make = rank == 1   ? making<Conv1D>(channels, s.out, o)
             : rank == 2 ? making<Conv2D>(channels, s.out, o)
                         : making<Conv3D>(channels, s.out, o);
    c.in = s.in;
    c.op_case = text;
    Shape more_channels = s.in;
    ++more_channels[1];
    Shape fewer_axes = s.in;
    fewer_axes.pop_back();
    c.refused = {{}, more_channels, fewer_axes};
    const size_t least = o.dilation * (o.kernel - 1) + 1;
    if (least > 2 * o.pad + 1) {  // one less than fits
      Shape small = s.in;
      small.back() = static_cast<int64_t>(least - 2 * o.pad - 1);
      c.refused.push_back(small);
    }
    cases.push_back(c);
  }
}

void add_pools(std::vector<LayerCase>& cases) {
  struct Size {
    Shape in;
    Pool2DOptions options;
  };
  size_t number = 0;
  for (const Size& s :
       {Size{{1, 1, 1, 1}, {.kernel = 1, .stride = 1}},
        Size{{2, 3, 6, 8}, {.kernel = 2, .stride = 2}}, Size{{1, 2, 7, 5}, {.kernel = 2}},
        Size{{2, 1, 7, 9}, {.kernel = 3, .stride = 2, .pad = 1}},
        Size{{1, 3, 5, 6}, {.kernel = 3, .stride = 1, .pad = 2}},
        Size{{1, 2, 7, 8}, {.kernel = 4, .stride = 2, .pad = 1}},
        Size{{1, 1, 7, 19}, {.kernel = 2, .stride = 3}}}) {
    const size_t stride = s.options.stride == 0 ? s.options.kernel : s.options.stride;
    const std::string keys = "2d pass=forward in=" + shape_text(s.in) +
                             " k=" + std::to_string(s.options.kernel) +
                             " s=" + std::to_string(stride) + " p=" + std::to_string(s.options.pad);
    std::vector<Shape> refused = {{}, {1, 5, 5}, {1, 1, 0, 3}};
    if (s.options.kernel > 2 * s.options.pad + 1) {  // one less than fits
      const auto small = static_cast<int64_t>(s.options.kernel - 2 * s.options.pad - 1);
      refused.push_back({1, 1, small, small});
    }
    const std::string suffix = std::to_string(++number);
    cases.push_back({"MaxPool2D_" + suffix, making<MaxPool2D>(s.options), s.in, "maxpool" + keys,
                     true, refused});
    cases.push_back({"AvgPool2D_" + suffix, making<AvgPool2D>(s.options), s.in, "avgpool" + keys,
                     true, refused});
  }
}

void add_adaptive_pools(std::vector<LayerCase>& cases) {
  const std::vector<Shape> refused = {{}, {1, 5, 5}, {1, 1, 0, 3}};
  struct Size {
    Shape in, out;
  };
  int number = 0;
  for (const Size& s :
       {Size{{2, 3, 7, 5}, {3, 2}}, Size{{1, 1, 3, 4}, {5, 4}}, Size{{1, 3, 17, 1}, {4, 1}}}) {
    const std::string keys =
        "pool2d pass=forward in=" + shape_text(s.in) + " out=" + shape_text(s.out);
    const std::string suffix = std::to_string(++number);
    const auto height = static_cast<size_t>(s.out[0]);
    const auto width = static_cast<size_t>(s.out[1]);
    cases.push_back({"AdaptiveAvgPool2D_" + suffix, making<AdaptiveAvgPool2D>(height, width), s.in,
                     "adaptive_avg" + keys, true, refused});
    cases.push_back({"AdaptiveMaxPool2D_" + suffix, making<AdaptiveMaxPool2D>(height, width), s.in,
                     "adaptive_max" + keys, true, refused});
  }
  for (const Shape& in : {Shape{2, 3, 7, 5}, Shape{1, 1, 1, 1}}) {
    cases.push_back({"GlobalAvgPool2D_" + std::to_string(number++ - 2), making<GlobalAvgPool2D>(),
                     in, "adaptive_avgpool2d pass=forward in=" + shape_text(in) + " out=1x1", true,
                     refused});
  }
}

void add_axis_layers(std::vector<LayerCase>& cases) {
  struct Size {
    Shape in;
    int axis;
  };
  for (const Size& s : {Size{{1}, 0}, Size{{1, 1}, -1}, Size{{3, 37}, 1}, Size{{17, 3}, 0},
                        Size{{2, 5, 7}, -2}, Size{{2, 3, 4, 5}, 1}}) {
    const auto rank = static_cast<int>(s.in.size());
    const int axis = s.axis < 0 ? s.axis + rank : s.axis;
    const std::string keys =
        " pass=forward n=" + shape_text(s.in) + " axis=" + std::to_string(axis);
    const std::string suffix = "_" + shape_text(s.in) + "_axis" + std::to_string(axis);
    std::vector<Shape> refused = kAnyButEmpty;
    if (s.axis > 0) refused.push_back({5});
    if (s.axis < -1) refused.push_back({5});
    cases.push_back(
        {"Softmax" + suffix, making<Softmax>(s.axis), s.in, "softmax" + keys, true, refused});
    cases.push_back({"LogSoftmax" + suffix, making<LogSoftmax>(s.axis), s.in, "log_softmax" + keys,
                     true, refused});
    cases.push_back({"Mean" + suffix, making<Mean>(s.axis), s.in, "mean" + keys, true, refused});
  }
}

void add_norms(std::vector<LayerCase>& cases) {
  for (const Shape& in :
       {Shape{1, 1, 1, 1}, Shape{3, 1, 1, 1}, Shape{5, 3, 1, 1}, Shape{1, 2, 5, 7},
        Shape{2, 3, 3, 3}, Shape{3, 6, 1, 17}, Shape{5, 3}, Shape{2, 3, 7}}) {
    const auto channels = static_cast<size_t>(in[1]);
    const std::string suffix = "_" + shape_text(in);
    Shape four = in;
    four.resize(4, 1);
    const std::string keys = " pass=forward in=" + shape_text(four);
    Shape more_channels = in;
    ++more_channels[1];
    const std::vector<Shape> refused = {{}, {3}, more_channels};
    cases.push_back({"BatchNorm" + suffix, making<BatchNorm>(channels), in,
                     "batchnorm mode=train" + keys, true, refused});
    cases.push_back({"BatchNormEval" + suffix, making<BatchNorm>(channels), in,
                     "batchnorm mode=eval" + keys, false, refused});
    for (const size_t groups : {size_t{1}, channels}) {
      cases.push_back({"GroupNorm" + suffix + "_groups" + std::to_string(groups),
                       making<GroupNorm>(groups, channels), in,
                       "groupnorm groups=" + std::to_string(groups) + keys, true, refused});
      if (channels == 1) break;
    }
  }
  cases.push_back({"GroupNorm_3_of_6",
                   making<GroupNorm>(size_t{3}, size_t{6}),
                   {2, 6, 5, 3},
                   "groupnorm groups=3 pass=forward in=2x6x5x3",
                   true,
                   {{2, 5, 5, 3}}});
  for (const Shape& in :
       {Shape{1, 1}, Shape{3, 37}, Shape{19, 5}, Shape{2, 3, 7}, Shape{19}, Shape{1, 1, 5}}) {
    const std::vector<Shape> refused = {{}, {in[0], in.back() + 1}};
    cases.push_back({"LayerNorm_" + shape_text(in), making<LayerNorm>(Shape{in.back()}), in,
                     "layernorm last=1 pass=forward n=" + shape_text(in), true, refused});
    cases.push_back({"RMSNorm_" + shape_text(in), making<RMSNorm>(static_cast<size_t>(in.back())),
                     in, "rmsnorm pass=forward n=" + shape_text(in), true, refused});
  }
  cases.push_back({"LayerNorm_last2",
                   making<LayerNorm>(Shape{3, 7}),
                   {2, 3, 7},
                   "layernorm last=2 pass=forward n=2x3x7",
                   true,
                   {{7}, {2, 7, 3}}});
}

// Sequences, and single steps of a cell (rank 2).
void add_recurrent(std::vector<LayerCase>& cases) {
  struct Size {
    Shape in;
    size_t hidden;
  };
  for (const Size& s : {Size{{1, 1, 1}, 1}, Size{{5, 1, 3}, 2}, Size{{3, 2, 5}, 7},
                        Size{{2, 3, 1}, 17}, Size{{1, 5}, 3}, Size{{3, 2}, 19}}) {
    const auto in = static_cast<size_t>(s.in.back());
    const std::string steps = s.in.size() == 2 ? "1x" : "";
    const std::string keys =
        " pass=forward in=" + steps + shape_text(s.in) + " hidden=" + std::to_string(s.hidden);
    const std::string suffix = "_" + shape_text(s.in) + "_to_" + std::to_string(s.hidden);
    const std::vector<Shape> refused = {{}, {s.in.back()}, {2, 3, s.in.back() + 1}};
    cases.push_back(
        {"LSTM" + suffix, making<LSTM>(in, s.hidden), s.in, "lstm" + keys, true, refused});
    cases.push_back({"GRU" + suffix, making<GRU>(in, s.hidden), s.in, "gru" + keys, true, refused});
    cases.push_back({"RNN" + suffix, making<RNN>(in, s.hidden), s.in, "rnn" + keys, true, refused});
  }
}

void add_embedding(std::vector<LayerCase>& cases) {
  struct Size {
    Shape in;
    size_t vocab, dim;
  };
  for (const Size& s :
       {Size{{1}, 1, 1}, Size{{3, 7}, 5, 3}, Size{{9}, 40, 19}, Size{{1, 1, 17}, 5, 1}}) {
    const std::string sizes = " vocab=" + std::to_string(s.vocab) + " dim=" + std::to_string(s.dim);
    cases.push_back({"Embedding_" + shape_text(s.in),
                     making<Embedding>(s.vocab, s.dim),
                     s.in,
                     "embedding pass=forward n=" + shape_text(s.in) + sizes,
                     true,
                     {{}, {0}, {3, 0}},
                     static_cast<int64_t>(s.vocab)});
  }
}

std::vector<double> same(const Layer&, ConstFloats x) { return {x.begin(), x.end()}; }

std::vector<double> masked(const Layer& layer, ConstFloats x) {
  const ConstFloats mask = dynamic_cast<const Dropout&>(layer).mask();
  std::vector<double> y(x.begin(), x.end());
  for (size_t i = 0; i < y.size(); ++i) y[i] *= mask[i];
  return y;
}

void add_formulas(std::vector<LayerCase>& cases) {
  LayerCase c;
  const auto add = [&](const std::string& name, const Shape& in) {
    c.name = name + "_" + shape_text(in);
    c.in = in;
    cases.push_back(c);
  };
  c.refused = kAnyButEmpty;
  c.formula = masked;
  c.make = making<Dropout>(0.5, std::optional<uint64_t>(3));
  for (const Shape& in : {Shape{1}, Shape{3, 37}, Shape{2, 3, 5, 7}}) add("Dropout", in);
  c.make = making<Dropout>(0.0, std::optional<uint64_t>(3));
  add("Dropout", {1, 1, 19});
  c.make = making<Dropout>(0.3, std::optional<uint64_t>(3));
  add("Dropout_rate03", {3, 37});
  c.formula = same;
  c.training = false;
  for (const Shape& in : {Shape{1}, Shape{3, 37}}) add("DropoutEval", in);
  c.make = making<Flatten>();
  for (const Shape& in : {Shape{1}, Shape{3, 1, 7}, Shape{2, 3, 5, 7}}) add("Flatten", in);
  c.refused.push_back({2, 20});
  c.make = making<Reshape>(Shape{7, 3});
  add("Reshape", {2, 21});
  c.make = making<Reshape>(Shape{1, 1});
  add("Reshape", {1, 1});
}

std::vector<LayerCase> all_cases() {
  std::vector<LayerCase> cases = activation_cases();
  add_dense(cases);
  add_conv(cases);
  add_pools(cases);
  add_adaptive_pools(cases);
  add_axis_layers(cases);
  add_norms(cases);
  add_recurrent(cases);
  add_embedding(cases);
  add_formulas(cases);
  return cases;
}

}  // namespace

const std::vector<LayerKind>& layer_kinds() {
  static const std::vector<LayerKind> kinds = [] {
    std::map<std::string, std::vector<LayerCase>> by_name;
    for (const LayerCase& c : all_cases()) by_name[c.name.substr(0, c.name.find('_'))].push_back(c);
    std::vector<LayerKind> result;
    for (auto& [name, cases] : by_name) result.push_back({name, std::move(cases)});
    return result;
  }();
  return kinds;
}

}  // namespace nsop::layers
