// No layer allocates in forward() and backward().
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "layers/activations.h"
#include "layers/dense.h"
#include "layers/layer_cases.h"
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

class LayerAllocations : public testing::TestWithParam<LayerCase> {};
INSTANTIATE_TEST_SUITE_P(Layers, LayerAllocations, testing::ValuesIn(layer_cases()),
                         layer_case_name);

TEST_P(LayerAllocations, NoneInForwardAndBackward) {
  for (const int threads : {1, 2}) {
    Prepared p(GetParam().make(), GetParam().in, threads);
    if (GetParam().indices > 0) std::ranges::fill(p.x, 0.0f);
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

TEST(Allocations, NoneInAStepOfANetwork) {
  for (const int threads : {1, 2}) {
    Sequential net;
    net.add<Dense>(16, 64).add<ReLU>().add<Dense>(64, 64).add<Tanh>().add<Dense>(64, 4);
    net.init({32, 16}, threads);
    Random random(1);
    net.init_parameters(random);
    const std::vector<float> x = random_values(32 * 16, 1);
    const std::vector<float> dy = random_values(32 * 4, 2);
    std::vector<float> dx(x.size());
    const int64_t before = allocation_count();
    for (int i = 0; i < 3; ++i) {
      net.forward(x);
      net.backward(dy);
      net.backward(dy, dx);
    }
    EXPECT_EQ(allocation_count(), before) << threads;
  }
}

}  // namespace
}  // namespace nsop::layers
