// Where a model comes from, as its file says it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "layers/apps/train/task.h"

namespace nsop::layers {

// Metadata of a model file: names and texts.
using Origin = std::map<std::string, std::string>;

// `task`, `seed`, `test_share`, and `train_sha256` of the training set's examples and targets.
Origin origin_of(const Task& task, uint64_t seed);

// Why the model in the file `path`, of the origin `model`, may have been trained with examples that
// a task of the origin `task` tests it with; empty where it wasn't. Throws Error (usage) when it
// surely was: both are of the same file, but split by another seed or test share.
std::string doubt_about(const std::string& path, const Origin& model, const Origin& task);

}  // namespace nsop::layers
