// Normalisation layers: y = (x - mean) / sqrt(variance + 1e-5) * weight + bias, with the population
// variance; they differ in what mean and variance are taken over (kernels/norm.h). Parameters
// `weight` (ones at the start) and `bias` (zeros).
#pragma once

#include <string>

#include "kernels/norm.h"
#include "layers/layer.h"

namespace nsop::layers {

// x [batch, channels, ...]: per channel over batch and the rest (Ioffe & Szegedy 2015,
// arXiv:1502.03167); parameters [channels]. Training uses the statistics of
// the batch and moves `running_mean` and `running_var` (the unbiased variance; of a single value 0)
// by `momentum` towards them; inference uses those. backward() belongs to the mode of the latest
// forward().
class BatchNorm : public Layer {
 public:
  explicit BatchNorm(size_t channels, float momentum = 0.1f);  // in [0, 1] (Error)
  std::string name() const override;
  void init_parameters(Random& random) override;

  // Of the latest forward() in training: 1 / sqrt(variance + eps), and the mean, per channel.
  ConstFloats inv_std() const { return inv_std_; }
  ConstFloats mean() const { return mean_; }

 protected:
  Shape infer(const Shape& in) const override;
  void plan(Arena& arena) override;
  void do_forward(ConstFloats x, Floats y) override;
  void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) override;

 private:
  void move_running_statistics();

  size_t channels_;
  float momentum_;
  kernels::NormPlanes shape_;
  bool trained_ = true;  // was the latest forward() one of training?
  Floats mean_, inv_std_, workspace_;
};

// x [batch, channels, ...]: per sample and group of neighbouring channels (Wu & He 2018,
// arXiv:1803.08494); parameters [channels].
class GroupNorm : public Layer {
 public:
  GroupNorm(size_t groups, size_t channels);  // groups divide channels (Error)
  std::string name() const override;
  void init_parameters(Random& random) override;

  // Of the latest forward(): 1 / sqrt(variance + eps), and the mean, per sample and group.
  ConstFloats inv_std() const { return inv_std_; }
  ConstFloats mean() const { return mean_; }

 protected:
  Shape infer(const Shape& in) const override;
  void plan(Arena& arena) override;
  void do_forward(ConstFloats x, Floats y) override;
  void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) override;

 private:
  size_t groups_, channels_;
  kernels::NormPlanes shape_;
  Floats mean_, inv_std_, workspace_;
};

// x [..., normalized...]: over the trailing dimensions (Ba, Kiros & Hinton 2016, arXiv:1607.06450);
// parameters [normalized...].
class LayerNorm : public Layer {
 public:
  explicit LayerNorm(Shape normalized);  // at least one dimension (Error)
  std::string name() const override;
  void init_parameters(Random& random) override;

  // Of the latest forward(): 1 / sqrt(variance + eps), and the mean (empty: not centred), per row.
  ConstFloats inv_std() const { return inv_std_; }
  ConstFloats mean() const { return mean_; }

 protected:
  // Root mean square normalisation, without mean and bias, when not centred.
  LayerNorm(std::string kind, Shape normalized, bool centred);
  Shape infer(const Shape& in) const override;
  void plan(Arena& arena) override;
  void do_forward(ConstFloats x, Floats y) override;
  void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) override;

 private:
  std::string kind_;
  Shape normalized_;
  kernels::NormRows shape_;
  Floats mean_, inv_std_, workspace_;
};

// x [..., size]: y = x / sqrt(mean of x^2 + 1e-5) * weight (Zhang & Sennrich 2019,
// arXiv:1910.07467).
class RMSNorm : public LayerNorm {
 public:
  explicit RMSNorm(size_t size) : LayerNorm("RMSNorm", {static_cast<int64_t>(size)}, false) {}
};

}  // namespace nsop::layers
