// Pools by oneDNN's pooling primitive. `onednn` takes the fastest, measured at set-up, of plain
// tensors as they are and of the library's layouts with the reorders inside; `onednn_blocked`
// leaves the reorders out.
//
// maxpool2d: the library saves winners as positions in their windows (its workspace), which the
// forward step writes and from which the index of the op is made when it is read, outside the step.
// The backward step takes that workspace instead of the index; the forward pass that makes it is
// run outside, too.
#include <fmt/format.h>

#include <array>

#include "reference/peers/onednn/onednn.h"

namespace nsop::reference::peers {
namespace {

using dnnl::algorithm;
using Forward = dnnl::pooling_forward;
using Backward = dnnl::pooling_backward;

struct Pool {
  algorithm how;
  Dims x, y, window, stride, pad;
};

Pool pool_of(algorithm how, const Case& c) {
  Pool pool{how, c.shape("in"), {}, {}, {}, {}};
  const int64_t k = c.integer("k"), s = c.integer("s"), p = c.integer("p");
  pool.y = {pool.x[0], pool.x[1]};
  for (size_t i = 2; i < pool.x.size(); ++i) pool.y.push_back((pool.x[i] + 2 * p - k) / s + 1);
  const size_t axes = pool.x.size() - 2;
  pool.window.assign(axes, k);
  pool.stride.assign(axes, s);
  pool.pad.assign(axes, p);
  return pool;
}

// Windows of one size, side by side.
Pool adaptive_pool(const Case& c) {
  Pool pool{algorithm::pooling_avg_include_padding, c.shape("in"), {}, {}, {}, {0, 0}};
  const Dims out = c.shape("out");
  pool.y = {pool.x[0], pool.x[1], out[0], out[1]};
  pool.window = pool.stride = {pool.x[2] / out[0], pool.x[3] / out[1]};
  return pool;
}

std::string adaptive_unsupported(const Case& c, int /*threads*/) {
  const Dims in = c.shape("in"), out = c.shape("out");
  if (in[2] % out[0] == 0 && in[3] % out[1] == 0) return {};
  return "oneDNN has no adaptive pooling; its windows are of one size";
}

Forward::primitive_desc forward_desc(const Pool& p, size_t layout) {
  return {{dnnl::prop_kind::forward_training, p.how, common_layouts(p.x)[layout], any_desc(p.y),
           p.stride, p.window, p.pad, p.pad},
          program_attr(),
          onednn_engine()};
}

Backward::primitive_desc backward_desc(const Pool& p, size_t layout) {
  const auto hint = forward_desc(p, layout);
  return {{p.how, hint.src_desc(), hint.dst_desc(), p.stride, p.window, p.pad, p.pad},
          program_attr(),
          onednn_engine(),
          hint};
}

// index[i] = (d * H + h) * W + w of the winner, from its position in window i. `T` as the library
// saved it.
template <class T>
void to_plane(const Pool& p, const T* position, float* index) {
  const auto windows = static_cast<int64_t>(element_count(p.y));
  for (int64_t i = 0; i < windows; ++i) {
    int64_t window = i, within = position[i], at = 0, step = 1;
    for (size_t axis = p.window.size(); axis-- > 0;) {  // the last one is the innermost
      const int64_t first = window % p.y[axis + 2] * p.stride[axis] - p.pad[axis];
      at += (first + within % p.window[axis]) * step;
      window /= p.y[axis + 2];
      within /= p.window[axis];
      step *= p.x[axis + 2];
    }
    index[i] = static_cast<float>(at);
  }
}

// The workspace in plain layout, then its positions as indices: after the run, when read.
void convert_index(Program& program, const Pool& p, const dnnl::memory& workspace, float* index) {
  const auto type = workspace.get_desc().data_type();
  using Tag = dnnl::memory::format_tag;
  const std::array tags{Tag::ncw, Tag::nchw, Tag::ncdhw};
  const Desc plain(p.y, type, tags[p.window.size() - 1]);
  const dnnl::memory copy = program.between(plain);
  program.add_after(program.reorder(workspace, copy));
  program.add_after([p, copy, type, index] {
    if (type == dnnl::memory::data_type::u8) {
      to_plane(p, static_cast<const uint8_t*>(copy.get_data_handle()), index);
    } else {
      to_plane(p, static_cast<const int32_t*>(copy.get_data_handle()), index);
    }
  });
}

std::unique_ptr<Program> forward(const Pool& p, const StepRequest& request, size_t layout,
                                 Layout where) {
  auto program = std::make_unique<Program>(where);
  const auto pd = forward_desc(p, layout);
  Program::Arguments arguments{
      {DNNL_ARG_SRC, program->input(request.inputs[0].data(), plain_desc(p.x), pd.src_desc())},
      {DNNL_ARG_DST, program->output(request.outputs[0].data(), plain_desc(p.y), pd.dst_desc())}};
  if (pd.workspace_desc().get_size() > 0) {
    const dnnl::memory workspace = program->between(pd.workspace_desc());
    arguments.emplace(DNNL_ARG_WORKSPACE, workspace);
    if (request.outputs.size() > 1) {
      convert_index(*program, p, workspace, request.outputs[1].data().data());
    }
  }
  program->add(Forward(pd), pd, arguments);
  return program;
}

// The workspace that a forward pass over x leaves, remade whenever the inputs change.
dnnl::memory saved_workspace(Program& program, const Pool& p, const StepRequest& request,
                             size_t layout) {
  const auto pd = forward_desc(p, layout);
  const auto pass = std::make_shared<Program>(Layout::kPlain);
  const dnnl::memory workspace = pass->between(pd.workspace_desc());
  pass->add(Forward(pd), pd,
            {{DNNL_ARG_SRC, pass->input(request.inputs[0].data(), plain_desc(p.x), pd.src_desc())},
             {DNNL_ARG_DST, pass->between(pd.dst_desc())},
             {DNNL_ARG_WORKSPACE, workspace}});
  program.add_before([pass] { pass->run(); });
  return workspace;
}

std::unique_ptr<Program> backward(const Pool& p, const StepRequest& request, size_t layout,
                                  Layout where) {
  auto program = std::make_unique<Program>(where);
  const auto pd = backward_desc(p, layout);
  Program::Arguments arguments{
      {DNNL_ARG_DIFF_DST,
       program->input(request.inputs.back().data(), plain_desc(p.y), pd.diff_dst_desc())},
      {DNNL_ARG_DIFF_SRC,
       program->output(request.outputs[0].data(), plain_desc(p.x), pd.diff_src_desc())}};
  if (p.how == algorithm::pooling_max) {
    arguments.emplace(DNNL_ARG_WORKSPACE, saved_workspace(*program, p, request, layout));
  }
  program->add(Backward(pd), pd, arguments);
  return program;
}

using MakePool = std::function<Pool(const Case&)>;

std::unique_ptr<Program> build(const Pool& p, const StepRequest& request, Layout where) {
  const bool is_forward = request.op_case.str("pass") == "forward";
  std::vector<Builder> ways;
  for (size_t layout = where == Layout::kPlain ? 0 : 1; layout < common_layouts(p.x).size();
       ++layout) {
    ways.push_back(
        [&, layout] { return (is_forward ? forward : backward)(p, request, layout, where); });
  }
  return fastest(ways);
}

using Unsupported = std::function<std::string(const Case&, int)>;

void add_rows(const std::string& op, const MakePool& shape, const Unsupported& unsupported) {
  VariantRow(onednn_variant(
      op, "onednn", "pooling primitive, fastest layout",
      [shape](const StepRequest& request) {
        return build(shape(request.op_case), request, Layout::kPlain);
      },
      unsupported));
  VariantRow(onednn_variant(
      op, "onednn_blocked", "pooling primitive in its own layouts, reorders outside the step",
      [shape](const StepRequest& request) {
        return build(shape(request.op_case), request, Layout::kOwn);
      },
      unsupported));
}

const bool registered = [] {
  const Unsupported nothing = [](const Case&, int) { return std::string(); };
  for (const std::string axes : {"1d", "2d", "3d"}) {
    add_rows(
        "maxpool" + axes, [](const Case& c) { return pool_of(algorithm::pooling_max, c); },
        nothing);
    add_rows(
        "avgpool" + axes,
        [](const Case& c) { return pool_of(algorithm::pooling_avg_include_padding, c); }, nothing);
  }
  add_rows("adaptive_avgpool2d", adaptive_pool, adaptive_unsupported);
  return true;
}();

}  // namespace
}  // namespace nsop::reference::peers
