#include "harness/core/io/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/io/npy_view.h"
#include "harness/core/text.h"

namespace nsop {
namespace {

constexpr std::string_view kMagic("\x93NUMPY\x01\x00", 8);
constexpr size_t kPrefix = 10;  // magic, version, two bytes of header length

std::string header_text(const Shape& shape, const char* descr) {
  std::string dims;
  for (const int64_t d : shape) dims += fmt::format("{},", d);
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, dims);
  const size_t total = (kPrefix + header.size() + 1 + 63) / 64 * 64;
  header.resize(total - kPrefix - 1, ' ');
  return header + '\n';
}

void write(const std::string& path, const Shape& shape, const char* descr, const void* data,
           size_t bytes) {
  const std::string header = header_text(shape, descr);
  std::string head(kMagic);
  head.push_back(static_cast<char>(header.size() & 0xff));
  head.push_back(static_cast<char>(header.size() >> 8));
  head.append(header);
  write_parts_atomically(path, {{head, {static_cast<const char*>(data), bytes}}},
                         Durability::kScratch);
}

// The text between `key` and `end` in the header dictionary.
std::string field(const std::string& header, std::string_view key, char end,
                  const std::string& path) {
  const size_t at = header.find(key);
  const size_t stop = at == std::string::npos ? at : header.find(end, at + key.size());
  if (stop == std::string::npos) throw bad_data(path + ": .npy header lacks " + std::string(key));
  return header.substr(at + key.size(), stop - at - key.size());
}

Shape parse_shape(const std::string& text, const std::string& path) {
  Shape shape;
  for (const std::string& part : split(text, ',')) {
    const std::string digits = trim(part);
    if (digits.empty()) continue;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value < 0) {
      throw bad_data(
          fmt::format("{}: .npy shape has '{}' where a size was expected", path, digits));
    }
    shape.push_back(value);
  }
  return shape;
}

// What the header of a file says, and where its data starts.
struct Header {
  std::string type;
  Shape shape;
  size_t offset = 0;
};

Header parse_header(std::string_view file, const std::string& path) {
  if (file.size() < kPrefix || file.compare(0, kMagic.size(), kMagic) != 0) {
    throw bad_data(path + ": not a .npy file of format 1.0");
  }
  const size_t length = static_cast<unsigned char>(file[8]) +
                        static_cast<size_t>(static_cast<unsigned char>(file[9])) * 256;
  if (file.size() < kPrefix + length) throw bad_data(path + ": .npy header is truncated");
  const std::string header(file.substr(kPrefix, length));
  if (header.find("'descr': [") != std::string::npos) {
    throw bad_data(path + ": elements of several fields, expected plain numbers");
  }
  const std::string type = field(header, "'descr': '", '\'', path);
  if (field(header, "'fortran_order': ", ',', path) != "False") {
    throw bad_data(path + ": Fortran order, expected C order (numpy.ascontiguousarray)");
  }
  return {type, parse_shape(field(header, "'shape': (", ')', path), path), kPrefix + length};
}

void check_size(std::string_view file, const Header& header, size_t item, const std::string& path) {
  const size_t given = file.size() - header.offset;
  size_t expected = item;
  for (const int64_t extent : header.shape) {
    if (__builtin_mul_overflow(expected, static_cast<size_t>(extent), &expected)) {
      throw bad_data(fmt::format("{}: {} bytes of data, shape {} needs more than any file has",
                                 path, given, shape_text(header.shape)));
    }
  }
  if (given != expected) {
    throw bad_data(fmt::format("{}: {} bytes of data, shape {} needs {}", path, given,
                               shape_text(header.shape), expected));
  }
}

// Checks the header, returns the shape and where the data starts.
std::pair<Shape, size_t> parse(std::string_view file, const char* descr, size_t item,
                               const std::string& path) {
  Header header = parse_header(file, path);
  if (header.type != descr) {
    throw bad_data(fmt::format("{}: element type {}, expected {}", path, header.type, descr));
  }
  check_size(file, header, item, path);
  return {std::move(header.shape), header.offset};
}

template <class T>
void convert(const char* bytes, std::span<float> to) {
  for (size_t i = 0; i < to.size(); ++i) {
    T value;
    std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
    to[i] = static_cast<float>(value);
  }
}

// An element type that becomes float32.
struct NumberType {
  std::string_view name;
  size_t size;
  void (*convert)(const char* bytes, std::span<float> to);
};
constexpr NumberType kNumberTypes[] = {
    {"<f4", 4, convert<float>},    {"<f8", 8, convert<double>},   {"|u1", 1, convert<uint8_t>},
    {"|i1", 1, convert<int8_t>},   {"|b1", 1, convert<uint8_t>},  {"<u2", 2, convert<uint16_t>},
    {"<u4", 4, convert<uint32_t>}, {"<u8", 8, convert<uint64_t>}, {"<i2", 2, convert<int16_t>},
    {"<i4", 4, convert<int32_t>},  {"<i8", 8, convert<int64_t>},
};

}  // namespace

void write_npy(const std::string& path, const Shape& shape, std::span<const float> data) {
  write(path, shape, "<f4", data.data(), data.size_bytes());
}

void write_npy(const std::string& path, const TensorF64& tensor) {
  write(path, tensor.shape, "<f8", tensor.data.data(), tensor.data.size() * sizeof(double));
}

template <class T>
NpyView<T>::NpyView(const std::string& path, size_t most_bytes) : file_(path, most_bytes) {
  constexpr const char* kType = sizeof(T) == sizeof(float) ? "<f4" : "<f8";
  const std::string_view file = file_.content();
  auto [shape, offset] = parse(file, kType, sizeof(T), path);
  if (offset % sizeof(T) != 0) {
    throw bad_data(
        fmt::format("{}: .npy data starts at byte {}, which its elements can't", path, offset));
  }
  shape_ = std::move(shape);
  const char* const first = file.data() + offset;  // it starts at a page
  data_ = {reinterpret_cast<const T*>(first), static_cast<size_t>(element_count(shape_))};
}

template class NpyView<float>;
template class NpyView<double>;

Tensor read_npy_f32(const std::string& path) {
  const NpyView<float> view(path);
  Tensor tensor(view.shape());
  std::copy(view.data().begin(), view.data().end(), tensor.data().begin());
  return tensor;
}

TensorF64 read_npy_f64(const std::string& path) {
  const NpyView<double> view(path);
  return {view.shape(), {view.data().begin(), view.data().end()}};
}

Tensor read_npy_as_f32(const std::string& path) {
  const std::string file = read_file(path);
  const Header header = parse_header(file, path);
  for (const NumberType& type : kNumberTypes) {
    if (type.name != header.type) continue;
    check_size(file, header, type.size, path);
    Tensor tensor(header.shape);
    type.convert(file.data() + header.offset, tensor.data());
    return tensor;
  }
  std::vector<std::string> names;
  for (const NumberType& type : kNumberTypes) names.emplace_back(type.name);
  throw bad_data(fmt::format("{}: elements of type {}, expected one of {} (numpy.astype)", path,
                             header.type, join(names, ", ")));
}

}  // namespace nsop
