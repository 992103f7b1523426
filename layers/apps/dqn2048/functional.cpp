#include "layers/apps/dqn2048/functional.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>

namespace nsop::layers::functional {
namespace {

constexpr size_t kKeptPerSize = 100;

using Made = std::shared_ptr<Node>;

Made fresh(const Tensor& like, size_t rows, size_t columns) {
  return std::make_shared<Node>(like->buffers(), rows, columns);
}

bool wants_gradient(const Tensor& t) { return t->backward || !t->parents.empty(); }

// Adds `backward` to a result if the gradient of one of its parents is wanted.
Tensor linked(Made result, std::vector<Tensor> parents, Backward backward) {
  if (!NoGraph::on() && std::ranges::any_of(parents, wants_gradient)) {
    result->parents = std::move(parents);
    result->backward = std::move(backward);
  }
  return result;
}

template <class F>
Made map(const Tensor& a, F f) {
  Made out = fresh(a, a->rows(), a->columns());
  std::ranges::transform(a->data(), out->data().begin(), f);
  return out;
}

template <class F>
Made zip(const Tensor& a, const Tensor& b, F f) {
  assert(a->size() == b->size());
  Made out = fresh(a, a->rows(), a->columns());
  std::ranges::transform(a->data(), b->data(), out->data().begin(), f);
  return out;
}

Tensor column_sums(const Tensor& a) {
  Made out = fresh(a, 1, a->columns());
  std::ranges::fill(out->data(), 0.0F);
  for (size_t i = 0; i < a->size(); ++i) out->data()[i % a->columns()] += a->data()[i];
  return out;
}

// a [m,n] + b [1,n]
Made add_row(const Tensor& a, const Tensor& b) {
  Made out = fresh(a, a->rows(), a->columns());
  for (size_t i = 0; i < a->rows(); ++i) {
    for (size_t j = 0; j < a->columns(); ++j) {
      out->data()[i * a->columns() + j] = a->data()[i * a->columns() + j] + b->data()[j];
    }
  }
  return out;
}

// Parents before children.
void visit(const Tensor& node, std::unordered_set<const Node*>& seen, std::vector<Tensor>& order) {
  if (!wants_gradient(node) || !seen.insert(node.get()).second) return;
  for (const Tensor& parent : node->parents) visit(parent, seen, order);
  order.push_back(node);
}

}  // namespace

thread_local int NoGraph::depth = 0;

std::unique_ptr<float[]> Buffers::take(size_t floats) {
  if (pooled_) {
    auto& kept = free_[floats];
    if (!kept.empty()) {
      auto buffer = std::move(kept.back());
      kept.pop_back();
      ++counts_.hits;
      counts_.retained_bytes -= floats * sizeof(float);
      return buffer;
    }
    ++counts_.misses;
  }
  return std::make_unique_for_overwrite<float[]>(floats);
}

void Buffers::give_back(std::unique_ptr<float[]> buffer, size_t floats) {
  if (!pooled_) return;
  auto& kept = free_[floats];
  if (kept.size() >= kKeptPerSize) return;
  kept.push_back(std::move(buffer));
  counts_.retained_bytes += floats * sizeof(float);
}

Node::Node(Buffers& buffers, size_t rows, size_t columns)
    : buffers_(buffers), rows_(rows), columns_(columns), data_(buffers.take(rows * columns)) {}

Node::~Node() { buffers_.give_back(std::move(data_), size()); }

Tensor tensor(Buffers& buffers, size_t rows, size_t columns, std::span<const float> values) {
  auto made = std::make_shared<Node>(buffers, rows, columns);
  std::ranges::copy(values, made->data().begin());
  return made;
}

Tensor parameter(Buffers& buffers, size_t rows, size_t columns, std::span<const float> values) {
  auto made = std::make_shared<Node>(buffers, rows, columns);
  std::ranges::copy(values, made->data().begin());
  made->backward = [](const Tensor&) { return Gradients(); };
  return made;
}

Tensor transpose(const Tensor& a) {
  Made out = fresh(a, a->columns(), a->rows());
  for (size_t i = 0; i < a->rows(); ++i) {
    for (size_t j = 0; j < a->columns(); ++j) {
      out->data()[j * a->rows() + i] = a->data()[i * a->columns() + j];
    }
  }
  return linked(std::move(out), {a}, [](const Tensor& dy) { return Gradients{transpose(dy)}; });
}

Tensor matmul(const Tensor& a, const Tensor& b) {
  assert(a->columns() == b->rows());
  const size_t m = a->rows(), n = b->columns(), depth = a->columns();
  Made out = fresh(a, m, n);
  std::ranges::fill(out->data(), 0.0F);
  for (size_t i = 0; i < m; ++i) {
    float* row = out->data().data() + i * n;
    for (size_t k = 0; k < depth; ++k) {
      const float factor = a->data()[i * depth + k];
      const float* from = b->data().data() + k * n;
      for (size_t j = 0; j < n; ++j) row[j] += factor * from[j];
    }
  }
  return linked(std::move(out), {a, b}, [a, b](const Tensor& dy) {
    Gradients result(2);
    if (wants_gradient(a)) result[0] = matmul(dy, transpose(b));
    if (wants_gradient(b)) result[1] = matmul(transpose(a), dy);
    return result;
  });
}

Tensor add(const Tensor& a, const Tensor& b) {
  if (b->size() == a->size()) {
    return linked(zip(a, b, std::plus<>()), {a, b}, [](const Tensor& dy) {
      return Gradients{dy, dy};
    });
  }
  return linked(add_row(a, b), {a, b}, [](const Tensor& dy) {
    return Gradients{dy, column_sums(dy)};
  });
}

Tensor sub(const Tensor& a, const Tensor& b) {
  return linked(zip(a, b, std::minus<>()), {a, b}, [](const Tensor& dy) {
    return Gradients{dy, scale(dy, -1)};
  });
}

Tensor mul(const Tensor& a, const Tensor& b) {
  return linked(zip(a, b, std::multiplies<>()), {a, b}, [a, b](const Tensor& dy) {
    return Gradients{mul(dy, b), mul(dy, a)};
  });
}

Tensor scale(const Tensor& a, double factor) {
  const auto f = static_cast<float>(factor);
  return linked(map(a, [f](float x) { return x * f; }), {a},
                [factor](const Tensor& dy) { return Gradients{scale(dy, factor)}; });
}

Tensor relu(const Tensor& a) {
  return linked(map(a, [](float x) { return x > 0 ? x : 0; }), {a}, [a](const Tensor& dy) {
    return Gradients{zip(a, dy, [](float x, float g) { return x > 0 ? g : 0; })};
  });
}

Tensor mean(const Tensor& a) {
  Made out = fresh(a, 1, 1);
  float sum = 0;
  for (const float x : a->data()) sum += x;
  const float count = static_cast<float>(a->size());
  out->data()[0] = sum / count;
  return linked(std::move(out), {a}, [a, count](const Tensor& dy) {
    const float each = dy->data()[0] / count;
    return Gradients{map(a, [each](float) { return each; })};
  });
}

Tensor add_scalar(const Tensor& a, double value) {
  const auto v = static_cast<float>(value);
  return map(a, [v](float x) { return x + v; });
}

Tensor square_root(const Tensor& a) {
  return map(a, [](float x) { return std::sqrt(x); });
}

Tensor divide(const Tensor& a, const Tensor& b) {
  return zip(a, b, [](float x, float y) { return std::fabs(x) < 0x1p-99F * y ? 0.0F : x / y; });
}

Tensor add_normal(const Tensor& a, const Tensor& b) {
  return zip(a, b, [](float x, float y) {
    const float sum = x + y;
    return std::fabs(sum) < std::numeric_limits<float>::min() ? 0.0F : sum;
  });
}

std::vector<Tensor> gradients(const Tensor& loss, std::span<const Tensor> parameters) {
  assert(loss->size() == 1);
  const NoGraph no_graph;  // gradients of gradients would keep every graph so far alive
  std::unordered_set<const Node*> seen;
  std::vector<Tensor> order;
  visit(loss, seen, order);
  std::unordered_map<const Node*, Tensor> found;
  const float one = 1;
  found[loss.get()] = tensor(loss->buffers(), 1, 1, {&one, 1});
  for (size_t i = order.size(); i-- > 0;) {
    const Gradients parts = order[i]->backward(found.at(order[i].get()));
    for (size_t p = 0; p < parts.size(); ++p) {
      const Tensor& parent = order[i]->parents[p];
      if (!parts[p] || !wants_gradient(parent)) continue;
      Tensor& sum = found[parent.get()];
      sum = sum ? add(sum, parts[p]) : parts[p];
    }
  }
  std::vector<Tensor> result;
  for (const Tensor& p : parameters) result.push_back(found.at(p.get()));
  return result;
}

}  // namespace nsop::layers::functional
