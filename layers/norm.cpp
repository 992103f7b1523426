#include "layers/norm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/error.h"
#include "layers/core/copy.h"
#include "layers/core/variant.h"

namespace nsop::layers {
namespace {

void require(bool holds, const std::string& layer, const char* expected) {
  if (!holds) throw usage_error(fmt::format("{}: expected {}", layer, expected));
}

kernels::NormPlanes planes_of(const Shape& in, size_t groups) {
  const auto batch = static_cast<size_t>(in[0]);
  const auto channels = static_cast<size_t>(in[1]);
  return {batch, channels, static_cast<size_t>(element_count(in)) / (batch * channels), groups};
}

void start(std::vector<Parameter>& parameters) {
  std::ranges::fill(parameters[0].value, 1.0f);
  if (parameters.size() > 1) clear_floats(parameters[1].value);
}

}  // namespace

Shape PlaneNorm::infer(const Shape& in) const {
  if (in.size() < 2 || in[1] != static_cast<int64_t>(channels_)) {
    refuse(fmt::format("[batch, {}, ...]", channels_), in);
  }
  return in;
}

void PlaneNorm::plan(Arena& arena) {
  planes_ = planes_of(input_shape(), groups_);
  const Shape per_channel = {static_cast<int64_t>(channels_)};
  add_parameter("weight", per_channel, arena, 1);
  add_parameter("bias", per_channel, arena);
  mean_ = arena.take(planes_.statistics());
  inv_std_ = arena.take(planes_.statistics());
  workspace_ = arena.scratch(kernels::plane_norm_workspace_floats(planes_) + planes_.size());
}

void PlaneNorm::init_parameters(Random&) { start(parameters()); }

void PlaneNorm::do_forward(ConstFloats x, Floats y) {
  kernels::plane_norm_forward(planes_, x, value(0), value(1), y, mean_, inv_std_, thread_pool());
}

PlaneNorm::BackwardMemory PlaneNorm::backward_memory(Floats dx) const {
  const size_t needed = kernels::plane_norm_workspace_floats(planes_);
  return {workspace_.first(needed), dx.empty() ? workspace_.subspan(needed) : dx};
}

void PlaneNorm::do_backward(ConstFloats x, ConstFloats, ConstFloats dy, Floats dx) {
  const BackwardMemory memory = backward_memory(dx);
  kernels::plane_norm_backward(planes_, x, value(0), mean_, inv_std_, dy, memory.dx, gradient(0),
                               gradient(1), memory.workspace, thread_pool());
}

BatchNorm::BatchNorm(size_t channels, float momentum) : PlaneNorm(channels), momentum_(momentum) {
  require(channels > 0, name(), "at least 1 channel");
  require(momentum >= 0 && momentum <= 1, name(), "a momentum between 0 and 1");
}

std::string BatchNorm::name() const { return fmt::format("BatchNorm({})", channels()); }

void BatchNorm::plan(Arena& arena) {
  PlaneNorm::plan(arena);
  const Shape per_channel = {static_cast<int64_t>(channels())};
  add_buffer("running_mean", per_channel, arena);
  add_buffer("running_var", per_channel, arena, 1);
}

void BatchNorm::init_parameters(Random& random) {
  PlaneNorm::init_parameters(random);
  clear_floats(buffer(0));
  std::ranges::fill(buffer(1), 1.0f);
}

void BatchNorm::do_forward(ConstFloats x, Floats y) {
  trained_ = training();
  if (!trained_) {
    kernels::plane_norm_inference(planes(), x, value(0), value(1), buffer(0), buffer(1), y,
                                  thread_pool());
    return;
  }
  PlaneNorm::do_forward(x, y);
  move_running_statistics();
}

void BatchNorm::move_running_statistics() {
  const auto count = static_cast<double>(planes().count());
  const double unbiased = count > 1 ? count / (count - 1) : 1;
  for (size_t c = 0; c < channels(); ++c) {
    const double inv = inv_std()[c];
    const double variance = 1 / (inv * inv) - double{kernels::kNormEpsilon};
    const auto moved = [&](float old, double towards) {
      return static_cast<float>(old + double{momentum_} * (towards - old));
    };
    buffer(0)[c] = moved(buffer(0)[c], mean()[c]);
    buffer(1)[c] = moved(buffer(1)[c], std::max(variance, 0.0) * unbiased);
  }
}

void BatchNorm::do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) {
  if (trained_) {
    PlaneNorm::do_backward(x, y, dy, dx);
    return;
  }
  const BackwardMemory memory = backward_memory(dx);
  kernels::plane_norm_inference_backward(planes(), x, value(0), buffer(0), buffer(1), dy, memory.dx,
                                         gradient(0), gradient(1), memory.workspace, thread_pool());
}

GroupNorm::GroupNorm(size_t groups, size_t channels) : PlaneNorm(channels, groups) {
  require(groups > 0 && channels > 0, name(), "at least 1 group and 1 channel");
  require(channels % groups == 0, name(), "groups that divide the channels");
}

std::string GroupNorm::name() const {
  return fmt::format("GroupNorm({}, groups={})", channels(), groups());
}

LayerNorm::LayerNorm(Shape normalized) : LayerNorm("LayerNorm", std::move(normalized), true) {}

LayerNorm::LayerNorm(std::string kind, Shape normalized, bool centred)
    : kind_(std::move(kind)), normalized_(std::move(normalized)) {
  shape_.centred = centred;
  const bool positive = std::ranges::all_of(normalized_, [](int64_t e) { return e >= 1; });
  require(!normalized_.empty() && positive, name(), "at least one dimension, each at least 1");
  shape_.length = static_cast<size_t>(element_count(normalized_));
}

std::string LayerNorm::name() const {
  return fmt::format("{}({})", kind_, shape_text(normalized_));
}

Shape LayerNorm::infer(const Shape& in) const {
  const bool fits = in.size() >= normalized_.size() &&
                    std::equal(normalized_.rbegin(), normalized_.rend(), in.rbegin());
  if (!fits) refuse(fmt::format("[..., {}]", fmt::join(normalized_, ", ")), in);
  return in;
}

void LayerNorm::plan(Arena& arena) {
  shape_.rows = static_cast<size_t>(element_count(input_shape())) / shape_.length;
  add_parameter("weight", normalized_, arena, 1);
  if (shape_.centred) {
    add_parameter("bias", normalized_, arena);
    mean_ = arena.take(shape_.rows);
  }
  inv_std_ = arena.take(shape_.rows);
  workspace_ = arena.scratch(kernels::row_norm_workspace_floats(shape_, thread_pool().threads()) +
                             shape_.rows * shape_.length);
}

void LayerNorm::init_parameters(Random&) { start(parameters()); }

void LayerNorm::do_forward(ConstFloats x, Floats y) {
  const ConstFloats beta = shape_.centred ? value(1) : ConstFloats();
  kernels::row_norm_forward(shape_, x, value(0), beta, y, mean_, inv_std_, thread_pool());
}

void LayerNorm::do_backward(ConstFloats x, ConstFloats, ConstFloats dy, Floats dx) {
  const size_t needed = kernels::row_norm_workspace_floats(shape_, thread_pool().threads());
  const Floats to = dx.empty() ? workspace_.subspan(needed) : dx;  // where nobody wants it
  kernels::row_norm_backward(shape_, x, value(0), mean_, inv_std_, dy, to, gradient(0),
                             shape_.centred ? gradient(1) : Floats(), workspace_.first(needed),
                             thread_pool());
}

namespace {

Shape n_shape(const Case& c) { return c.shape("n"); }

template <class L>
std::map<std::string, std::function<ConstFloats(const Layer&)>> statistics(bool centred) {
  std::map<std::string, std::function<ConstFloats(const Layer&)>> saved;
  const auto spread = [](const Layer& layer) { return dynamic_cast<const L&>(layer).inv_std(); };
  saved.emplace(centred ? "inv_std" : "inv_rms", spread);
  if (centred) {
    saved.emplace("mean", [](const Layer& layer) { return dynamic_cast<const L&>(layer).mean(); });
  }
  return saved;
}

bool trains(const Case& c) { return c.str("mode") == "train"; }

const VariantRow batch_row{layer_variant({
    .op = "batchnorm",
    .make =
        [](const Case& c) {
          return std::make_unique<BatchNorm>(static_cast<size_t>(c.shape("in")[1]));
        },
    .input = [](const Case& c) { return c.shape("in"); },
    .parameters =
        {{"gamma", "weight"}, {"beta", "bias"}, {"mean", "running_mean"}, {"var", "running_var"}},
    .saved = statistics<BatchNorm>(true),
    .training = trains,
})};

const VariantRow group_row{layer_variant({
    .op = "groupnorm",
    .make =
        [](const Case& c) {
          return std::make_unique<GroupNorm>(static_cast<size_t>(c.integer("groups")),
                                             static_cast<size_t>(c.shape("in")[1]));
        },
    .input = [](const Case& c) { return c.shape("in"); },
    .parameters = {{"gamma", "weight"}, {"beta", "bias"}},
    .saved = statistics<GroupNorm>(true),
})};

const VariantRow layer_row{layer_variant({
    .op = "layernorm",
    .make =
        [](const Case& c) {
          const Shape n = c.shape("n");
          return std::make_unique<LayerNorm>(Shape(n.end() - c.integer("last"), n.end()));
        },
    .input = n_shape,
    .parameters = {{"gamma", "weight"}, {"beta", "bias"}},
    .saved = statistics<LayerNorm>(true),
})};

const VariantRow rms_row{layer_variant({
    .op = "rmsnorm",
    .make =
        [](const Case& c) {
          return std::make_unique<RMSNorm>(static_cast<size_t>(c.shape("n").back()));
        },
    .input = n_shape,
    .parameters = {{"gamma", "weight"}},
    .saved = statistics<RMSNorm>(false),
})};

}  // namespace
}  // namespace nsop::layers
