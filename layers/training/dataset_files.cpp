// Data sets from files (dataset.h).
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/io/npy.h"
#include "harness/core/text.h"
#include "layers/core/quoted.h"
#include "layers/training/dataset.h"

namespace nsop::layers {
namespace {

// An array with the examples along its first axis.
struct Rows {
  size_t count;
  Shape shape;  // of one
  std::vector<float> values;
};

void require_finite(const Tensor& tensor, const std::string& path) {
  const std::span<const float> values = tensor.data();
  const auto wrong = std::ranges::find_if(values, [](float v) { return !std::isfinite(v); });
  if (wrong == values.end()) return;
  const auto at = static_cast<size_t>(wrong - values.begin());
  const size_t each = values.size() / static_cast<size_t>(tensor.shape()[0]);
  throw bad_data(
      fmt::format("{}: value {} of example {} (both from 0) is {}, expected a finite "
                  "number that float32 can hold",
                  path, at % each, at / each, *wrong));
}

Rows read_rows(const std::string& path) {
  const Tensor tensor = read_npy_as_f32(path);
  if (tensor.shape().empty() || tensor.size() == 0) {
    throw bad_data(fmt::format("{}: an array of shape [{}] has no examples along its first axis",
                               path, shape_text(tensor.shape())));
  }
  require_finite(tensor, path);
  return {static_cast<size_t>(tensor.shape()[0]),
          Shape(tensor.shape().begin() + 1, tensor.shape().end()),
          {tensor.data().begin(), tensor.data().end()}};
}

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // of UTF-8, as spreadsheets write it

// The whole text as a number; what is nearer to 0 than any float32 is 0.
std::optional<float> parse_number(const std::string& text) {
  const bool plus = text.starts_with('+') && !text.starts_with("+-");
  const char* const begin = text.data() + (plus ? 1 : 0);
  const char* const end = text.data() + text.size();
  float value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) value = std::strtof(begin, nullptr);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// Reads lines of numbers, all as long as the first.
class CsvReader {
 public:
  CsvReader(const std::string& path, const CsvOptions& options) : path_(path), options_(options) {}

  Dataset read() {
    const std::string file = read_file(path_);
    const std::string_view mark =
        std::string_view(file).starts_with(kByteOrderMark) ? kByteOrderMark : std::string_view();
    const std::vector<std::string> lines =
        nsop::split(std::string_view(file).substr(mark.size()), '\n');
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
      throw wrong(
          line, fmt::format("with {} between fields there are {}, expected more than the {} of the "
                            "target",
                            quoted({options_.separator}), fields, options_.targets));
    }
    width_ = fields;
    first_line_ = line;
  }

  float number(const std::string& field, size_t position, size_t line) const {
    const std::string text = trim(field);
    if (const auto value = parse_number(text)) return *value;
    const bool names = line == 1 && !options_.header && !text.empty() &&
                       std::isalpha(static_cast<unsigned char>(text[0])) != 0;
    throw wrong(
        line, fmt::format("field {} is {}, expected a finite number{}", position, quoted(text, 40),
                          names ? "; a line with names needs the option header" : ""));
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
