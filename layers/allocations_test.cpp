// No layer allocates in forward() and backward().
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "layers/activations.h"
#include "layers/axis_layers.h"
#include "layers/conv.h"
#include "layers/dense.h"
#include "layers/dropout.h"
#include "layers/layer_cases.h"
#include "layers/norm.h"
#include "layers/pool2d.h"
#include "layers/reshape.h"
#include "layers/sequential.h"
#include "layers/test_support.h"

namespace {
std::atomic<int64_t> allocations{0};

// Not inlined: GCC would take new and free for a mismatched pair.
[[gnu::noinline]] void* counted(size_t size, size_t alignment) {
  ++allocations;
  const size_t rounded = (size + alignment - 1) / alignment * alignment;
  if (void* p = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded)) return p;
  throw std::bad_alloc();
}

[[gnu::noinline]] void give_back(void* p) { std::free(p); }
}  // namespace

// The program's own operator new, so that tests can count.
void* operator new(size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new[](size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new(size_t size, std::align_val_t align) {
  return counted(size, static_cast<size_t>(align));
}
void operator delete(void* p) noexcept { give_back(p); }
void operator delete[](void* p) noexcept { give_back(p); }
void operator delete(void* p, size_t) noexcept { give_back(p); }
void operator delete[](void* p, size_t) noexcept { give_back(p); }
void operator delete(void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { give_back(p); }

namespace nsop::layers {

int64_t allocation_count() { return allocations; }

namespace {

TEST(Allocations, AreCounted) {
  const int64_t before = allocation_count();
  const std::vector<float> some(10);
  EXPECT_EQ(allocation_count(), before + 1);
  EXPECT_EQ(some.size(), 10U);
}

class LayerAllocations : public EveryLayer {};
INSTANTIATE_TEST_SUITE_P(Layers, LayerAllocations, testing::ValuesIn(layer_kinds()),
                         layer_kind_name);

void check_allocations(const LayerCase& c) {
  for (const int threads : {1, 2}) {
    Prepared p(c.make(), c.in, threads);
    if (c.indices > 0) std::ranges::fill(p.x, 0.0f);
    const int64_t before = allocation_count();
    for (const bool training : {true, false}) {
      p.layer->set_training(training);
      p.forward();
      p.backward();
      p.layer->backward(p.x, p.y, p.dy, {});
    }
    EXPECT_EQ(allocation_count(), before) << threads;
  }
}

TEST_P(LayerAllocations, NoneInForwardAndBackward) { for_each_case(check_allocations); }

TEST(Allocations, NoneInAStepOfANetwork) {
  for (const int threads : {1, 2}) {
    Sequential net;
    net.add<Conv2D>(3, 16, ConvOptions{.pad = 1}).add<BatchNorm>(16).add<ReLU>();
    net.add<MaxPool2D>().add<Dropout>(0.25).add<Conv2D>(16, 16).add<GELU>().add<Flatten>();
    net.add<Dense>(16 * 3 * 3, 64).add<LayerNorm>(Shape{64}).add<Tanh>().add<Dense>(64, 10);
    net.add<LogSoftmax>();
    net.init({8, 3, 10, 10}, threads);
    Random random(1);
    net.init_parameters(random);
    const std::vector<float> x = random_values(8 * 3 * 10 * 10, 1);
    const std::vector<float> dy = random_values(8 * 10, 2);
    std::vector<float> dx(x.size());
    const int64_t before = allocation_count();
    for (int i = 0; i < 3; ++i) {
      net.set_training(i < 2);
      net.forward(x);
      net.backward(dy);
      net.backward(dy, dx);
    }
    EXPECT_EQ(allocation_count(), before) << threads;
  }
}

}  // namespace
}  // namespace nsop::layers
