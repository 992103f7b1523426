// batchnorm and layernorm by oneDNN. `onednn` takes the fastest, measured at set-up, of plain
// tensors as they are and of the library's layouts with the reorders inside; `onednn_blocked`
// (batchnorm) leaves the reorders out.
//
// The library saves the variance where the op has inv_std. That is a format of its own for saved
// state: inv_std is made from it when it is read, and the variance from inv_std before a backward
// pass, both outside the step.
#include "reference/norm/norm.h"

#include <algorithm>
#include <cmath>

#include "reference/peers/onednn/onednn.h"

namespace nsop::reference::peers {
namespace {

using dnnl::normalization_flags;
using dnnl::prop_kind;
using BatchForward = dnnl::batch_normalization_forward;
using BatchBackward = dnnl::batch_normalization_backward;
using LayerForward = dnnl::layer_normalization_forward;
using LayerBackward = dnnl::layer_normalization_backward;

const auto kScaleAndShift = normalization_flags::use_scale | normalization_flags::use_shift;
constexpr auto kEpsilon = static_cast<float>(kNormEpsilon);

bool is_forward(const Case& c) { return c.str("pass") == "forward"; }
bool is_given(const Case& c) { return c.op() == "batchnorm" && c.str("mode") == "eval"; }

// What both norms are told: x [..] in plain layout, gamma of `channels` and statistics of
// `groups` elements.
struct Sizes {
  Dims x;
  int64_t channels, groups;
  Desc affine() const { return plain_desc({channels}); }
  Desc statistics() const { return plain_desc({groups}); }
};

float* floats(const dnnl::memory& memory) { return static_cast<float*>(memory.get_data_handle()); }

// Where a forward step puts the variance; inv_std is made of it when it is read.
dnnl::memory produced_variance(Program& program, const Sizes& s, float* inv_std) {
  const dnnl::memory variance = program.between(s.statistics());
  program.add_after([groups = s.groups, variance, inv_std] {
    for (int64_t g = 0; g < groups; ++g) {
      inv_std[g] = static_cast<float>(1 / std::sqrt(floats(variance)[g] + kNormEpsilon));
    }
  });
  return variance;
}

// The variance that a backward step takes.
dnnl::memory saved_variance(Program& program, const Sizes& s, const float* inv_std) {
  const dnnl::memory variance = program.between(s.statistics());
  program.add_before([groups = s.groups, variance, inv_std] {
    for (int64_t g = 0; g < groups; ++g) {
      const double squared = static_cast<double>(inv_std[g]) * inv_std[g];
      floats(variance)[g] = static_cast<float>(std::max(1 / squared - kNormEpsilon, 0.0));
    }
  });
  return variance;
}

template <class PrimitiveDesc>
Program::Arguments forward_arguments(Program& program, const StepRequest& request, const Sizes& s,
                                     const PrimitiveDesc& pd) {
  const auto in = [&](size_t i, const Desc& desc) {
    return program.view(request.inputs[i].data(), desc);
  };
  Program::Arguments arguments{
      {DNNL_ARG_SRC, program.input(request.inputs[0].data(), plain_desc(s.x), pd.src_desc())},
      {DNNL_ARG_SCALE, in(1, s.affine())},
      {DNNL_ARG_SHIFT, in(2, s.affine())},
      {DNNL_ARG_DST, program.output(request.outputs[0].data(), plain_desc(s.x), pd.dst_desc())}};
  if (is_given(request.op_case)) {
    arguments.emplace(DNNL_ARG_MEAN, in(3, s.statistics()));
    arguments.emplace(DNNL_ARG_VARIANCE, in(4, s.statistics()));
  } else {
    arguments.emplace(DNNL_ARG_MEAN, program.view(request.outputs[1].data(), s.statistics()));
    arguments.emplace(DNNL_ARG_VARIANCE,
                      produced_variance(program, s, request.outputs[2].data().data()));
  }
  return arguments;
}

// x, gamma, mean, inv_std (or the variance), dy -> dx, dgamma, dbeta
template <class PrimitiveDesc>
Program::Arguments backward_arguments(Program& program, const StepRequest& request, const Sizes& s,
                                      const PrimitiveDesc& pd) {
  const auto in = [&](size_t i, const Desc& desc) {
    return program.view(request.inputs[i].data(), desc);
  };
  const auto out = [&](size_t i) { return program.view(request.outputs[i].data(), s.affine()); };
  const Desc plain = plain_desc(s.x);
  const bool given = is_given(request.op_case);
  return {{DNNL_ARG_SRC, program.input(request.inputs[0].data(), plain, pd.src_desc())},
          {DNNL_ARG_SCALE, in(1, s.affine())},
          // Insisted on, though no gradient depends on the shift.
          {DNNL_ARG_SHIFT, program.between(s.affine())},
          {DNNL_ARG_MEAN, in(2, s.statistics())},
          {DNNL_ARG_VARIANCE, given ? in(3, s.statistics())
                                    : saved_variance(program, s, request.inputs[3].data().data())},
          {DNNL_ARG_DIFF_DST, program.input(request.inputs[4].data(), plain, pd.diff_dst_desc())},
          {DNNL_ARG_DIFF_SRC, program.output(request.outputs[0].data(), plain, pd.diff_src_desc())},
          {DNNL_ARG_DIFF_SCALE, out(1)},
          {DNNL_ARG_DIFF_SHIFT, out(2)}};
}

std::unique_ptr<Program> batchnorm(const StepRequest& request, size_t layout, Layout where) {
  const Case& c = request.op_case;
  auto program = std::make_unique<Program>(where);
  const Dims x = c.shape("in");
  const Sizes sizes{x, x[1], x[1]};
  const Desc desc = common_layouts(x)[layout];
  const bool given = is_given(c);
  const auto flags =
      given ? kScaleAndShift | normalization_flags::use_global_stats : kScaleAndShift;
  const auto kind =
      given && is_forward(c) ? prop_kind::forward_inference : prop_kind::forward_training;
  const BatchForward::primitive_desc pd({kind, desc, kEpsilon, flags}, program_attr(),
                                        onednn_engine());
  if (is_forward(c)) {
    program->add(BatchForward(pd), pd, forward_arguments(*program, request, sizes, pd));
    return program;
  }
  const BatchBackward::primitive_desc back({prop_kind::backward, desc, desc, kEpsilon, flags},
                                           program_attr(), onednn_engine(), pd);
  program->add(BatchBackward(back), back, backward_arguments(*program, request, sizes, back));
  return program;
}

std::unique_ptr<Program> batchnorm(const StepRequest& request, Layout where) {
  std::vector<Builder> ways;
  const size_t count = common_layouts(request.op_case.shape("in")).size();
  for (size_t layout = where == Layout::kPlain ? 0 : 1; layout < count; ++layout) {
    ways.push_back([&, layout] { return batchnorm(request, layout, where); });
  }
  return fastest(ways);
}

// The library norms over its last dimension: the op's dimensions as one.
std::unique_ptr<Program> layernorm(const StepRequest& request) {
  const Case& c = request.op_case;
  auto program = std::make_unique<Program>(Layout::kPlain);
  const Shape n = c.shape("n");
  const int64_t count = element_count(Shape(n.end() - c.integer("last"), n.end()));
  const int64_t groups = element_count(n) / count;
  const Sizes sizes{{groups, count}, count, groups};
  const Desc desc = plain_desc(sizes.x);
  const LayerForward::primitive_desc pd(
      {prop_kind::forward_training, desc, sizes.statistics(), kEpsilon, kScaleAndShift},
      program_attr(), onednn_engine());
  if (is_forward(c)) {
    program->add(LayerForward(pd), pd, forward_arguments(*program, request, sizes, pd));
    return program;
  }
  const LayerBackward::primitive_desc back(
      {prop_kind::backward, desc, desc, sizes.statistics(), kEpsilon, kScaleAndShift},
      program_attr(), onednn_engine(), pd);
  program->add(LayerBackward(back), back, backward_arguments(*program, request, sizes, back));
  return program;
}

const VariantRow rows[] = {
    VariantRow(onednn_variant(
        "batchnorm", "onednn", "batch normalization primitive, fastest layout",
        [](const StepRequest& request) { return batchnorm(request, Layout::kPlain); })),
    VariantRow(onednn_variant(
        "batchnorm", "onednn_blocked",
        "batch normalization primitive in its own layouts, reorders outside the step",
        [](const StepRequest& request) { return batchnorm(request, Layout::kOwn); })),
    VariantRow(onednn_variant("layernorm", "onednn", "layer normalization primitive", layernorm)),
};

}  // namespace
}  // namespace nsop::reference::peers
