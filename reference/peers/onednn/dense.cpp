// dense by oneDNN's inner product, in the same ways as its matmul (matmul.cpp).
#include "reference/peers/onednn/weighted.h"

namespace nsop::reference::peers {
namespace {

using dnnl::prop_kind;
using Forward = dnnl::inner_product_forward;
using Data = dnnl::inner_product_backward_data;
using Weights = dnnl::inner_product_backward_weights;

struct Dense : WeightedLayer {
  explicit Dense(const Case& c) {
    const int64_t out = c.integer("out");
    x = c.shape("in");
    y = {x[0], out};
    w_dims = {out, x[1]};
    w = c.str("w") == "oi" ? plain_desc(w_dims) : strided_desc(w_dims, {1, out});
    if (c.flag("bias")) bias = plain_desc({out});
    pass = c.str("pass");
  }

  Dims w_dims;  // [out,in] whatever the storage
};

enum class Form { kPlain, kOwnWeights, kOwn };

Desc x_desc(const Dense& d, Form form) {
  return form == Form::kOwn ? any_desc(d.x) : plain_desc(d.x);
}
Desc y_desc(const Dense& d, Form form) {
  return form == Form::kOwn ? any_desc(d.y) : plain_desc(d.y);
}
Desc w_desc(const Dense& d, Form form) { return form == Form::kPlain ? d.w : any_desc(d.w_dims); }

Forward::primitive_desc forward_desc(const Dense& d, Form form, prop_kind kind) {
  return {{kind, x_desc(d, form), w_desc(d, form), d.bias, y_desc(d, form)},
          program_attr(),
          onednn_engine()};
}

void add_forward(const Dense& d, WeightedAssembly& assembly, Form form) {
  assembly.add_forward<Forward>(forward_desc(d, form, prop_kind::forward_inference));
}

void add_data(const Dense& d, WeightedAssembly& assembly, Form form) {
  assembly.add_data<Data>({{x_desc(d, form), w_desc(d, form), y_desc(d, form)},
                           program_attr(),
                           onednn_engine(),
                           forward_desc(d, form, prop_kind::forward_training)});
}

void add_weights(const Dense& d, WeightedAssembly& assembly, Form form) {
  assembly.add_weights<Weights>({{x_desc(d, form), w_desc(d, form), d.bias, y_desc(d, form)},
                                 program_attr(),
                                 onednn_engine(),
                                 forward_desc(d, form, prop_kind::forward_training)});
}

using Part = void (*)(const Dense&, WeightedAssembly&, Form);

std::vector<Part> parts_of(const Dense& d) {
  if (d.pass == "forward") return {add_forward};
  std::vector<Part> parts;
  if (d.wants_data()) parts.push_back(add_data);
  if (d.wants_weights()) parts.push_back(add_weights);
  return parts;
}

std::unique_ptr<Program> assemble(const StepRequest& request, const std::vector<Part>& parts,
                                  const std::vector<Form>& forms, Layout layout) {
  auto program = std::make_unique<Program>(layout);
  const Dense d(request.op_case);
  WeightedAssembly assembly(d, request, *program);
  for (size_t i = 0; i < parts.size(); ++i) parts[i](d, assembly, forms[i]);
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
