// What batchnorm, layernorm, groupnorm and rmsnorm share: values are divided into groups, every
// group is brought to mean 0 and variance 1, and scaled and shifted again:
// y = (x - mean) * inv_std * gamma + beta, inv_std = 1 / sqrt(variance + 1e-5).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "harness/core/registry.h"
#include "reference/spec/spec.h"

namespace nsop::reference {

constexpr double kNormEpsilon = 1e-5;

// Where the elements of a group are, and which gamma and beta they have.
struct NormLayout {
  int64_t groups = 1;
  int64_t count = 1;  // elements of a group
  // Element i of group g is at g * group_step + i / run * run_step + i % run.
  int64_t run = 1;
  int64_t run_step = 0;
  int64_t group_step = 1;
  // Its gamma is at g % affine_groups * affine_step + i / affine_run.
  int64_t affine_groups = 1;
  int64_t affine_step = 0;
  int64_t affine_run = 1;

  Shape x_shape;
  Shape affine_shape;     // of gamma and beta
  Shape statistic_shape;  // of mean and inv_std

  int64_t at(int64_t g, int64_t i) const { return g * group_step + i / run * run_step + i % run; }
  int64_t affine_at(int64_t g, int64_t i) const {
    return g % affine_groups * affine_step + i / affine_run;
  }
  // How many elements share a gamma.
  int64_t shared() const { return element_count(x_shape) / element_count(affine_shape); }
};

// Forward takes x, gamma[, beta] and returns y[, mean], inv_std; backward takes x, gamma[, mean],
// inv_std, dy and returns dx, dgamma[, dbeta]. What is in brackets is missing in the root mean
// square form (`centred` false): there, y = x * inv_rms * gamma.
struct Norm {
  OpSpec spec;
  std::function<void(const Case&)> validate;
  std::function<NormLayout(const Case&)> layout;
  bool centred = true;
  // Optional: of this case the mean and the variance are given (`mode=eval`): inputs x, gamma,
  // beta, mean, var, output y; backward, where they are constants, x, gamma, mean, var, dy -> dx,
  // dgamma, dbeta.
  std::function<bool(const Case&)> given_statistics = nullptr;
};

Op norm_op(const Norm& norm);

// Of the norms over channels: x is `in` [n,c,...] with one to three axes behind the channels.
ParamSpec norm_channels_param();
// Throws Error (usage) for another shape, or one that is too large.
void validate_norm_channels(const Case& c);
// The elements of a channel of a sample.
int64_t norm_pixels(const Case& c);

}  // namespace nsop::reference
