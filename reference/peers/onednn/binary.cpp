// add sub mul div maximum minimum by oneDNN's binary primitive: plain layout, no reorders; the
// library broadcasts like NumPy.
#include "reference/peers/onednn/onednn.h"

namespace nsop::reference::peers {
namespace {

using dnnl::algorithm;

std::unique_ptr<Program> build(algorithm how, const StepRequest& request) {
  const Case& c = request.op_case;
  Dims n = c.shape("n"), b = n;
  if (c.str("b") == "same") {
    n = b = {static_cast<int64_t>(request.inputs[0].size())};
  } else {
    b = c.shape("b");
    b.insert(b.begin(), n.size() - b.size(), 1);
  }
  auto program = std::make_unique<Program>(Layout::kPlain);
  const dnnl::binary::primitive_desc pd({how, plain_desc(n), plain_desc(b), plain_desc(n)},
                                        program_attr(), onednn_engine());
  program->add(dnnl::binary(pd), pd,
               {{DNNL_ARG_SRC_0, program->view(request.inputs[0].data(), plain_desc(n))},
                {DNNL_ARG_SRC_1, program->view(request.inputs[1].data(), plain_desc(b))},
                {DNNL_ARG_DST, program->view(request.outputs[0].data(), plain_desc(n))}});
  return program;
}

Variant variant(const char* op, algorithm how) {
  return onednn_variant(op, "onednn", "binary primitive",
                        [how](const StepRequest& request) { return build(how, request); });
}

const VariantRow rows[] = {
    VariantRow(variant("add", algorithm::binary_add)),
    VariantRow(variant("sub", algorithm::binary_sub)),
    VariantRow(variant("mul", algorithm::binary_mul)),
    VariantRow(variant("div", algorithm::binary_div)),
    VariantRow(variant("maximum", algorithm::binary_max)),
    VariantRow(variant("minimum", algorithm::binary_min)),
};

}  // namespace
}  // namespace nsop::reference::peers
