// Data sets from files.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "harness/core/error.h"
#include "harness/core/npy.h"
#include "harness/core/util.h"
#include "layers/dataset.h"

namespace nsop::layers {
namespace {

// An array with the examples along its first axis.
struct Rows {
  size_t count;
  Shape shape;  // of one
  std::vector<float> values;
};

Rows read_rows(const std::string& path) {
  const Tensor tensor = read_npy_as_f32(path);
  if (tensor.shape().empty() || tensor.size() == 0) {
    throw bad_data(fmt::format("{}: an array of shape [{}] has no examples along its first axis",
                               path, shape_text(tensor.shape())));
  }
  return {static_cast<size_t>(tensor.shape()[0]),
          Shape(tensor.shape().begin() + 1, tensor.shape().end()),
          {tensor.data().begin(), tensor.data().end()}};
}

// Reads lines of numbers, all as long as the first.
class CsvReader {
 public:
  CsvReader(const std::string& path, const CsvOptions& options) : path_(path), options_(options) {}

  Dataset read() {
    const std::vector<std::string> lines = nsop::split(read_file(path_), '\n');
    for (size_t i = options_.header ? 1 : 0; i < lines.size(); ++i) {
      if (!trim(lines[i]).empty()) add_line(lines[i], i + 1);
    }
    if (width_ == 0) throw bad_data(path_ + ": has no lines of numbers");
    data_.example_shape = {static_cast<int64_t>(width_ - options_.targets)};
    if (options_.targets > 1) data_.target_shape = {static_cast<int64_t>(options_.targets)};
    return std::move(data_);
  }

 private:
  Error wrong(size_t line, const std::string& what) const {
    return bad_data(fmt::format("{}:{}: {}", path_, line, what));
  }

  void add_line(const std::string& text, size_t line) {
    const std::vector<std::string> fields = nsop::split(text, options_.separator);
    if (width_ == 0) start(fields.size(), line);
    if (fields.size() != width_) {
      throw wrong(line, fmt::format("{} fields, expected {} as in line {}", fields.size(), width_,
                                    first_line_));
    }
    const size_t examples = width_ - options_.targets;
    for (size_t i = 0; i < width_; ++i) {
      const float value = number(fields[i], i + 1, line);
      (i < examples ? data_.examples : data_.targets).push_back(value);
    }
  }

  void start(size_t fields, size_t line) {
    if (fields <= options_.targets) {
      throw wrong(line, fmt::format("{} fields, expected more than the {} of the target", fields,
                                    options_.targets));
    }
    width_ = fields;
    first_line_ = line;
  }

  float number(const std::string& field, size_t position, size_t line) const {
    const std::string text = trim(field);
    float value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && std::isfinite(value)) {
      return value;
    }
    throw wrong(line, fmt::format("field {} is '{}', expected a finite number", position,
                                  text.substr(0, 40)));
  }

  const std::string& path_;
  const CsvOptions& options_;
  Dataset data_;
  size_t width_ = 0;
  size_t first_line_ = 0;
};

}  // namespace

Dataset load_npy(const std::string& examples_path, const std::string& targets_path) {
  Rows examples = read_rows(examples_path);
  Rows targets = read_rows(targets_path);
  if (examples.count != targets.count) {
    throw bad_data(fmt::format("{}: {} targets, but {} has {} examples", targets_path,
                               targets.count, examples_path, examples.count));
  }
  return {examples.shape, targets.shape, std::move(examples.values), std::move(targets.values)};
}

Dataset load_csv(const std::string& path, const CsvOptions& options) {
  if (options.targets < 1) throw usage_error(path + ": at least one column must be the target");
  return CsvReader(path, options).read();
}

}  // namespace nsop::layers
