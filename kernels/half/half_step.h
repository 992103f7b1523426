// From kernels to variants that take tensors of 16-bit floats, besides those of float32.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/registry.h"
#include "hwy/aligned_allocator.h"
#include "kernels/half/half.h"

namespace nsop::kernels {

// The tensors of a request in 16 bits. Outside of steps tensors are of float32, whose values the
// type holds exactly; what a step reads and writes are these.
class HalfTensors {
 public:
  // The request's op has a key `type`, which isn't f32 (assert).
  explicit HalfTensors(const StepRequest& request);

  HalfType type() const { return type_; }
  size_t inputs() const { return in_.size(); }
  size_t outputs() const { return out_.size(); }
  std::span<const uint16_t> in(size_t i) const { return {in_[i].data.get(), in_[i].size}; }
  std::span<uint16_t> out(size_t i) { return {out_[i].data.get(), out_[i].size}; }
  ThreadPool& thread_pool() const { return *thread_pool_; }

  // Reads the request's inputs anew.
  void inputs_changed();
  // An output in float32, written into the request's tensor.
  std::span<const float> widened_output(size_t i) const;

 private:
  struct Array {
    explicit Array(size_t n);
    hwy::AlignedFreeUniquePtr<uint16_t[]> data;
    size_t size = 0;
  };
  HalfType type_;
  ThreadPool* thread_pool_;
  std::vector<Array> in_, out_;
  std::vector<std::span<const float>> wide_in_;
  std::vector<std::span<float>> wide_out_;
};

// A step that calls run(HalfTensors&).
template <class Run>
class HalfStep final : public Step {
 public:
  HalfStep(const StepRequest& request, std::string chose, Run run)
      : tensors_(request), chose_(std::move(chose)), run_(std::move(run)) {}

  void run() override { run_(tensors_); }
  std::span<const float> output(size_t i) const override { return tensors_.widened_output(i); }
  void inputs_changed() override { tensors_.inputs_changed(); }
  std::string chose() const override { return chose_; }

 private:
  HalfTensors tensors_;
  std::string chose_;
  Run run_;
};

template <class Run>
std::unique_ptr<Step> make_half_step(const StepRequest& request, std::string chose, Run run) {
  return std::make_unique<HalfStep<Run>>(request, std::move(chose), std::move(run));
}

using PrepareStep = std::function<std::unique_ptr<Step>(const StepRequest&)>;

// `variant`, which also has the types bf16 and f16: steps of their cases are what `prepare_half`
// makes, those of float32 what they were.
Variant with_halves(Variant variant, PrepareStep prepare_half);

// The same with the float32 kernel of `variant` for all types: what is stored in 16 bits is widened
// in front of it and its results are narrowed behind it, in every run and on the same threads. It
// moves 6 bytes more for an element than a kernel that reads and writes 16 bits itself, which
// products of matrices hardly notice: they do n times as much arithmetic as they move.
Variant with_widened_halves(Variant variant);

// Part kernels of 16-bit tensors, as map_halves_unary and map_halves_binary of half-inl.h are.
using HalfUnaryPart = void (*)(const uint16_t* x, uint16_t* y, size_t n);
using HalfBinaryPart = void (*)(const uint16_t* a, const uint16_t* b, uint16_t* c, size_t n);
// By type. Functions, because a part is chosen when its target is known.
struct HalfParts {
  HalfUnaryPart (*forward)(HalfType type);
  HalfBinaryPart (*backward)(HalfType type);
};
// prepare_half of an op of one argument with the cases `pass=forward` (x -> y) and `pass=backward`
// (saved, dy -> dx). Threads share it from as many elements on as they share arithmetic.
PrepareStep half_unary(HalfParts parts);

}  // namespace nsop::kernels
