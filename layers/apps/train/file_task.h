// A task from a user's own files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layers/apps/train/task.h"

namespace nsop::layers {

struct FileTask {
  std::string csv;      // a table, the target in its last column, or ...
  bool header = false;  // ... with a first line that names the columns
  char separator = ',';
  std::string examples, targets;  // ... two .npy files
  bool numbers = false;           // targets are numbers to be met; else class numbers from 0
  std::vector<size_t> hidden = {32};
  double test_share = 0.2;  // of the examples, drawn at random
  size_t batch = 32;        // at least 2; at most the examples that there are
  int epochs = 100;
  double rate = 0.01;
  double goal = 0;  // at most 1
};

// A network of dense layers with ReLU, behind a normalisation of the inputs that it learns, trained
// by AdamW. The seed draws the test set. Throws Error like load_csv() and load_npy(); usage for
// numbers out of range, unless exactly one source is named, or when less than two examples are
// left to train with; bad data when a target is no class
// number, when all are of one class, or when numbers are all equal, in the test set or as a whole.
Task make_file_task(const FileTask& from, uint64_t seed);

// A network learns numbers by their distance from the mean, in units of their deviation. These
// change its last layer so that it gives the numbers themselves, and back; they do nothing where
// targets are classes.
void give_numbers(const Task& task, const Sequential& network);
void give_distances(const Task& task, const Sequential& network);

}  // namespace nsop::layers
