// Learning-rate schedules: the rate of every optimizer step.
#pragma once

#include <cstdint>

namespace nsop::layers {

// Values of their own: copy and keep them. Steps count from 0; what a step is (a batch, an epoch),
// the caller decides. Factories throw Error (usage) for numbers out of the stated range. All rates
// are at least 0.
class Schedule {
 public:
  static Schedule constant(double rate);
  // rate * factor^floor(step / every); every >= 1, factor in (0, 1].
  static Schedule step(double rate, int64_t every, double factor);
  // rate * factor^step; factor in (0, 1].
  static Schedule exponential(double rate, double factor);
  // From `rate` along half a cosine to `least` at step `total` >= 1, which then stays (Loshchilov &
  // Hutter 2017, arXiv:1608.03983, without restarts). least <= rate.
  static Schedule cosine(double rate, int64_t total, double least = 0);

  // The same after `steps` >= 0 steps in which the rate grows in equal parts: (step + 1) / (steps +
  // 1) of the schedule's first rate. The schedule itself starts after them.
  Schedule after_warm_up(int64_t steps) const;

  // The rate of step number `step` >= 0 (assert).
  double at(int64_t step) const;

 private:
  enum class Kind { kConstant, kStep, kExponential, kCosine };
  Schedule(Kind kind, double rate);
  double after_start(int64_t step) const;

  Kind kind_;
  double rate_;
  double factor_ = 1;
  int64_t length_ = 1;  // `every` or `total`
  double least_ = 0;
  int64_t warm_up_ = 0;
};

}  // namespace nsop::layers
