// Trains the network of a task, epoch by epoch.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "layers/apps/train/origin.h"
#include "layers/apps/train/task.h"
#include "layers/training/clip.h"

namespace nsop::layers {

// What an epoch did.
struct Epoch {
  int number = 0;       // from 1
  double loss = 0;      // mean over its batches, each before its update
  double rate = 0;      // of its last step
  double accuracy = 0;  // of the task's test set after it
};

// Everything random (weights, order of the examples) comes from the seed: the same task, seed,
// number of threads and SIMD target give the same weights to the last bit.
class Trainer {
 public:
  // Keeps the task by reference. Throws Error (usage) for less than one thread.
  Trainer(const Task& task, uint64_t seed, int threads = 1);

  // One pass over the training set.
  Epoch run_epoch();

  // Share of the test set that the network gets right now; where numbers are to be met, the share
  // of their variance (each column's about its own mean) that it explains. An output that is no
  // number is wrong.
  double accuracy();

  int epochs() const { return epoch_; }  // done

  // Writes what training goes on from: network, optimizer, places in streams of random numbers.
  // Throws like save_model().
  void save_checkpoint(const std::string& path) const;

  // Goes on, before the first epoch, from where such a file was written: every later epoch is to
  // the last bit what it would have been. Throws Error and stays as it was: like load_model(); bad
  // data for a file of another task, seed, recipe (batches, rate, epochs), training set, number of
  // threads or SIMD target.
  void resume(const std::string& path);

  const Origin& origin() const { return origin_; }  // for the metadata of model files

  const Sequential& network() const { return training_; }
  const Optimizer& optimizer() const { return optimizer_; }

 private:
  double explained_variance(ConstFloats outputs) const;
  // What a checkpoint must agree in, in the order in which it is compared.
  std::vector<std::pair<std::string, std::string>> conditions() const;

  const Task& task_;
  int threads_;
  Origin origin_;
  Sequential training_, testing_;  // of the same weights
  Loss loss_;
  Optimizer optimizer_;
  GradientClipper clipper_;
  DataLoader loader_;
  Schedule schedule_;
  std::vector<float> gradient_;
  int epoch_ = 0;
};

}  // namespace nsop::layers
