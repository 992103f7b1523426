#include "kernels/opencl/source.h"

namespace nsop::kernels::opencl {

// Products: a group of 16 x 16 work items makes 64 x 64 outputs, each item 4 x 4 of them, from
// tiles of 16 columns of a and rows of b in local memory; a convolution is such a product whose b
// is read from the image as it is needed (implicit im2col).
const char* const kSource = R"CL(
kernel void relu(global const float* x, global float* y, const uint n) {
  const size_t i = get_global_id(0);
  if (i < n) y[i] = x[i] > 0.0f ? x[i] : 0.0f;
}

kernel void tanh_forward(global const float* x, global float* y, const uint n) {
  const size_t i = get_global_id(0);
  if (i < n) y[i] = tanh(x[i]);
}

kernel void sigmoid(global const float* x, global float* y, const uint n) {
  const size_t i = get_global_id(0);
  if (i < n) y[i] = 1.0f / (1.0f + exp(-x[i]));
}

kernel void add(global const float* a, global const float* b, global float* y, const uint n) {
  const size_t i = get_global_id(0);
  if (i < n) y[i] = a[i] + b[i];
}

// One sum a group: every item adds a strided part, then the group halves what is left.
kernel void sum(global const float* x, global float* sums, const uint n) {
  local float part[GROUP];
  const uint item = get_local_id(0);
  float total = 0.0f;
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0)) total += x[i];
  part[item] = total;
  for (uint count = GROUP / 2; count > 0; count /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < count) part[item] += part[item + count];
  }
  if (item == 0) sums[get_group_id(0)] = part[0];
}

#define TILE 64
#define DEPTH 16
#define EACH 4

// The products of two tiles, added to each item's outputs.
void multiply(local const float (*a)[TILE + 1], local const float (*b)[TILE + 1],
              float sums[EACH][EACH]) {
  const uint row = get_local_id(1), column = get_local_id(0);
  for (uint k = 0; k < DEPTH; ++k) {
    float left[EACH], right[EACH];
    for (uint i = 0; i < EACH; ++i) left[i] = a[k][row + 16 * i];
    for (uint j = 0; j < EACH; ++j) right[j] = b[k][column + 16 * j];
    for (uint i = 0; i < EACH; ++i) {
      for (uint j = 0; j < EACH; ++j) sums[i][j] = fma(left[i], right[j], sums[i][j]);
    }
  }
}

// Writes the outputs that lie in y, m rows of n. Output (i, j) has the bias of i * bias_row +
// j * bias_column, if there is one.
void store(global float* y, const uint m, const uint n, float sums[EACH][EACH],
           global const float* bias, const uint has_bias, const uint bias_row,
           const uint bias_column) {
  for (uint i = 0; i < EACH; ++i) {
    const uint row = get_group_id(1) * TILE + get_local_id(1) + 16 * i;
    for (uint j = 0; j < EACH; ++j) {
      const uint column = get_group_id(0) * TILE + get_local_id(0) + 16 * j;
      if (row < m && column < n) {
        y[(size_t)row * n + column] =
            sums[i][j] + (has_bias ? bias[row * bias_row + column * bias_column] : 0.0f);
      }
    }
  }
}

// y[z] = a[z] * b[z] + bias: element (i, k) of a lies at i * a_row + k * a_column, likewise b's
// (k, j); y is m rows of n. Work items: columns, rows, matrices.
kernel void matmul(global const float* a, global const float* b, global const float* bias,
                   global float* y, const uint m, const uint n, const uint depth,
                   const uint a_row, const uint a_column, const uint b_row, const uint b_column,
                   const uint has_bias) {
  local float left[DEPTH][TILE + 1], right[DEPTH][TILE + 1];
  const size_t z = get_group_id(2);
  a += z * m * depth;
  b += z * n * depth;
  y += z * m * n;
  const uint item = get_local_id(1) * 16 + get_local_id(0);
  const uint top = get_group_id(1) * TILE, start = get_group_id(0) * TILE;
  float sums[EACH][EACH] = {{0.0f}};
  for (uint first = 0; first < depth; first += DEPTH) {
    for (uint at = item; at < DEPTH * TILE; at += 256) {
      // Neighbouring items read what lies side by side.
      const uint ak = a_column == 1 ? at % DEPTH : at / TILE;
      const uint ai = a_column == 1 ? at / DEPTH : at % TILE;
      const uint bk = b_row == 1 ? at % DEPTH : at / TILE;
      const uint bj = b_row == 1 ? at / DEPTH : at % TILE;
      const uint i = top + ai, j = start + bj;
      left[ak][ai] = i < m && first + ak < depth
          ? a[(size_t)i * a_row + (size_t)(first + ak) * a_column] : 0.0f;
      right[bk][bj] = j < n && first + bk < depth
          ? b[(size_t)(first + bk) * b_row + (size_t)j * b_column] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    multiply(left, right, sums);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  store(y, m, n, sums, bias, has_bias, 0, 1);
}

// NCHW. Work items: pixels of the output, output channels of a group, groups of all images.
kernel void conv2d(global const float* x, global const float* w, global const float* bias,
                   global float* y, const uint channels, const uint height, const uint width,
                   const uint out, const uint kernel_size, const uint stride, const uint pad,
                   const uint dilation, const uint out_height, const uint out_width,
                   const uint groups, const uint has_bias) {
  local float left[DEPTH][TILE + 1], right[DEPTH][TILE + 1];
  const uint group = get_group_id(2) % groups;
  const size_t image = get_group_id(2) / groups;
  const uint group_in = channels / groups, group_out = out / groups;
  const uint taps = kernel_size * kernel_size, depth = group_in * taps;
  const uint pixels = out_height * out_width;
  x += (image * channels + group * group_in) * height * width;
  w += (size_t)group * group_out * depth;
  y += (image * out + group * group_out) * pixels;
  const uint item = get_local_id(1) * 16 + get_local_id(0);
  const uint top = get_group_id(1) * TILE, start = get_group_id(0) * TILE;
  float sums[EACH][EACH] = {{0.0f}};
  for (uint first = 0; first < depth; first += DEPTH) {
    for (uint at = item; at < DEPTH * TILE; at += 256) {
      const uint i = top + at / DEPTH, k = first + at % DEPTH;
      left[at % DEPTH][at / DEPTH] = i < group_out && k < depth ? w[(size_t)i * depth + k] : 0.0f;
      const uint patch = first + at / TILE, pixel = start + at % TILE;
      float value = 0.0f;
      if (patch < depth && pixel < pixels) {
        const uint channel = patch / taps, tap = patch % taps;
        const int iy = (int)(pixel / out_width * stride + tap / kernel_size * dilation) - (int)pad;
        const int ix = (int)(pixel % out_width * stride + tap % kernel_size * dilation) - (int)pad;
        if (iy >= 0 && iy < (int)height && ix >= 0 && ix < (int)width) {
          value = x[((size_t)channel * height + iy) * width + ix];
        }
      }
      right[at / TILE][at % TILE] = value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    multiply(left, right, sums);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  store(y, group_out, pixels, sums, bias + group * group_out, has_bias, 1, 0);
}

// The largest value of each window and where it is in its plane; the first NaN, if there is one.
kernel void maxpool2d(global const float* x, global float* y, global float* index,
                      const uint planes, const uint height, const uint width,
                      const uint kernel_size, const uint stride, const uint pad,
                      const uint out_height, const uint out_width) {
  const size_t i = get_global_id(0);
  const size_t pixels = (size_t)out_height * out_width;
  if (i >= planes * pixels) return;
  x += i / pixels * height * width;
  const int top = (int)(i % pixels / out_width * stride) - (int)pad;
  const int start = (int)(i % out_width * stride) - (int)pad;
  const int bottom = min(top + (int)kernel_size, (int)height);
  const int end = min(start + (int)kernel_size, (int)width);
  int winner = max(top, 0) * (int)width + max(start, 0);
  float best = x[winner];
  for (int iy = max(top, 0); iy < bottom; ++iy) {
    for (int ix = max(start, 0); ix < end; ++ix) {
      const float value = x[iy * (int)width + ix];
      if (value > best || (isnan(value) && !isnan(best))) {
        best = value;
        winner = iy * (int)width + ix;
      }
    }
  }
  y[i] = best;
  index[i] = (float)winner;
}
)CL";

}  // namespace nsop::kernels::opencl
