#include "layers/dropout.h"

#include <fmt/format.h>

#include <cassert>

#include "harness/core/error.h"
#include "layers/core/copy.h"
#include "layers/core/variant.h"

namespace nsop::layers {
namespace {

void write_bits(uint64_t bits, std::span<float, 4> to) {
  for (float& part : to) {
    part = static_cast<float>(bits & 0xffff);
    bits >>= 16;
  }
}

uint64_t read_bits(std::span<const float, 4> from) {
  uint64_t bits = 0;
  for (size_t i = from.size(); i-- > 0;) {
    const bool fits = from[i] >= 0 && from[i] <= 0xffff;  // a file may hold anything
    bits = bits << 16 | (fits ? static_cast<uint64_t>(from[i]) : 0);
  }
  return bits;
}

}  // namespace

Dropout::Dropout(double rate, std::optional<uint64_t> seed)
    : rate_(rate), seeded_(seed.has_value()) {
  set_stream({seed.value_or(0), 0});
  if (rate >= 0 && rate < 1) return;
  throw usage_error(
      fmt::format("Dropout: expected a rate of at least 0 and below 1, given {}", rate));
}

std::string Dropout::name() const { return fmt::format("Dropout({})", rate_); }

kernels::PhiloxStream Dropout::stream() const {
  const std::span<const float, 8> all(place_);
  return {read_bits(all.first<4>()), read_bits(all.last<4>())};
}

void Dropout::set_stream(const kernels::PhiloxStream& stream) {
  const std::span<float, 8> all(place_);
  write_bits(stream.seed, all.first<4>());
  write_bits(stream.run, all.last<4>());
}

void Dropout::init_parameters(Random& random) {
  set_stream({seeded_ ? stream().seed : random.next(), 0});
}

void Dropout::plan(Arena& arena) {
  mask_ = arena.take(element_count(input_shape()), 1);
  add_training_state("stream", place_);
}

void Dropout::set_mask(ConstFloats mask) {
  assert(mask.size() == mask_.size());
  copy_floats(mask, mask_);
}

void Dropout::do_forward(ConstFloats x, Floats y) {
  dropped_ = training();
  if (!dropped_) {
    copy_floats(x, y);
    return;
  }
  const kernels::PhiloxStream from = stream();
  kernels::dropout_forward(from, rate_, x, y, mask_, thread_pool());
  set_stream({from.seed, from.run + 1});
}

void Dropout::do_backward(ConstFloats, ConstFloats, ConstFloats dy, Floats dx) {
  if (dx.empty()) return;
  if (dropped_) return kernels::dropout_backward(mask_, dy, dx, thread_pool());
  copy_floats(dy, dx);
}

namespace {

const VariantRow dropout_row{layer_variant({
    .op = "dropout",
    .make = [](const Case& c) { return std::make_unique<Dropout>(c.number("rate"), 1); },
    .input = [](const Case& c) { return c.shape("n"); },
    .saved = {{"mask",
               [](const Layer& layer) { return dynamic_cast<const Dropout&>(layer).mask(); }}},
    // The layer draws its own mask; the op's backward pass is given one.
    .restore = {{"mask", [](Layer& layer,
                            ConstFloats mask) { dynamic_cast<Dropout&>(layer).set_mask(mask); }}},
})};

}  // namespace
}  // namespace nsop::layers
