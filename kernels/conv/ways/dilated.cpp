#include "kernels/conv/ways/dilated.h"

#include <cassert>

#include "kernels/conv/winograd/winograd.h"
#include "kernels/gemm/gemm.h"

namespace nsop::kernels {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;

// The convolution of each pair of remainders, all of them as images.
ConvShape phases_of(const ConvShape& s) {
  const size_t d = s.width().dilation;
  ConvShape phases = s;
  phases.batch *= d * d;
  for (size_t i = 1; i < 3; ++i) {
    phases.axes[i].in /= d;
    phases.axes[i].pad /= d;
    phases.axes[i].dilation = 1;
  }
  return phases;
}

// A tensor [images, channels, height, width], and the same sorted: [images, row remainder, column
// remainder, channels, height / d, width / d].
struct Sorting {
  size_t images, channels, height, width, d;

  size_t floats() const { return images * channels * height * width; }

  // Calls fn(place of a whole line, place of the first float with remainder 0 in a sorted one,
  // floats from one remainder to the next) for all lines of the channels in `planes`.
  template <class Fn>
  void for_each_line(Range planes, Fn&& fn) const {
    const size_t lines = height / d;
    const size_t columns = width / d;
    const size_t phase = channels * lines * columns;
    for (size_t plane = planes.begin; plane < planes.end; ++plane) {
      const size_t image = plane / channels;
      for (size_t row = 0; row < height; ++row) {
        const size_t first = (image * d + row % d) * d * phase;
        const size_t line = plane % channels * lines + row / d;
        fn((plane * height + row) * width, first + line * columns, phase);
      }
    }
  }

  template <class Fn>
  void for_each_line(ThreadPool& pool, Fn&& fn) const {
    const auto parts = static_cast<size_t>(pool.threads());
    pool.parallel(pool.threads(), [&](int part, int) {
      for_each_line(split_range(images * channels, 1, parts, static_cast<size_t>(part)), fn);
    });
  }
};

Sorting sorting_of_x(const ConvShape& s) {
  return {s.batch, s.in_channels, s.height().in, s.width().in, s.width().dilation};
}

Sorting sorting_of_y(const ConvShape& s) {
  return {s.batch, s.out_channels, s.height().out(), s.width().out(), s.width().dilation};
}

void sort(const Sorting& t, In from, float* to, ThreadPool& pool) {
  t.for_each_line(pool, [&](size_t whole, size_t sorted, size_t phase) {
    const float* line = from.data() + whole;
    for (size_t i = 0; i < t.d; ++i) {
      float* at = to + sorted + i * phase;
      for (size_t j = 0; j < t.width / t.d; ++j) at[j] = line[j * t.d + i];
    }
  });
}

void unsort(const Sorting& t, const float* from, Out to, ThreadPool& pool) {
  t.for_each_line(pool, [&](size_t whole, size_t sorted, size_t phase) {
    float* line = to.data() + whole;
    for (size_t i = 0; i < t.d; ++i) {
      const float* at = from + sorted + i * phase;
      for (size_t j = 0; j < t.width / t.d; ++j) line[j * t.d + i] = at[j];
    }
  });
}

// The parts of the workspace.
struct SortedTensors {
  Out x, y, rest;
  SortedTensors(const ConvShape& s, Out workspace) {
    const size_t x_floats = aligned_floats(sorting_of_x(s).floats());
    const size_t y_floats = aligned_floats(sorting_of_y(s).floats());
    x = workspace.first(sorting_of_x(s).floats());
    y = workspace.subspan(x_floats, sorting_of_y(s).floats());
    rest = workspace.subspan(x_floats + y_floats);
  }
};

}  // namespace

bool dilated_winograd_pays(const ConvShape& s, ConvPass pass) {
  const size_t d = s.width().dilation;
  const auto divides = [d](const ConvAxis& a) {
    return a.dilation == d && a.in % d == 0 && a.pad % d == 0;
  };
  const bool flat = s.depth().kernel == 1 && s.depth().in == 1 && s.depth().pad == 0;
  return d > 1 && flat && s.height().kernel > 1 && divides(s.height()) && divides(s.width()) &&
         winograd_pays(phases_of(s), pass);
}

size_t dilated_workspace_floats(const ConvShape& s, ConvPass pass, int threads) {
  return aligned_floats(sorting_of_x(s).floats()) + aligned_floats(sorting_of_y(s).floats()) +
         winograd_workspace_floats(phases_of(s), pass, threads);
}

void dilated_forward(const ConvShape& s, In x, In w, In bias, Out y, Out workspace,
                     ThreadPool& pool) {
  assert(dilated_winograd_pays(s, ConvPass::kForward));
  const SortedTensors sorted(s, workspace);
  sort(sorting_of_x(s), x, sorted.x.data(), pool);
  winograd_forward(phases_of(s), sorted.x, w, bias, sorted.y, sorted.rest, pool);
  unsort(sorting_of_y(s), sorted.y.data(), y, pool);
}

void dilated_backward_data(const ConvShape& s, In w, In dy, Out dx, Out workspace,
                           ThreadPool& pool) {
  assert(dilated_winograd_pays(s, ConvPass::kData));
  const SortedTensors sorted(s, workspace);
  sort(sorting_of_y(s), dy, sorted.y.data(), pool);
  winograd_backward_data(phases_of(s), w, sorted.y, sorted.x, sorted.rest, pool);
  unsort(sorting_of_x(s), sorted.x.data(), dx, pool);
}

void dilated_backward_weights(const ConvShape& s, In x, In dy, Out dw, Out workspace,
                              ThreadPool& pool) {
  assert(dilated_winograd_pays(s, ConvPass::kWeights));
  const SortedTensors sorted(s, workspace);
  sort(sorting_of_x(s), x, sorted.x.data(), pool);
  sort(sorting_of_y(s), dy, sorted.y.data(), pool);
  winograd_backward_weights(phases_of(s), sorted.x, sorted.y, dw, sorted.rest, pool);
}

std::string dilated_algorithm(const ConvShape& s) {
  const size_t d = s.width().dilation;
  return "winograd F(4x4,3x3) of " + std::to_string(d * d) + " phases";
}

}  // namespace nsop::kernels
