// Memory traffic at full speed: what a cache level or the memory gives.
#pragma once

#include <span>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// Through the caches, or past them (non-temporal: nothing is fetched to be overwritten).
enum class Stores { kPlain, kNontemporal };

// Every function uses all threads of the pool, however small the work. Spans of a call have equal
// sizes (assert) and don't overlap. Nontemporal stores need 64-byte aligned outputs.

// The sum of x in an order that depends on the number of threads only. `partial` holds 16 floats
// per thread (assert).
float stream_read(std::span<const float> x, std::span<float> partial, ThreadPool& thread_pool);
// y[i] = s
void stream_write(float s, std::span<float> y, Stores stores, ThreadPool& thread_pool);
// y[i] = x[i]
void stream_copy(std::span<const float> x, std::span<float> y, Stores stores,
                 ThreadPool& thread_pool);
// y[i] = a[i] + s b[i]
void stream_triad(std::span<const float> a, std::span<const float> b, float s, std::span<float> y,
                  Stores stores, ThreadPool& thread_pool);

}  // namespace nsop::kernels
