// dense by oneDNN's inner product, in the same ways as its matmul (onednn_matmul.cpp).
#include "reference/peers/onednn.h"

namespace nsop::reference::peers {
namespace {

using dnnl::prop_kind;
using Forward = dnnl::inner_product_forward;
using Data = dnnl::inner_product_backward_data;
using Weights = dnnl::inner_product_backward_weights;

struct Dense {
  explicit Dense(const Case& c)
      : x(c.shape("in")),
        w({c.integer("out"), x[1]}),
        y({x[0], c.integer("out")}),
        bias(c.flag("bias")),
        oi(c.str("w") == "oi"),
        pass(c.str("pass")) {}
  bool wants_data() const { return pass == "backward" || pass == "backward_data"; }
  bool wants_weights() const { return pass == "backward" || pass == "backward_weights"; }
  Desc plain_w() const { return oi ? plain_desc(w) : strided_desc(w, {1, w[0]}); }
  Desc bias_desc() const { return bias ? plain_desc({w[0]}) : Desc(); }

  Dims x, w, y;  // [batch,in], [out,in] whatever the storage, [batch,out]
  bool bias, oi;
  std::string pass;
};

enum class Form { kPlain, kOwnWeights, kOwn };

// Appends primitives for one case to a program.
class Assembly {
 public:
  Assembly(const StepRequest& request, Program& program)
      : d_(request.op_case), request_(request), program_(program) {}

  void forward(Form form) {
    const auto pd = forward_desc(form, prop_kind::forward_inference);
    Program::Arguments arguments{
        {DNNL_ARG_SRC, program_.input(in(0), plain_desc(d_.x), pd.src_desc())},
        {DNNL_ARG_WEIGHTS, program_.input(in(1), d_.plain_w(), pd.weights_desc())},
        {DNNL_ARG_DST, program_.output(out(0), plain_desc(d_.y), pd.dst_desc())}};
    if (d_.bias) arguments.emplace(DNNL_ARG_BIAS, program_.view(in(2), d_.bias_desc()));
    program_.add(Forward(pd), pd, arguments);
  }

  void data(Form form) {
    const Data::primitive_desc pd({x_desc(form), w_desc(form), y_desc(form)}, program_attr(),
                                  onednn_engine(), forward_desc(form, prop_kind::forward_training));
    const dnnl::memory w =
        program_.input(in(d_.wants_weights() ? 1 : 0), d_.plain_w(), pd.weights_desc());
    program_.add(
        Data(pd), pd,
        {{DNNL_ARG_WEIGHTS, w},
         {DNNL_ARG_DIFF_DST, gradient(pd.diff_dst_desc())},
         {DNNL_ARG_DIFF_SRC, program_.output(out(0), plain_desc(d_.x), pd.diff_src_desc())}});
  }

  void weights(Form form) {
    const Weights::primitive_desc pd({x_desc(form), w_desc(form), d_.bias_desc(), y_desc(form)},
                                     program_attr(), onednn_engine(),
                                     forward_desc(form, prop_kind::forward_training));
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
  Desc x_desc(Form form) const { return form == Form::kOwn ? any_desc(d_.x) : plain_desc(d_.x); }
  Desc y_desc(Form form) const { return form == Form::kOwn ? any_desc(d_.y) : plain_desc(d_.y); }
  Desc w_desc(Form form) const { return form == Form::kPlain ? d_.plain_w() : any_desc(d_.w); }

  Forward::primitive_desc forward_desc(Form form, prop_kind kind) const {
    return {{kind, x_desc(form), w_desc(form), d_.bias_desc(), y_desc(form)},
            program_attr(),
            onednn_engine()};
  }
  dnnl::memory gradient(const Desc& wanted) {
    return program_.input(request_.inputs.back().data(), plain_desc(d_.y), wanted);
  }
  std::span<const float> in(size_t i) const { return request_.inputs[i].data(); }
  std::span<float> out(size_t i) const { return request_.outputs[i].data(); }

  Dense d_;
  const StepRequest& request_;
  Program& program_;
};

using Part = void (Assembly::*)(Form);

std::vector<Part> parts_of(const Dense& d) {
  if (d.pass == "forward") return {&Assembly::forward};
  std::vector<Part> parts;
  if (d.wants_data()) parts.push_back(&Assembly::data);
  if (d.wants_weights()) parts.push_back(&Assembly::weights);
  return parts;
}

std::unique_ptr<Program> assemble(const StepRequest& request, const std::vector<Part>& parts,
                                  const std::vector<Form>& forms, Layout layout) {
  auto program = std::make_unique<Program>(layout);
  Assembly assembly(request, *program);
  for (size_t i = 0; i < parts.size(); ++i) (assembly.*parts[i])(forms[i]);
  return program;
}

// Each part in the form in which it alone is fastest.
std::unique_ptr<Program> dense(const StepRequest& request, const std::vector<Form>& forms,
                               Layout layout) {
  const std::vector<Part> parts = parts_of(Dense(request.op_case));
  std::vector<Form> best;
  for (const Part part : parts) {
    std::vector<Builder> builders;
    for (const Form form : forms) {
      builders.push_back([&, part, form] { return assemble(request, {part}, {form}, layout); });
    }
    best.push_back(forms[fastest_index(builders)]);
  }
  return assemble(request, parts, best, layout);
}

const VariantRow rows[] = {
    VariantRow(onednn_variant(
        "dense", "onednn", "inner product primitive, plain layouts",
        [](const StepRequest& request) {
          return dense(request, {Form::kPlain, Form::kOwnWeights, Form::kOwn}, Layout::kPlain);
        })),
    VariantRow(
        onednn_variant("dense", "onednn_blocked",
                       "inner product primitive in its own layouts, reorders outside the "
                       "step",
                       [](const StepRequest& request) {
                         return dense(request, {Form::kOwn, Form::kOwnWeights}, Layout::kOwn);
                       })),
};

}  // namespace
}  // namespace nsop::reference::peers
