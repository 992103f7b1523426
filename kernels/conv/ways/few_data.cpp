// The gradient of the data of convolutions with one input channel per group, such as a first
// layer's: for every column of the kernel one row of products with dy, which are then added,
// shifted against each other. Its rows are declared in rows.h.
#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "kernels/conv/shape/band.h"
#include "kernels/conv/ways/lines_tiles.h"
#include "kernels/conv/ways/rows.h"
#include "kernels/gemm/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/ways/few_data.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/gemm/tile-inl.h"

#ifndef NSOP_KERNELS_CONV_FEW_DATA_TYPES_
#define NSOP_KERNELS_CONV_FEW_DATA_TYPES_
namespace nsop::kernels {

// Products are summed over three loops, the innermost first.
struct FewLoop {
  size_t count;
  ptrdiff_t dy;  // floats from one step to the next
  ptrdiff_t w;
};

// Lines of dx whose taps inside the image are the same: for kernel column k and line i,
// products[i][k][column of dy] = sum of w[k] dy, the columns of dy being line.
struct FewLines {
  std::array<FewLoop, 3> loops;
  const float* dy;  // for the first line
  size_t dy_line;   // floats from one line to the next
  size_t width;     // of dy
  const float* w;
  size_t columns;  // of the kernel
  size_t lines;
  float* products;
  size_t row;  // floats from one column of the kernel to the next
};

// dx[i] = sum over k of products[k][i + first - k * dilation]
struct FewCombination {
  const float* products;
  size_t row;
  size_t columns;
  size_t first;
  size_t dilation;
  float* dx;
  size_t width;  // of dx
};

constexpr size_t kMostFewColumns = 12;

}  // namespace nsop::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// A loaded vector that stays in a register: g++ would rather load it again for each use.
HWY_INLINE FloatVec kept(FloatVec v) {
#if HWY_ARCH_X86 && (HWY_COMPILER_GCC || HWY_COMPILER_CLANG) && HWY_TARGET != HWY_SCALAR
  asm("" : "+v"(v.raw));
#endif
  return v;
}

// sum[i][v] += w[i] * dy[v][offset]. The fewer of weights and vectors stay in registers.
template <size_t kRows, size_t kVectors>
HWY_INLINE void add_few_products(const float* const (&dy)[kVectors], ptrdiff_t offset,
                                 const float* w, FloatVec (&sum)[kRows][kVectors]) {
  const FloatTag d;
  if constexpr (kRows < kVectors) {
    FloatVec factor[kRows];
    HWY_UNROLL(12)
    for (size_t i = 0; i < kRows; ++i) factor[i] = hn::Set(d, w[i]);
    HWY_UNROLL(8)
    for (size_t v = 0; v < kVectors; ++v) {
      const FloatVec from = kept(hn::LoadU(d, dy[v] + offset));
      HWY_UNROLL(12)
      for (size_t i = 0; i < kRows; ++i) sum[i][v] = hn::MulAdd(factor[i], from, sum[i][v]);
    }
  } else {
    FloatVec from[kVectors];
    HWY_UNROLL(8)
    for (size_t v = 0; v < kVectors; ++v) from[v] = kept(hn::LoadU(d, dy[v] + offset));
    HWY_UNROLL(12)
    for (size_t i = 0; i < kRows; ++i) {
      const FloatVec factor = hn::Set(d, w[i]);
      HWY_UNROLL(8)
      for (size_t v = 0; v < kVectors; ++v) sum[i][v] = hn::MulAdd(factor, from[v], sum[i][v]);
    }
  }
}

// A vector of the lines.
struct FewPlace {
  size_t dy;  // floats from the first
  size_t product;
  size_t column;
};

// The next kVectors vectors of the lines, from `place` on.
template <size_t kRows, size_t kVectors>
void few_products(const FewLines& f, FewPlace& place) {
  const FloatTag d;
  const float* dy[kVectors];
  float* to[kVectors];
  for (size_t v = 0; v < kVectors; ++v) {
    dy[v] = f.dy + place.dy + place.column;
    to[v] = f.products + place.product + place.column;
    place.column += kLanes;
    if (place.column < f.width) continue;
    place = {place.dy + f.dy_line, place.product + kRows * f.row, 0};
  }
  FloatVec sum[kRows][kVectors];
  HWY_UNROLL(12)
  for (size_t i = 0; i < kRows; ++i) {
    HWY_UNROLL(8)
    for (size_t v = 0; v < kVectors; ++v) {
      sum[i][v] = hn::Zero(d);
    }
  }
  const auto& [inner, middle, outer] = f.loops;
  for (size_t a = 0; a < outer.count; ++a) {
    for (size_t b = 0; b < middle.count; ++b) {
      ptrdiff_t offset =
          static_cast<ptrdiff_t>(a) * outer.dy + static_cast<ptrdiff_t>(b) * middle.dy;
      const float* w =
          f.w + static_cast<ptrdiff_t>(a) * outer.w + static_cast<ptrdiff_t>(b) * middle.w;
      for (size_t c = 0; c < inner.count; ++c, offset += inner.dy, w += inner.w) {
        add_few_products(dy, offset, w, sum);
      }
    }
  }
  HWY_UNROLL(12)
  for (size_t i = 0; i < kRows; ++i) {
    HWY_UNROLL(8)
    for (size_t v = 0; v < kVectors; ++v) hn::StoreU(sum[i][v], d, to[v] + i * f.row);
  }
}

constexpr size_t kFewVectors = kAccumulators / 3;  // kernels of three columns are the most common

using FewProducts = void (*)(const FewLines& f, FewPlace& place);
using FewProductsTable = std::array<std::array<FewProducts, kMostFewColumns>, kFewVectors>;

template <size_t kVectors, size_t... kRow>
constexpr void fill_few_products(FewProductsTable& table, std::index_sequence<kRow...> /*rows*/) {
  ((table[kVectors - 1][kRow] = few_products<kRow + 1, kVectors>), ...);
}
template <size_t... kVector>
constexpr FewProductsTable few_products_table(std::index_sequence<kVector...> /*vectors*/) {
  FewProductsTable table{};
  (fill_few_products<kVector + 1>(table, std::make_index_sequence<tile_rows(kVector + 1)>()), ...);
  return table;
}

void few_lines(const FewLines& f) {
  static constexpr FewProductsTable kTable =
      few_products_table(std::make_index_sequence<kFewVectors>());
  size_t most = kFewVectors;
  while (tile_rows(most) < f.columns) --most;
  const EvenParts parts(f.lines * f.width / kLanes, most);
  FewPlace place{};
  for (uint32_t part = 0; part < parts.count; ++part) {
    kTable[parts[part] - 1][f.columns - 1](f, place);
  }
}

void combine_few(const FewCombination& f) {
  const FloatTag d;
  for (size_t i = 0; i < f.width; i += kLanes) {
    const float* from = f.products + f.first + i;
    FloatVec sum = hn::LoadU(d, from);
    for (size_t k = 1; k < f.columns; ++k) {
      sum = hn::Add(sum, hn::LoadU(d, from + k * f.row - k * f.dilation));
    }
    if (i + kLanes <= f.width) {
      hn::StoreU(sum, d, f.dx + i);
    } else {
      store_n(sum, d, f.dx + i, f.width - i);
    }
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

using Out = std::span<float>;

HWY_EXPORT(few_lines);
HWY_EXPORT(combine_few);

// The products of a line of dx: columns of dy, and margins of zeros on both sides of them.
struct FewRows {
  size_t left;   // floats before the columns of dy, whole vectors
  size_t row;    // floats per column of the kernel
  size_t lines;  // of dx that are done at once

  explicit FewRows(const ConvShape& s) {
    const ConvAxis& w = s.width();
    left = aligned_floats(w.extent());
    row = left + w.out() + aligned_floats(w.pad + w.in) - std::min(w.out(), w.in) + 16;
    constexpr size_t kBudget = 4096;  // floats
    lines = std::clamp<size_t>(kBudget / (row * w.kernel), 1, s.height().in);
  }
  size_t floats(const ConvShape& s) const { return aligned_floats(lines * s.width().kernel * row); }
};

// The taps of an axis for input i that meet an output, for stride 1: output i + pad - tap *
// dilation.
Range taps_of_input(const ConvAxis& a, size_t i) {
  Range taps{0, a.kernel};
  const auto meets = [&](size_t tap) {
    return i + a.pad >= tap * a.dilation && i + a.pad - tap * a.dilation < a.out();
  };
  while (taps.begin < taps.end && !meets(taps.begin)) ++taps.begin;
  while (taps.begin < taps.end && !meets(taps.end - 1)) --taps.end;
  return taps;
}

// Lines of one slice of dx of one image and channel.
class FewSlice {
 public:
  FewSlice(const ConvShape& s, const float* w, const float* dy, float* dx, size_t slice,
           float* products)
      : s_(s), rows_(s), w_(w), dy_(dy), dx_(dx), slice_(slice), products_(products) {
    slice_taps_ = taps_of_input(s.depth(), slice);
  }

  void run(Range own) const {
    for (size_t line = own.begin, count = 0; line < own.end; line += count) {
      const Range taps = taps_of_input(s_.height(), line);
      count = 1;
      while (count < rows_.lines && line + count < own.end) {
        const Range next = taps_of_input(s_.height(), line + count);
        if (next.begin != taps.begin || next.end != taps.end) break;
        ++count;
      }
      run_lines(line, count, taps);
    }
  }

 private:
  void run_lines(size_t line, size_t count, Range row_taps) const {
    const auto& [depth, height, width] = s_.axes;
    float* to = dx_ + (slice_ * height.in + line) * width.in;
    if (row_taps.size() == 0 || slice_taps_.size() == 0) {
      std::fill_n(to, count * width.in, 0.0f);
      return;
    }
    const auto at = [](const ConvAxis& a, size_t i, size_t tap) {
      return i + a.pad - tap * a.dilation;
    };
    const auto step = [](size_t floats) { return static_cast<ptrdiff_t>(floats); };
    const size_t line_floats = width.out();
    const size_t plane_taps = height.kernel * width.kernel;
    const FewLoop slices{slice_taps_.size(), -step(depth.dilation * height.out() * line_floats),
                         step(plane_taps)};
    const FewLoop rows{row_taps.size(), -step(height.dilation * line_floats), step(width.kernel)};
    const FewLoop outs{s_.group_out(), step(s_.out_pixels()), step(s_.taps())};
    const bool flat = rows.count == 1;  // the longer loop inside
    const size_t first =
        at(depth, slice_, slice_taps_.begin) * height.out() + at(height, line, row_taps.begin);
    const FewLines lines{
        .loops = flat ? std::array{outs, rows, slices} : std::array{rows, slices, outs},
        .dy = dy_ + first * line_floats,
        .dy_line = line_floats,
        .width = line_floats,
        .w = w_ + slice_taps_.begin * plane_taps + row_taps.begin * width.kernel,
        .columns = width.kernel,
        .lines = count,
        .products = products_ + rows_.left,
        .row = rows_.row};
    HWY_DYNAMIC_DISPATCH(few_lines)(lines);
    for (size_t i = 0; i < count; ++i, to += width.in) {
      HWY_DYNAMIC_DISPATCH(combine_few)
      ({.products = products_ + i * width.kernel * rows_.row,
        .row = rows_.row,
        .columns = width.kernel,
        .first = rows_.left + width.pad,
        .dilation = width.dilation,
        .dx = to,
        .width = width.in});
    }
  }

  const ConvShape& s_;
  FewRows rows_;
  const float* w_;
  const float* dy_;
  float* dx_;
  size_t slice_;
  float* products_;
  Range slice_taps_;
};

// Zeros on both sides of each row of products: what is shifted in from there.
void clear_margins(const ConvShape& s, float* products) {
  const FewRows rows(s);
  const size_t end = rows.left + s.width().out();
  for (size_t i = 0; i < rows.lines * s.width().kernel; ++i, products += rows.row) {
    std::fill_n(products, rows.left, 0.0f);
    std::fill_n(products + end, rows.row - end, 0.0f);
  }
}

// Wants stride 1, no average, kernels of 2 to 12 columns, 4 output channels per group and lines of
// dy that are whole vectors.
bool few_data_pays(const ConvShape& s) {
  const ConvAxis& width = s.width();
  const bool stride1 = s.all_axes([](const ConvAxis& a) { return a.stride == 1; });
  return stride1 && !s.mean && s.group_in() == 1 && s.group_out() >= 4 && width.kernel >= 2 &&
         width.kernel <= kMostFewColumns && width.out() % line_target().lanes == 0;
}

size_t few_data_floats(const ConvShape& s, int threads) {
  return static_cast<size_t>(threads) * FewRows(s).floats(s);
}

void few_data(const ConvShape& s, const ConvTensors& t, Out workspace, ThreadPool& thread_pool) {
  const size_t own = FewRows(s).floats(s);
  const auto threads = static_cast<size_t>(thread_pool.threads());
  assert(workspace.size() >= own * threads);
  const size_t slices = s.depth().in;
  const size_t lines = s.height().in;
  const size_t all = s.batch * s.groups * slices * lines;
  const size_t parts = std::min(threads, all);
  thread_pool.parallel(static_cast<int>(parts), [&](int part, int) {
    float* products = workspace.data() + static_cast<size_t>(part) * own;
    clear_margins(s, products);
    const Range mine = split_range(all, 1, parts, static_cast<size_t>(part));
    for (size_t line = mine.begin, end = 0; line < mine.end; line = end) {
      const size_t slice = line / lines;
      end = std::min(mine.end, (slice + 1) * lines);
      const size_t unit = slice / slices;
      FewSlice(s, t.w.data() + unit % s.groups * s.group_out() * s.patch(),
               t.dy.data() + unit * s.group_out() * s.out_pixels(),
               t.dx.data() + unit * s.in_pixels(), slice % slices, products)
          .run({line - slice * lines, end - slice * lines});
    }
  });
}

std::string few_data_algorithm(const ConvShape& /*shape*/) {
  return "a row of products per column of the kernel";
}

}  // namespace

constinit const ConvWay kFewData = {.name = "few channels",
                                    .pass = ConvPass::kData,
                                    .pays = few_data_pays,
                                    .floats = few_data_floats,
                                    .run = few_data,
                                    .describe = few_data_algorithm};

}  // namespace nsop::kernels
#endif  // HWY_ONCE
