// dense as the reports' "before": textbook loops, offsets computed where they are used, fresh
// results. Forward keeps the one intermediate tensor that the reports name: the bias, broadcast to
// the shape of the output.
#include "reference/before/elementwise.h"

namespace nsop::reference::before {
namespace {

// x [batch,in], w [out,in] (output step `in`, input step 1) or [in,out] (1, `out`), y [batch,out]
struct Sizes {
  int64_t batch, in, out;
  int64_t w_out_step, w_in_step;
};

Floats forward(const Sizes& s, const float* x, const float* w, const float* b) {
  Floats y(s.batch * s.out);
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t o = 0; o < s.out; ++o) {
      float sum = 0;
      for (int64_t i = 0; i < s.in; ++i) {
        sum += x[n * s.in + i] * w[o * s.w_out_step + i * s.w_in_step];
      }
      y[n * s.out + o] = sum;
    }
  }
  if (b == nullptr) return y;
  Floats bias(s.batch * s.out);
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t o = 0; o < s.out; ++o) bias[n * s.out + o] = b[o];
  }
  for (int64_t i = 0; i < s.batch * s.out; ++i) y[i] += bias[i];
  return y;
}

Floats input_gradient(const Sizes& s, const float* w, const float* dy) {
  Floats dx(s.batch * s.in);
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t i = 0; i < s.in; ++i) {
      float sum = 0;
      for (int64_t o = 0; o < s.out; ++o) {
        sum += dy[n * s.out + o] * w[o * s.w_out_step + i * s.w_in_step];
      }
      dx[n * s.in + i] = sum;
    }
  }
  return dx;
}

Floats weight_gradient(const Sizes& s, const float* x, const float* dy) {
  Floats dw(s.out * s.in);
  for (int64_t o = 0; o < s.out; ++o) {
    for (int64_t i = 0; i < s.in; ++i) {
      float sum = 0;
      for (int64_t n = 0; n < s.batch; ++n) sum += dy[n * s.out + o] * x[n * s.in + i];
      dw[o * s.w_out_step + i * s.w_in_step] = sum;
    }
  }
  return dw;
}

Floats bias_gradient(const Sizes& s, const float* dy) {
  Floats db(s.out);
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t o = 0; o < s.out; ++o) db[o] += dy[n * s.out + o];
  }
  return db;
}

Function bind(const Case& c) {
  const Shape in_shape = c.shape("in");
  const int64_t out_size = c.integer("out");
  const bool oi = c.str("w") == "oi";
  const Sizes s = {in_shape[0], in_shape[1], out_size, oi ? in_shape[1] : 1, oi ? 1 : out_size};
  const bool bias = c.flag("bias");
  const std::string& pass = c.str("pass");
  if (pass == "forward") {
    return [=](const Inputs& in, std::vector<Floats>& out) {
      out[0] = forward(s, in[0], in[1], bias ? in[2] : nullptr);
    };
  }
  const bool data = pass != "backward_weights";
  const bool weights = pass != "backward_data";
  return [=](const Inputs& in, std::vector<Floats>& out) {
    const float* dy = in.back();
    size_t next = 0;
    if (data) out[next++] = input_gradient(s, in[weights ? 1 : 0], dy);
    if (weights) out[next++] = weight_gradient(s, in[0], dy);
    if (weights && bias) out[next] = bias_gradient(s, dy);
  };
}

const VariantRow row{elementwise("dense", "Textbook loops into fresh tensors.", bind)};

}  // namespace
}  // namespace nsop::reference::before
