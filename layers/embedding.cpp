#include "layers/embedding.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "layers/core/copy.h"
#include "layers/core/variant.h"

namespace nsop::layers {

Embedding::Embedding(size_t vocab, size_t dim) : table_{vocab, dim} {
  if (vocab >= 1 && dim >= 1 && vocab <= size_t{1} << 24) return;
  throw usage_error(name() + ": expected sizes of at least 1 and at most 16777216 rows");
}

std::string Embedding::name() const {
  return fmt::format("Embedding({}x{})", table_.vocab, table_.dim);
}

void Embedding::init_parameters(Random& random) {
  for (float& w : parameters()[0].value) w = static_cast<float>(random.normal());
}

Shape Embedding::infer(const Shape& in) const {
  Shape out = in;
  out.push_back(static_cast<int64_t>(table_.dim));
  return out;
}

void Embedding::plan(Arena& arena) {
  add_parameter("weight", {static_cast<int64_t>(table_.vocab), static_cast<int64_t>(table_.dim)},
                arena);
}

void Embedding::do_forward(ConstFloats x, Floats y) {
  const size_t wrong = kernels::embedding_wrong_index(table_, x);
  if (wrong < x.size()) {
    throw usage_error(
        fmt::format("{}: expected indices that are integers from 0 to {}, given {} "
                    "at position {}",
                    name(), table_.vocab - 1, x[wrong], wrong));
  }
  kernels::embedding_forward(table_, x, value(0), y, thread_pool());
}

void Embedding::do_backward(ConstFloats x, ConstFloats, ConstFloats dy, Floats dx) {
  kernels::embedding_backward(table_, x, dy, gradient(0), thread_pool());
  clear_floats(dx);
}

namespace {

const VariantRow embedding_row{layer_variant({
    .op = "embedding",
    .make =
        [](const Case& c) {
          return std::make_unique<Embedding>(static_cast<size_t>(c.integer("vocab")),
                                             static_cast<size_t>(c.integer("dim")));
        },
    .input = [](const Case& c) { return c.shape("n"); },
    .x = "index",
    .parameters = {{"w", "weight"}},
})};

}  // namespace
}  // namespace nsop::layers
