#include "layers/training/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "harness/core/error.h"

namespace nsop::layers {
namespace {

void require(bool holds, const char* what, double given, const char* expected) {
  if (holds) return;
  throw usage_error(
      fmt::format("learning-rate schedule: {} is {}, expected {}", what, given, expected));
}

void require_factor(double factor) {
  require(factor > 0 && factor <= 1, "factor", factor, "a number above 0 and at most 1");
}

void require_length(const char* what, int64_t length) {
  require(length >= 1, what, static_cast<double>(length), "at least 1");
}

}  // namespace

Schedule::Schedule(Kind kind, double rate) : kind_(kind), rate_(rate) {
  require(rate >= 0 && std::isfinite(rate), "rate", rate, "a number of at least 0");
}

Schedule Schedule::constant(double rate) { return Schedule(Kind::kConstant, rate); }

Schedule Schedule::step(double rate, int64_t every, double factor) {
  require_length("every", every);
  require_factor(factor);
  Schedule schedule(Kind::kStep, rate);
  schedule.length_ = every;
  schedule.factor_ = factor;
  return schedule;
}

Schedule Schedule::exponential(double rate, double factor) {
  require_factor(factor);
  Schedule schedule(Kind::kExponential, rate);
  schedule.factor_ = factor;
  return schedule;
}

Schedule Schedule::cosine(double rate, int64_t total, double least) {
  require_length("total", total);
  require(least >= 0 && least <= rate, "least", least, "a number from 0 to the rate");
  Schedule schedule(Kind::kCosine, rate);
  schedule.length_ = total;
  schedule.least_ = least;
  return schedule;
}

Schedule Schedule::after_warm_up(int64_t steps) const {
  require(steps >= 0, "warm-up", static_cast<double>(steps), "at least 0 steps");
  Schedule schedule = *this;
  schedule.warm_up_ = steps;
  return schedule;
}

double Schedule::at(int64_t step) const {
  assert(step >= 0);
  if (step >= warm_up_) return after_start(step - warm_up_);
  return after_start(0) * static_cast<double>(step + 1) / static_cast<double>(warm_up_ + 1);
}

double Schedule::after_start(int64_t step) const {
  switch (kind_) {
    case Kind::kConstant:
      return rate_;
    case Kind::kStep: {
      const int64_t whole_lengths = step / length_;
      return rate_ * std::pow(factor_, static_cast<double>(whole_lengths));
    }
    case Kind::kExponential:
      return rate_ * std::pow(factor_, static_cast<double>(step));
    case Kind::kCosine:
      break;
  }
  const double done = static_cast<double>(std::min(step, length_)) / static_cast<double>(length_);
  return least_ + (rate_ - least_) * (1 + std::cos(std::numbers::pi * done)) / 2;
}

}  // namespace nsop::layers
