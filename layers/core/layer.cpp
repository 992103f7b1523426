#include "layers/core/layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <new>

#include "harness/core/error.h"

namespace nsop::layers {

namespace {

// More than memory holds anywhere; below, no arithmetic on sizes overflows.
constexpr int64_t kMostValues = int64_t{1} << 40;

// An extent below 1 was a size of 2^63 or more before it became one.
bool is_too_large(const Shape& shape) {
  int64_t count = 1;
  return std::ranges::any_of(shape, [&](int64_t extent) {
    return extent < 1 || __builtin_mul_overflow(count, extent, &count) || count > kMostValues;
  });
}

}  // namespace

void Layer::refuse(const std::string& expected, const Shape& given) const {
  throw usage_error(fmt::format("{}: expected input {}, given {}", name(), expected,
                                given.empty() ? "no shape" : shape_text(given)));
}

Shape Layer::output_shape(const Shape& in) const {
  if (in.empty() || std::ranges::any_of(in, [](int64_t extent) { return extent < 1; })) {
    refuse("of extents that are at least 1", in);
  }
  if (is_too_large(in)) refuse("of at most 2^40 values", in);
  Shape out = infer(in);
  if (is_too_large(out)) refuse("whose output has at most 2^40 values", in);
  return out;
}

void Layer::init(const Shape& in, Arena& arena, ThreadPool& thread_pool) {
  Shape out = output_shape(in);
  in_ = in;
  out_ = std::move(out);
  in_size_ = static_cast<size_t>(element_count(in_));
  out_size_ = static_cast<size_t>(element_count(out_));
  thread_pool_ = &thread_pool;
  parameters_.clear();
  buffers_.clear();
  training_state_.clear();
  plan(arena);
}

void Layer::init_parameters(Random&) {}

void Layer::add_parameter(const std::string& name, const Shape& shape, Arena& arena, float value) {
  if (is_too_large(shape)) throw std::bad_alloc();
  const auto size = static_cast<size_t>(element_count(shape));
  const Floats values = arena.take(size, value);
  parameters_.push_back({name, shape, values, arena.take(size)});
}

void Layer::add_buffer(const std::string& name, const Shape& shape, Arena& arena, float value) {
  buffers_.push_back({name, shape, arena.take(static_cast<size_t>(element_count(shape)), value)});
}

void Layer::add_training_state(const std::string& name, Floats value) {
  training_state_.push_back({name, {static_cast<int64_t>(value.size())}, value});
}

void Layer::check(const char* what, size_t given, const Shape& shape) const {
  if (thread_pool_ == nullptr) throw usage_error(name() + ": used before init()");
  const auto expected = static_cast<size_t>(element_count(shape));
  if (given == expected) return;
  throw usage_error(fmt::format("{}: expected {} of {} values ({}), given {}", name(), what,
                                expected, shape_text(shape), given));
}

void Layer::forward(ConstFloats x, Floats y) {
  if (x.size() != in_size_ || y.size() != out_size_ || thread_pool_ == nullptr) {
    check("input", x.size(), in_);
    check("output", y.size(), out_);
  }
  do_forward(x, y);
}

void Layer::backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) {
  const bool fits = x.size() == in_size_ && y.size() == out_size_ && dy.size() == out_size_ &&
                    (dx.empty() || dx.size() == in_size_) && thread_pool_ != nullptr;
  if (!fits) {
    check("input", x.size(), in_);
    check("output", y.size(), out_);
    check("gradient of the output", dy.size(), out_);
    check("gradient of the input", dx.size(), in_);
  }
  do_backward(x, y, dy, dx);
}

void Layer::share(const Layer& other) {
  const auto differs = [](const auto& a, const auto& b) {
    return a.name != b.name || a.shape != b.shape;
  };
  const bool same = std::ranges::equal(parameters_, other.parameters_, std::not_fn(differs)) &&
                    std::ranges::equal(buffers_, other.buffers_, std::not_fn(differs));
  if (!same) {
    throw usage_error(fmt::format("{}: can't share the parameters of {}: names or shapes differ",
                                  name(), other.name()));
  }
  for (size_t i = 0; i < parameters_.size(); ++i) parameters_[i].value = other.parameters_[i].value;
  for (size_t i = 0; i < buffers_.size(); ++i) buffers_[i].value = other.buffers_[i].value;
}

}  // namespace nsop::layers
