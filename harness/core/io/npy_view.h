// The array in a .npy file, looked at where it lies.
#pragma once

#include <cstring>
#include <span>
#include <string>

#include "harness/core/io/file_in_memory.h"
#include "harness/core/tensor/tensor.h"

namespace nsop {

// Elements of type T (float: '<f4', double: '<f8') in C order.
template <class T>
class NpyView {
 public:
  // Throws as read_npy_f32() does, and Error (bad data) for data that doesn't start at a multiple
  // of its elements' size.
  // A file of more than `most_bytes` is Error (bad data), too, and isn't read.
  explicit NpyView(const std::string& path, size_t most_bytes = FileInMemory::kMostBytes);

  // The most bytes that a file of as many elements of type U has.
  template <class U>
  size_t most_bytes_as() const {
    constexpr size_t kHeader = 10 + 65535;
    return kHeader + data_.size() * sizeof(U);
  }
  const Shape& shape() const { return shape_; }
  std::span<const T> data() const { return data_; }

 private:
  FileInMemory file_;
  Shape shape_;
  std::span<const T> data_;
};

extern template class NpyView<float>;
extern template class NpyView<double>;

// Same shape and the same bits?
template <class T>
bool same_bits(const NpyView<T>& a, const NpyView<T>& b) {
  return a.shape() == b.shape() && a.data().size() == b.data().size() &&
         (a.data().empty() ||
          std::memcmp(a.data().data(), b.data().data(), a.data().size_bytes()) == 0);
}

}  // namespace nsop
