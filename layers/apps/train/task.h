// The learning checks: small problems with data, network, recipe and the accuracy to be reached.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "layers/core/sequential.h"
#include "layers/training/dataset.h"
#include "layers/training/loss.h"
#include "layers/training/optimizer.h"
#include "layers/training/schedule.h"

namespace nsop::layers {

struct Task {
  std::string name;
  std::string about;  // one sentence
  Dataset train, test;
  double test_share =
      0;  // of a file's examples, drawn at random; 0: the test set is one of its own
  std::function<Sequential()> network;  // not initialised
  LossOptions loss;  // cross-entropy, binary cross-entropy of one logit, or the mean square
  OptimizerRule rule;
  double rate = 0;  // falls along half a cosine to 0
  size_t batch = 1;
  int epochs = 1;
  double goal = 1;  // the least accuracy in the end
  // Of numbers to be met, one per output: what `train` and `test` hold are (number - mean) * scale.
  std::vector<double> target_mean = {}, target_scale = {};
};

// `xor`, `spirals`, `digits`.
std::vector<std::string> task_names();

// The task of this name with its data. Throws Error (usage) for another name.
Task make_task(const std::string& name);

}  // namespace nsop::layers
