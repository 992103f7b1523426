#include "harness/core/tensor/tensor.h"

#include <fmt/format.h>

#include <cstdlib>
#include <new>

namespace nsop {

std::string shape_text(const Shape& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

void Tensor::Free::operator()(float* p) const { std::free(p); }

Tensor::Tensor(Shape shape) : shape_(std::move(shape)), size_(element_count(shape_)) {
  const size_t bytes = (size_ * sizeof(float) + kAlignment - 1) / kAlignment * kAlignment;
  data_.reset(static_cast<float*>(std::aligned_alloc(kAlignment, bytes == 0 ? kAlignment : bytes)));
  if (!data_) throw std::bad_alloc();
}

}  // namespace nsop
