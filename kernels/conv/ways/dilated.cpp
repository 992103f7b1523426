// Winograd for dilated convolutions over two axes. With dilation d, outputs whose rows and columns
// have the same remainders of d meet only inputs of one pair of remainders: d * d convolutions
// without dilation, done as so many more images. Inputs are sorted by remainders before and results
// after: 8 bytes per float of both tensors. Its rows are declared in rows.h.
#include <cassert>

#include "kernels/conv/ways/remainders.h"
#include "kernels/conv/ways/rows.h"
#include "kernels/conv/winograd/winograd.h"
#include "kernels/gemm/gemm.h"

namespace nsop::kernels {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;

// The convolution of each pair of remainders, all of them as images.
ConvShape remainders_of(const ConvShape& s) {
  const size_t d = s.width().dilation;
  ConvShape remainders = s;
  remainders.batch *= d * d;
  for (size_t i = 1; i < 3; ++i) {
    remainders.axes[i].in /= d;
    remainders.axes[i].pad /= d;
    remainders.axes[i].dilation = 1;
  }
  return remainders;
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
    const size_t remainder = channels * lines * columns;
    for (size_t plane = planes.begin; plane < planes.end; ++plane) {
      const size_t image = plane / channels;
      for (size_t row = 0; row < height; ++row) {
        const size_t first = (image * d + row % d) * d * remainder;
        const size_t line = plane % channels * lines + row / d;
        fn((plane * height + row) * width, first + line * columns, remainder);
      }
    }
  }

  template <class Fn>
  void for_each_line(ThreadPool& thread_pool, Fn&& fn) const {
    const auto parts = static_cast<size_t>(thread_pool.threads());
    thread_pool.parallel(thread_pool.threads(), [&](int part, int) {
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

void sort(const Sorting& t, In from, float* to, ThreadPool& thread_pool) {
  const LineSorter sorter = line_sorter();
  const size_t columns = t.width / t.d;
  t.for_each_line(thread_pool, [&](size_t whole, size_t sorted, size_t remainder) {
    sorter.sort(from.data() + whole, to + sorted, t.d, columns, remainder);
  });
}

void unsort(const Sorting& t, const float* from, Out to, ThreadPool& thread_pool) {
  const LineSorter sorter = line_sorter();
  const size_t columns = t.width / t.d;
  t.for_each_line(thread_pool, [&](size_t whole, size_t sorted, size_t remainder) {
    sorter.unsort(from + sorted, to.data() + whole, t.d, columns, remainder);
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

// The same dilation d > 1 on both axes, which divides their extents and padding, and
// winograd_pays() for the convolutions without dilation.
template <ConvPass kPass>
bool dilated_pays(const ConvShape& s) {
  const size_t d = s.width().dilation;
  const auto divides = [d](const ConvAxis& a) {
    return a.dilation == d && a.in % d == 0 && a.pad % d == 0;
  };
  const bool flat = s.depth().kernel == 1 && s.depth().in == 1 && s.depth().pad == 0;
  return d > 1 && flat && s.height().kernel > 1 && divides(s.height()) && divides(s.width()) &&
         winograd_pays(remainders_of(s), kPass);
}

template <ConvPass kPass>
size_t dilated_floats(const ConvShape& s, int threads) {
  return aligned_floats(sorting_of_x(s).floats()) + aligned_floats(sorting_of_y(s).floats()) +
         winograd_workspace_floats(remainders_of(s), kPass, threads);
}

void dilated_forward(const ConvShape& s, const ConvTensors& t, Out workspace,
                     ThreadPool& thread_pool) {
  assert(dilated_pays<ConvPass::kForward>(s));
  const SortedTensors sorted(s, workspace);
  sort(sorting_of_x(s), t.x, sorted.x.data(), thread_pool);
  winograd_forward(remainders_of(s), sorted.x, t.w, t.bias, sorted.y, sorted.rest, thread_pool);
  unsort(sorting_of_y(s), sorted.y.data(), t.y, thread_pool);
}

void dilated_data(const ConvShape& s, const ConvTensors& t, Out workspace,
                  ThreadPool& thread_pool) {
  assert(dilated_pays<ConvPass::kData>(s));
  const SortedTensors sorted(s, workspace);
  sort(sorting_of_y(s), t.dy, sorted.y.data(), thread_pool);
  winograd_backward_data(remainders_of(s), t.w, sorted.y, sorted.x, sorted.rest, thread_pool);
  unsort(sorting_of_x(s), sorted.x.data(), t.dx, thread_pool);
}

void dilated_weights(const ConvShape& s, const ConvTensors& t, Out workspace,
                     ThreadPool& thread_pool) {
  assert(dilated_pays<ConvPass::kWeights>(s));
  const SortedTensors sorted(s, workspace);
  sort(sorting_of_x(s), t.x, sorted.x.data(), thread_pool);
  sort(sorting_of_y(s), t.dy, sorted.y.data(), thread_pool);
  winograd_backward_weights(remainders_of(s), sorted.x, sorted.y, t.dw, sorted.rest, thread_pool);
}

std::string dilated_algorithm(const ConvShape& s) {
  const size_t d = s.width().dilation;
  return "winograd F(4x4,3x3) of " + std::to_string(d * d) + " remainders";
}

}  // namespace

constinit const ConvWay kDilatedForward = {.name = "dilated winograd",
                                           .pass = ConvPass::kForward,
                                           .pays = dilated_pays<ConvPass::kForward>,
                                           .floats = dilated_floats<ConvPass::kForward>,
                                           .run = dilated_forward,
                                           .describe = dilated_algorithm,
                                           .threads = winograd_threads};
constinit const ConvWay kDilatedData = {.name = "dilated winograd",
                                        .pass = ConvPass::kData,
                                        .pays = dilated_pays<ConvPass::kData>,
                                        .floats = dilated_floats<ConvPass::kData>,
                                        .run = dilated_data,
                                        .describe = dilated_algorithm,
                                        .threads = winograd_threads};
constinit const ConvWay kDilatedWeights = {.name = "dilated winograd",
                                           .pass = ConvPass::kWeights,
                                           .pays = dilated_pays<ConvPass::kWeights>,
                                           .floats = dilated_floats<ConvPass::kWeights>,
                                           .run = dilated_weights,
                                           .describe = dilated_algorithm,
                                           .threads = winograd_threads};

}  // namespace nsop::kernels
