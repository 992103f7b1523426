// matmul by oneDNN. `onednn` takes the fastest, measured at set-up, of what the library
// has for plain tensors: the primitive on them as they are, the primitive with weights (or all
// tensors) in its own layout and the reorders inside, and dnnl_sgemm. `onednn_blocked` leaves the
// reorders out.
#include <fmt/format.h>

#include "harness/core/error.h"
#include "reference/peers/onednn/onednn.h"

namespace nsop::reference::peers {
namespace {

using dnnl::algorithm;

struct Product {
  explicit Product(const Case& c)
      : m(c.integer("m")),
        n(c.integer("n")),
        k(c.integer("k")),
        batch(c.integer("batch")),
        a_transposed(c.str("trans")[0] == 't'),
        b_transposed(c.str("trans")[1] == 't'),
        bias(c.flag("bias")),
        act(c.str("act")) {}
  Dims batched(int64_t rows, int64_t columns) const {
    return batch == 1 ? Dims{rows, columns} : Dims{batch, rows, columns};
  }
  // [rows, columns] of a matrix that may be stored as its transpose.
  Desc matrix(int64_t rows, int64_t columns, bool transposed) const {
    Dims strides = transposed ? Dims{1, rows} : Dims{columns, 1};
    if (batch > 1) strides.insert(strides.begin(), rows * columns);
    return strided_desc(batched(rows, columns), strides);
  }
  int64_t m, n, k, batch;
  bool a_transposed, b_transposed, bias;
  std::string act;
};

enum class Form { kPlain, kOwnWeights, kOwn };

dnnl::primitive_attr attributes(const Product& p) {
  dnnl::primitive_attr attr = program_attr();
  dnnl::post_ops ops;
  if (p.act == "relu") ops.append_eltwise(1, algorithm::eltwise_relu, 0, 0);
  if (p.act == "tanh") ops.append_eltwise(1, algorithm::eltwise_tanh, 0, 0);
  if (p.act == "sigmoid") ops.append_eltwise(1, algorithm::eltwise_logistic, 0, 0);
  if (p.act == "gelu") ops.append_eltwise(1, algorithm::eltwise_gelu_tanh, 0, 0);
  if (ops.len() > 0) attr.set_post_ops(ops);
  return attr;
}

std::unique_ptr<Program> by_primitive(const StepRequest& request, Form form, Layout layout) {
  const Product p(request.op_case);
  auto program = std::make_unique<Program>(layout);
  const Desc a = p.matrix(p.m, p.k, p.a_transposed), b = p.matrix(p.k, p.n, p.b_transposed);
  const Desc c = plain_desc(p.batched(p.m, p.n));
  const Desc any_a = any_desc(p.batched(p.m, p.k)), any_b = any_desc(p.batched(p.k, p.n));
  const Desc bias = plain_desc(p.batch == 1 ? Dims{1, p.n} : Dims{1, 1, p.n});
  const dnnl::matmul::primitive_desc pd(
      {form == Form::kOwn ? any_a : a, form == Form::kPlain ? b : any_b, p.bias ? bias : Desc(),
       form == Form::kOwn ? any_desc(p.batched(p.m, p.n)) : c},
      attributes(p), onednn_engine());
  Program::Arguments arguments{
      {DNNL_ARG_SRC, program->input(request.inputs[0].data(), a, pd.src_desc())},
      {DNNL_ARG_WEIGHTS, program->input(request.inputs[1].data(), b, pd.weights_desc())},
      {DNNL_ARG_DST, program->output(request.outputs[0].data(), c, pd.dst_desc())}};
  if (p.bias) arguments.emplace(DNNL_ARG_BIAS, program->view(request.inputs[2].data(), bias));
  program->add(dnnl::matmul(pd), pd, arguments);
  return program;
}

// c = op(a) op(b), row-major.
struct Sgemm {
  char trans_a, trans_b;
  int64_t m, n, k;
  const float *a, *b;
  float* c;
  void operator()() const {
    const int64_t lda = trans_a == 'T' ? m : k, ldb = trans_b == 'T' ? k : n;
    if (dnnl_sgemm(trans_a, trans_b, m, n, k, 1, a, lda, b, ldb, 0, c, n) != dnnl_success) {
      throw environment_error("oneDNN: dnnl_sgemm failed");
    }
  }
};

std::unique_ptr<Program> by_sgemm(const StepRequest& request) {
  const Product p(request.op_case);
  if (p.bias || p.act != "none" || p.batch > 1) return {};
  auto program = std::make_unique<Program>(Layout::kPlain);
  program->add_call(Sgemm{p.a_transposed ? 'T' : 'N', p.b_transposed ? 'T' : 'N', p.m, p.n, p.k,
                          request.inputs[0].data().data(), request.inputs[1].data().data(),
                          request.outputs[0].data().data()});
  program->note("dnnl_sgemm");
  return program;
}

std::unique_ptr<Program> matmul(const StepRequest& request) {
  return fastest({[&] { return by_primitive(request, Form::kPlain, Layout::kPlain); },
                  [&] { return by_primitive(request, Form::kOwnWeights, Layout::kPlain); },
                  [&] { return by_sgemm(request); }});
}

std::unique_ptr<Program> matmul_blocked(const StepRequest& request) {
  return fastest({[&] { return by_primitive(request, Form::kOwn, Layout::kOwn); },
                  [&] { return by_primitive(request, Form::kOwnWeights, Layout::kOwn); }});
}

const VariantRow rows[] = {
    VariantRow(onednn_variant("matmul", "onednn", "matmul primitive or dnnl_sgemm", matmul)),
    VariantRow(onednn_variant("matmul", "onednn_blocked",
                              "matmul primitive in its own layouts, reorders outside the step",
                              matmul_blocked)),
};

}  // namespace
}  // namespace nsop::reference::peers
