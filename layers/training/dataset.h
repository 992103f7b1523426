// Examples to learn from: in memory, split, normalised, and handed out in batches.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "layers/core/layer.h"

namespace nsop::layers {

// So many examples, each with a target. A class number is a target of shape {} (one float).
struct Dataset {
  Shape example_shape;
  Shape target_shape;
  std::vector<float> examples;  // [size(), example_shape...]
  std::vector<float> targets;   // [size(), target_shape...]

  size_t example_size() const { return static_cast<size_t>(element_count(example_shape)); }
  size_t target_size() const { return static_cast<size_t>(element_count(target_shape)); }
  size_t size() const { return targets.size() / target_size(); }
};

// From two .npy files whose first axis counts the examples. Throws Error: environment when one
// can't be read; bad data when it is no array of finite numbers or the counts differ.
Dataset load_npy(const std::string& examples_path, const std::string& targets_path);

struct CsvOptions {
  bool header = false;  // skip the first line
  char separator = ',';
  size_t targets = 1;  // so many last columns are the target; 1: a target of shape {}
};

// From lines of numbers, one example each; empty lines and a byte order mark are skipped. Throws
// Error: environment when the file can't be read; bad data with `file:line` for a field that is no
// finite number or a line of another length than the first.
Dataset load_csv(const std::string& path, const CsvOptions& options = {});

// Two parts without common examples, drawn at random from the seed: `share` of them, rounded, and
// the rest. Throws Error (usage) unless both get at least one.
std::pair<Dataset, Dataset> split_dataset(const Dataset& whole, double share, uint64_t seed);

// Shifts and scales every number of an example by its position, so that it had mean 0 and variance
// 1 in the data that it was made of. What never varied there is only shifted.
class Normalizer {
 public:
  explicit Normalizer(const Dataset& data);  // throws Error (usage) without examples
  // Throws Error (usage) for examples of another shape.
  void apply(Dataset& data) const;

  // By position: an example becomes (value - mean) * scale.
  const std::vector<double>& mean() const { return mean_; }
  const std::vector<double>& scale() const { return scale_; }

 private:
  Shape shape_;
  std::vector<double> mean_, scale_;
};

// A part of a data set, [count, ...] each; lies in the loader and changes with its next().
struct Batch {
  ConstFloats examples;
  ConstFloats targets;
  size_t count = 0;
};

struct LoaderOptions {
  size_t batch = 32;
  bool shuffle = true;        // in another order every epoch
  bool keep_partial = false;  // also the last batch, when it has fewer examples
  uint64_t seed = 0;
};

// Hands out a data set, which must outlive it, batch after batch. next() allocates nothing.
class DataLoader {
 public:
  // Throws Error (usage) for a batch of no examples, or of more than there are (unless partial
  // batches are kept).
  DataLoader(const Dataset& data, const LoaderOptions& options);

  size_t batches() const;  // of an epoch

  // Starts an epoch from its first batch; the first one has started already.
  void start_epoch();

  // Fills `batch` with the next one; false at the end of the epoch.
  bool next(Batch& batch);

 private:
  const Dataset* data_;
  LoaderOptions options_;
  Random random_;
  std::vector<size_t> order_;
  size_t at_ = 0;
  std::vector<float> examples_, targets_;
};

}  // namespace nsop::layers
