// A small library of immutable matrices with automatic gradients, as pure functional frameworks
// have them: every operation returns a fresh tensor, a graph of them remembers where it came from,
// and gradients and updated parameters are fresh tensors, too. The "before" of the DQN workload:
// plain loops, nothing in place.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace nsop::layers::functional {

// Of a pool of buffers: how many of those that were asked for it had, how many not, and what it
// keeps.
struct PoolCounts {
  size_t hits = 0, misses = 0;
  size_t retained_bytes = 0;
};

// Where the elements of tensors live. Fresh: each tensor allocates and frees its own. Pooled: up
// to 100 buffers per size are kept when their tensors die, and taken again. Outlives its tensors.
class Buffers {
 public:
  explicit Buffers(bool pooled) : pooled_(pooled) {}
  std::unique_ptr<float[]> take(size_t floats);
  void give_back(std::unique_ptr<float[]> buffer, size_t floats);
  bool pooled() const { return pooled_; }
  // Of a pool; hits and misses since forget_counts().
  PoolCounts counts() const { return counts_; }
  void forget_counts() { counts_.hits = counts_.misses = 0; }

 private:
  bool pooled_;
  PoolCounts counts_;
  std::unordered_map<size_t, std::vector<std::unique_ptr<float[]>>> free_;
};

class Node;
using Tensor = std::shared_ptr<const Node>;
using Gradients = std::vector<Tensor>;  // one per parent; nullptr where it has none
using Backward = std::function<Gradients(const Tensor& gradient)>;

// A [rows, columns] matrix. Made by the functions below only.
class Node {
 public:
  Node(Buffers& buffers, size_t rows, size_t columns);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  size_t rows() const { return rows_; }
  size_t columns() const { return columns_; }
  size_t size() const { return rows_ * columns_; }
  std::span<const float> data() const { return {data_.get(), size()}; }
  std::span<float> data() { return {data_.get(), size()}; }
  Buffers& buffers() const { return buffers_; }

  std::vector<Tensor> parents;  // that a gradient flows back to
  Backward backward;            // empty where no gradient is wanted

 private:
  Buffers& buffers_;
  size_t rows_, columns_;
  std::unique_ptr<float[]> data_;
};

Tensor tensor(Buffers& buffers, size_t rows, size_t columns, std::span<const float> values);
// A leaf whose gradient is wanted.
Tensor parameter(Buffers& buffers, size_t rows, size_t columns, std::span<const float> values);

Tensor transpose(const Tensor& a);
Tensor matmul(const Tensor& a, const Tensor& b);
Tensor add(const Tensor& a, const Tensor& b);  // b: the shape of a, or one row for all
Tensor sub(const Tensor& a, const Tensor& b);
Tensor mul(const Tensor& a, const Tensor& b);
Tensor scale(const Tensor& a, double factor);
Tensor relu(const Tensor& a);
Tensor mean(const Tensor& a);  // [1,1]
// Element by element, without a gradient: a + value, sqrt(a), a / b with b above 0 (0 where it
// would be below 2^-99).
Tensor add_scalar(const Tensor& a, double value);
Tensor square_root(const Tensor& a);
Tensor divide(const Tensor& a, const Tensor& b);
// a + b, 0 where its magnitude is below FLT_MIN (why: kernels/elementwise/optimizer.h).
Tensor add_normal(const Tensor& a, const Tensor& b);

// While one lives, results remember nothing: no graph is kept alive by what is computed.
class NoGraph {
 public:
  NoGraph() { ++depth; }
  ~NoGraph() { --depth; }
  NoGraph(const NoGraph&) = delete;
  NoGraph& operator=(const NoGraph&) = delete;
  static bool on() { return depth > 0; }

 private:
  static thread_local int depth;
};

// d(loss)/d(p) for each of these, by going back through the graph; loss is [1,1]. The results have
// no graph of their own.
std::vector<Tensor> gradients(const Tensor& loss, std::span<const Tensor> parameters);

}  // namespace nsop::layers::functional
