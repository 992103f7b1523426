// Saving and loading of models in the layout of safetensors: eight bytes with the length of the
// header (little endian), the header as JSON, then the raw tensors.
// Format: https://github.com/huggingface/safetensors#format
#pragma once

#include <map>
#include <string>
#include <vector>

#include "layers/core/sequential.h"
#include "layers/training/optimizer.h"

namespace nsop::layers {

// A tensor in a file, and the floats of the model that it is saved from or loaded into.
struct ModelTensor {
  std::string name;  // `0.weight`
  Shape shape;
  Floats value;
  std::string owner;  // for messages: `Dense(16->64)`
};

// Everything that makes up a trained network: parameters and buffers, in order.
std::vector<ModelTensor> tensors_of(const Sequential& network);
// The same with the state of its optimizer and what else training goes on from: to the last bit, if
// the data come in the same order.
std::vector<ModelTensor> tensors_of(const Sequential& network, const Optimizer& optimizer);

// Writes all tensors as F32 (temporary file, fsync, rename: either the whole file or none). The
// metadata is kept beside; a SHA-256 over the file is added, so that a damaged one is refused.
// Throws Error: usage for two tensors of one name, environment when it can't be written.
void save_model(const std::string& path, const std::vector<ModelTensor>& tensors,
                const std::map<std::string, std::string>& metadata = {});

// What save_model() was given. Throws Error like load_model() for a file that isn't a model.
std::map<std::string, std::string> read_metadata(const std::string& path);

// Fills all tensors from a file and returns its metadata. Files of other programs are read, too, if
// they hold F32. Throws Error and leaves every tensor as it was: environment when the file can't be
// read; bad data when it is truncated or damaged, when its tensors overlap or leave gaps, or when
// their names, types or shapes are not the model's. Tensors named `optimizer.*` and `training.*`
// that nobody asks for are passed over.
std::map<std::string, std::string> load_model(const std::string& path,
                                              const std::vector<ModelTensor>& tensors);

}  // namespace nsop::layers
