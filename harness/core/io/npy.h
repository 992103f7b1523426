// Reading and writing of .npy files (format 1.0, little endian, C order).
// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <string>

#include "harness/core/tensor/tensor.h"

namespace nsop {

// Write atomically (temporary file in the same folder, then rename). Throw Error (environment).
void write_npy(const std::string& path, const Shape& shape, std::span<const float> data);
void write_npy(const std::string& path, const TensorF64& tensor);

// Throw Error (bad data) when the file is no .npy, of another type or truncated, Error
// (environment) when it can't be read.
Tensor read_npy_f32(const std::string& path);
TensorF64 read_npy_f64(const std::string& path);

// Numbers of any common type ('<f4', '<f8', '|u1', '|i1', '|b1', '<u2', '<u4', '<u8', '<i2', '<i4',
// '<i8') as float32, rounded where they must be. Throws the same.
Tensor read_npy_as_f32(const std::string& path);

}  // namespace nsop
