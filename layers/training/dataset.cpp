#include "layers/training/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/core/error.h"
#include "layers/core/copy.h"

namespace nsop::layers {
namespace {

// Fisher & Yates as in Durstenfeld 1964, doi:10.1145/364520.364540.
void shuffle_numbers(std::vector<size_t>& numbers, Random& random) {
  for (size_t i = numbers.size(); i > 1; --i) {
    std::swap(numbers[i - 1], numbers[random.below(i)]);
  }
}

std::vector<size_t> count_up(size_t count) {
  std::vector<size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), size_t{0});
  return numbers;
}

// Copies rows of `width` floats, in the order of `which`.
void gather(std::span<const float> from, size_t width, std::span<const size_t> which,
            std::span<float> to) {
  for (size_t i = 0; i < which.size(); ++i) {
    copy_floats(from.subspan(which[i] * width, width), to.subspan(i * width));
  }
}

Dataset part_of(const Dataset& whole, std::span<const size_t> which) {
  Dataset part{whole.example_shape, whole.target_shape, {}, {}};
  part.examples.resize(which.size() * whole.example_size());
  part.targets.resize(which.size() * whole.target_size());
  gather(whole.examples, whole.example_size(), which, part.examples);
  gather(whole.targets, whole.target_size(), which, part.targets);
  return part;
}

}  // namespace

std::pair<Dataset, Dataset> split_dataset(const Dataset& whole, double share, uint64_t seed) {
  const auto size = static_cast<double>(whole.size());
  const double wanted = std::round(share * size);
  if (!(wanted >= 1) || !(wanted <= size - 1)) {
    throw usage_error(fmt::format(
        "split: a share of {} of {} examples leaves one part without any, expected a share "
        "between 0 and 1",
        share, whole.size()));
  }
  std::vector<size_t> order = count_up(whole.size());
  Random random(seed);
  shuffle_numbers(order, random);
  const std::span<const size_t> all = order;
  const auto first = static_cast<size_t>(wanted);
  return {part_of(whole, all.first(first)), part_of(whole, all.subspan(first))};
}

Normalizer::Normalizer(const Dataset& data)
    : shape_(data.example_shape), mean_(data.example_size()), scale_(data.example_size(), 1) {
  if (data.size() == 0) throw usage_error("normalising: there are no examples to learn from");
  const auto count = static_cast<double>(data.size());
  const size_t width = mean_.size();
  std::vector<double> squares(width);
  for (size_t i = 0; i < data.examples.size(); ++i) mean_[i % width] += data.examples[i] / count;
  for (size_t i = 0; i < data.examples.size(); ++i) {
    const double d = data.examples[i] - mean_[i % width];
    squares[i % width] += d * d / count;
  }
  for (size_t i = 0; i < width; ++i) {
    // Rounding alone makes a variance of what never varied.
    const bool varied = std::sqrt(squares[i]) > 1e-7 * std::abs(mean_[i]);
    if (varied) scale_[i] = 1 / std::sqrt(squares[i]);
  }
}

void Normalizer::apply(Dataset& data) const {
  if (data.example_shape != shape_) {
    throw usage_error(fmt::format("normalising: expected examples of shape {}, given {}",
                                  shape_text(shape_), shape_text(data.example_shape)));
  }
  const size_t width = mean_.size();
  for (size_t i = 0; i < data.examples.size(); ++i) {
    const double value = (data.examples[i] - mean_[i % width]) * scale_[i % width];
    data.examples[i] = static_cast<float>(value);
  }
}

DataLoader::DataLoader(const Dataset& data, const LoaderOptions& options)
    : data_(&data), options_(options), random_(options.seed), order_(count_up(data.size())) {
  const bool fits = options.batch <= data.size() || options.keep_partial;
  if (options.batch < 1 || data.size() == 0 || !fits) {
    throw usage_error(fmt::format("data loader: batches of {} from {} examples, expected 1 to {}",
                                  options.batch, data.size(), data.size()));
  }
  options_.batch = std::min(options.batch, data.size());
  examples_.resize(options_.batch * data.example_size());
  targets_.resize(options_.batch * data.target_size());
  start_epoch();
}

size_t DataLoader::batches() const {
  const size_t partial = options_.keep_partial ? options_.batch - 1 : 0;
  return (order_.size() + partial) / options_.batch;
}

void DataLoader::start_epoch() {
  at_ = 0;
  if (options_.shuffle) shuffle_numbers(order_, random_);
}

bool DataLoader::next(Batch& batch) {
  const size_t left = order_.size() - at_;
  const size_t count = std::min(left, options_.batch);
  if (count == 0 || (count < options_.batch && !options_.keep_partial)) return false;
  const std::span<const size_t> which = std::span<const size_t>(order_).subspan(at_, count);
  gather(data_->examples, data_->example_size(), which, examples_);
  gather(data_->targets, data_->target_size(), which, targets_);
  at_ += count;
  batch = {ConstFloats(examples_).first(count * data_->example_size()),
           ConstFloats(targets_).first(count * data_->target_size()), count};
  return true;
}

}  // namespace nsop::layers
