// What the tests of this folder share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "layers/core/layer.h"

namespace nsop::layers {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Calls of operator new in this program so far, on all threads.
int64_t allocation_count();

// `count` values, uniform in [lo, hi), the same for the same seed.
inline std::vector<float> random_values(size_t count, uint64_t seed, double lo = -1,
                                        double hi = 1) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.uniform(lo, hi));
  return values;
}

// A layer with memory of its own and the tensors of a step. The scratch memory is NaN before each
// pass, as if another layer had left it so, and has a guard behind it.
struct Prepared {
  std::unique_ptr<Layer> layer;
  Arena arena;
  Floats scratch, guard;
  std::vector<float> x, y, dy, dx;

  // Input uniform in [lo, hi), parameters by init_parameters(), all from the seed.
  Prepared(std::unique_ptr<Layer> made, const Shape& in, int threads = 1, uint64_t seed = 1,
           double lo = -1, double hi = 1)
      : layer(std::move(made)) {
    Arena measuring;
    kernels::ThreadPool& thread_pool = kernels::shared_threads(threads);
    layer->init(in, measuring, thread_pool);
    Arena::Plan plan = measuring.plan();
    const size_t used = plan.scratch;
    plan.scratch += kGuard;
    arena = Arena(plan);
    layer->init(in, arena, thread_pool);
    scratch = arena.scratch(plan.scratch).first(used);
    guard = arena.scratch(plan.scratch).subspan(used);
    std::ranges::fill(guard, kGuardValue);
    Random random(seed);
    layer->init_parameters(random);
    x = random_values(static_cast<size_t>(element_count(in)), seed + 1, lo, hi);
    y.resize(static_cast<size_t>(element_count(layer->output_shape())));
    dy = random_values(y.size(), seed + 2);
    dx.resize(x.size());
  }

  void forward() {
    poison();
    layer->forward(x, y);
  }
  void backward() {
    poison();
    layer->backward(x, y, dy, dx);
  }
  bool stayed_inside() const {
    return std::ranges::all_of(guard, [](float v) { return v == kGuardValue; });
  }

 private:
  static constexpr size_t kGuard = 64;
  static constexpr float kGuardValue = 12345;
  void poison() { std::ranges::fill(scratch, std::numeric_limits<float>::quiet_NaN()); }
};

}  // namespace nsop::layers
