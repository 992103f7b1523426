// Shapes and float buffers: what ops consume and produce.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace nsop {

using Shape = std::vector<int64_t>;

inline int64_t element_count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

// `8x64x32x32`
std::string shape_text(const Shape& shape);

constexpr size_t kAlignment = 64;  // bytes; one cache line and one AVX-512 vector

// An owning, contiguous, row-major float32 buffer, aligned to kAlignment. Its size never changes
// and its address never changes while it lives; it is padded to whole cache lines.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(Shape shape);  // uninitialised
  const Shape& shape() const { return shape_; }
  size_t size() const { return size_; }
  std::span<float> data() { return {data_.get(), size_}; }
  std::span<const float> data() const { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(float* p) const;
  };
  Shape shape_;
  size_t size_ = 0;
  std::unique_ptr<float, Free> data_;
};

// The same in double precision, for oracles.
struct TensorF64 {
  Shape shape;
  std::vector<double> data;
};

}  // namespace nsop
