// embedding: rows of a table w [vocab,dim], picked by index [n]; backward adds the gradients of
// equal indices up into the row that they picked, and is zero in all other rows.
#include <algorithm>

#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

struct Sizes {
  explicit Sizes(const Case& c)
      : n(c.shape("n")),
        rows(element_count(n)),
        vocab(c.integer("vocab")),
        dim(c.integer("dim")),
        forward(c.str("pass") == "forward") {}
  Shape y() const {
    Shape shape = n;
    shape.push_back(dim);
    return shape;
  }

  Shape n;
  int64_t rows, vocab, dim;
  bool forward;
};

void validate(const Case& c) {
  require_size(c.op(), "index", c.shape("n"));
  const Sizes s(c);
  // Indices travel as float32, which knows every integer up to there.
  require(s.vocab <= int64_t{1} << 24, c.op(),
          "vocab is too large, expected at most 16777216 (indices are float32)");
  require_size(c.op(), "w", {s.vocab, s.dim});
  require_size(c.op(), "y", s.y());
}

std::vector<InputSpec> inputs_of(const Case& c) {
  const Sizes s(c);
  const auto [lo, hi] = c.range("range");
  const InputSpec index{"index", s.n, 0, 1};
  if (s.forward) return {index, {"w", {s.vocab, s.dim}, lo, hi}};
  return {index, {"dy", s.y(), lo, hi}};
}

std::vector<OutputSpec> outputs_of(const Case& c) {
  const Sizes s(c);
  if (s.forward) return {{"y", s.y()}};
  return {{"dw", {s.vocab, s.dim}}};
}

// From uniform in [0, 1] to 0 .. vocab - 1.
void draw_indices(const Case& c, std::span<Tensor> in) {
  const auto vocab = static_cast<double>(Sizes(c).vocab);
  for (float& value : in[0].data()) {
    value = static_cast<float>(std::min(static_cast<int64_t>(value * vocab), Sizes(c).vocab - 1));
  }
}

void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const Sizes s(c);
  for (int64_t r = 0; r < s.rows; ++r) {
    const auto picked = static_cast<int64_t>(in[0].data()[r]);
    for (int64_t d = 0; d < s.dim; ++d) {
      const double value = in[1].data()[(s.forward ? picked : r) * s.dim + d];
      out[0].data[(s.forward ? r : picked) * s.dim + d] += value;
    }
  }
}

// Forward copies. Backward sums over the rows that picked the same, all of them at worst.
Tolerance tolerance_of(const Case& c) {
  const Sizes s(c);
  if (s.forward) return {};
  return plain_sum_tolerance(static_cast<double>(s.rows), uniform_of(c));
}

// Forward reads the picked rows only; backward writes the whole table.
Work work_of(const Case& c) {
  const Sizes s(c);
  const auto picked = static_cast<double>(s.rows * s.dim);
  const auto rows = static_cast<double>(s.rows);
  if (s.forward) return {.flops = 0, .macs = 0, .bytes = kFloatBytes * (rows + 2 * picked)};
  return {.flops = picked,
          .macs = 0,
          .bytes = kFloatBytes * (rows + picked + static_cast<double>(s.vocab * s.dim))};
}

ParamSpec count(const char* name) {
  return {.name = name, .kind = ParamKind::kCount, .choices = {}, .absent = {}};
}

const OpRow row{Op{
    .spec = {.name = "embedding",
             .summary = "Rows of a table, picked by index, and the gradient of the table.",
             .params = {pass_param({"forward", "backward"}),
                        {.name = "n", .kind = ParamKind::kShape, .choices = {}, .absent = {}},
                        count("vocab"),
                        count("dim"),
                        range_param()}},
    .validate = validate,
    .inputs = inputs_of,
    .outputs = outputs_of,
    .shape_inputs = draw_indices,
    .oracle = oracle,
    .tolerance = tolerance_of,
    .work = work_of,
}};

}  // namespace
}  // namespace nsop::reference
