// Normalisation layers: y = (x - mean) / sqrt(variance + 1e-5) * weight + bias, with the population
// variance; they differ in what mean and variance are taken over (kernels/norm/norm.h). Parameters
// `weight` (ones at the start) and `bias` (zeros).
#pragma once

#include <string>

#include "kernels/norm/norm.h"
#include "layers/core/layer.h"

namespace nsop::layers {

// What BatchNorm and GroupNorm share: x [batch, channels, ...], parameters [channels].
class PlaneNorm : public Layer {
 public:
  void init_parameters(Random& random) override;

  // Of the latest forward() that took statistics of its x: 1 / sqrt(variance + eps), and the mean;
  // per channel without groups, else per sample and group.
  ConstFloats inv_std() const { return inv_std_; }
  ConstFloats mean() const { return mean_; }

 protected:
  explicit PlaneNorm(size_t channels, size_t groups = 0) : channels_(channels), groups_(groups) {}
  Shape infer(const Shape& in) const override;
  void plan(Arena& arena) override;
  void do_forward(ConstFloats x, Floats y) override;
  void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) override;

  // For a backward pass: its workspace, and where dx goes: to scratch memory where nobody wants it.
  struct BackwardMemory {
    Floats workspace, dx;
  };
  BackwardMemory backward_memory(Floats dx) const;
  const kernels::NormPlanes& planes() const { return planes_; }
  size_t channels() const { return channels_; }
  size_t groups() const { return groups_; }

 private:
  size_t channels_, groups_;
  kernels::NormPlanes planes_;
  Floats mean_, inv_std_, workspace_;
};

// Per channel over batch and the rest (Ioffe & Szegedy 2015, arXiv:1502.03167). Training uses the
// statistics of the batch and moves `running_mean` and `running_var` (the unbiased variance; of a
// single value 0) by `momentum` towards them; inference uses those. backward() belongs to the mode
// of the latest forward().
class BatchNorm : public PlaneNorm {
 public:
  explicit BatchNorm(size_t channels, float momentum = 0.1f);  // in [0, 1] (Error)
  std::string name() const override;
  void init_parameters(Random& random) override;

 protected:
  void plan(Arena& arena) override;
  void do_forward(ConstFloats x, Floats y) override;
  void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) override;

 private:
  void move_running_statistics();

  float momentum_;
  bool trained_ = true;  // was the latest forward() one of training?
};

// Per sample and group of neighbouring channels (Wu & He 2018, arXiv:1803.08494).
class GroupNorm : public PlaneNorm {
 public:
  GroupNorm(size_t groups, size_t channels);  // groups divide channels (Error)
  std::string name() const override;
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
