// Dropout: in training, values are zeroed with probability `rate` and the others scaled by
// 1 / (1 - rate), so that their mean stays; in inference nothing changes (Srivastava et al. 2014,
// https://jmlr.org/papers/v15/srivastava14a.html).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "kernels/elementwise/dropout.h"
#include "layers/core/layer.h"

namespace nsop::layers {

// Draws from the stream (seed, number of the forward pass) of kernels/elementwise/dropout.h: the
// same on every target and for any number of threads. Without a seed, init_parameters() draws one.
class Dropout : public Layer {
 public:
  // 0 <= rate < 1 (Error); with a rate of 1 nothing would be left to scale.
  explicit Dropout(double rate, std::optional<uint64_t> seed = std::nullopt);
  std::string name() const override;
  void init_parameters(Random& random) override;  // starts the stream from its first pass, too

  // Of the latest forward pass in training: 0 or 1 / (1 - rate).
  ConstFloats mask() const { return mask_; }
  // For a backward pass of a mask that was drawn elsewhere; of the size of the input (assert).
  void set_mask(ConstFloats mask);

  // Where the next forward pass in training draws from; for going on where a saved run stopped.
  kernels::PhiloxStream stream() const;
  void set_stream(const kernels::PhiloxStream& stream);

 protected:
  Shape infer(const Shape& in) const override { return in; }
  void plan(Arena& arena) override;
  void do_forward(ConstFloats x, Floats y) override;
  void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) override;

 private:
  double rate_;
  bool seeded_;
  // The stream: sixteen bits in each, seed and number of the pass, low ones first.
  std::array<float, 8> place_{};
  bool dropped_ = false;  // did the latest forward pass?
  Floats mask_;
};

}  // namespace nsop::layers
