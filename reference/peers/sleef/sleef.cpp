// SLEEF: a loop over vectors that calls the library's 1.0 ULP function of each, as its
// documentation has it. The library has no threads and no loops of its own.
#include <fmt/format.h>
#include <immintrin.h>
#include <sleef.h>

#include "reference/peers/peer.h"

// What follows is compiled for these instruction sets and runs only where targets() finds them. The
// header declares functions only where the whole file is compiled so.
#pragma GCC push_options
#pragma GCC target("avx512f,avx2,fma")
extern "C" {
#define NSOP_SLEEF_FUNCTION(name)             \
  __m512 Sleef_##name##16_u10avx512f(__m512); \
  __m256 Sleef_##name##8_u10avx2(__m256);
NSOP_SLEEF_FUNCTION(expf)
NSOP_SLEEF_FUNCTION(logf)
NSOP_SLEEF_FUNCTION(log2f)
NSOP_SLEEF_FUNCTION(log10f)
NSOP_SLEEF_FUNCTION(sinf)
NSOP_SLEEF_FUNCTION(cosf)
NSOP_SLEEF_FUNCTION(tanhf)
#undef NSOP_SLEEF_FUNCTION
}

namespace nsop::reference::peers {
namespace {

template <__m512 (*kFunction)(__m512)>
void map_avx512(const float* x, float* y, size_t n) {
  size_t i = 0;
  for (; i + 16 <= n; i += 16) _mm512_storeu_ps(y + i, kFunction(_mm512_loadu_ps(x + i)));
  if (i == n) return;
  const auto rest = static_cast<__mmask16>((1U << (n - i)) - 1);
  _mm512_mask_storeu_ps(y + i, rest, kFunction(_mm512_maskz_loadu_ps(rest, x + i)));
}

}  // namespace
}  // namespace nsop::reference::peers
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx2,fma")
namespace nsop::reference::peers {
namespace {

template <__m256 (*kFunction)(__m256)>
void map_avx2(const float* x, float* y, size_t n) {
  size_t i = 0;
  for (; i + 8 <= n; i += 8) _mm256_storeu_ps(y + i, kFunction(_mm256_loadu_ps(x + i)));
  if (i == n) return;
  const __m256i places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i rest = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n - i)), places);
  _mm256_maskstore_ps(y + i, rest, kFunction(_mm256_maskload_ps(x + i, rest)));
}

}  // namespace
}  // namespace nsop::reference::peers
#pragma GCC pop_options

namespace nsop::reference::peers {
namespace {

using Map = void (*)(const float* x, float* y, size_t n);

struct Function {
  const char* op;
  const char* name;
  Map avx512;
  Map avx2;
};

constexpr Function kFunctions[] = {
    {"exp", "expf", map_avx512<Sleef_expf16_u10avx512f>, map_avx2<Sleef_expf8_u10avx2>},
    {"log", "logf", map_avx512<Sleef_logf16_u10avx512f>, map_avx2<Sleef_logf8_u10avx2>},
    {"log2", "log2f", map_avx512<Sleef_log2f16_u10avx512f>, map_avx2<Sleef_log2f8_u10avx2>},
    {"log10", "log10f", map_avx512<Sleef_log10f16_u10avx512f>, map_avx2<Sleef_log10f8_u10avx2>},
    {"sin", "sinf", map_avx512<Sleef_sinf16_u10avx512f>, map_avx2<Sleef_sinf8_u10avx2>},
    {"cos", "cosf", map_avx512<Sleef_cosf16_u10avx512f>, map_avx2<Sleef_cosf8_u10avx2>},
    {"tanh", "tanhf", map_avx512<Sleef_tanhf16_u10avx512f>, map_avx2<Sleef_tanhf8_u10avx2>},
};

std::string target(const char* instructions) {
  return fmt::format("{}.{}.{}-{}", SLEEF_VERSION_MAJOR, SLEEF_VERSION_MINOR,
                     SLEEF_VERSION_PATCHLEVEL, instructions);
}

// Best first; what this machine can run.
std::vector<std::string> targets() {
  std::vector<std::string> names;
  if (__builtin_cpu_supports("avx512f")) names.push_back(target("AVX512F"));
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    names.push_back(target("AVX2"));
  }
  return names;
}

std::string refused(const Case& c, int threads) {
  if (threads > 1) return "SLEEF has no threads";
  return c.str("pass") == "forward" ? "" : "SLEEF has no backward passes";
}

Variant variant(const Function& function) {
  const auto prepare = [&function](const StepRequest& request) {
    const Map map = request.target == target("AVX512F") ? function.avx512 : function.avx2;
    const std::span<const float> x = request.inputs[0].data();
    const std::span<float> y = request.outputs[0].data();
    return call_step(request, fmt::format("Sleef_{}_u10", function.name), 0,
                     [map, x, y] { map(x.data(), y.data(), x.size()); });
  };
  return peer_variant(function.op, "sleef", "A loop over the vectors of a 1.0 ULP function.",
                      targets, refused, prepare);
}

const VariantRow rows[] = {
    VariantRow(variant(kFunctions[0])), VariantRow(variant(kFunctions[1])),
    VariantRow(variant(kFunctions[2])), VariantRow(variant(kFunctions[3])),
    VariantRow(variant(kFunctions[4])), VariantRow(variant(kFunctions[5])),
    VariantRow(variant(kFunctions[6])),
};

}  // namespace
}  // namespace nsop::reference::peers
