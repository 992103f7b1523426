#include "reference/recurrent/recurrent.h"

#include <utility>

#include "reference/recurrent/tolerance.h"

namespace nsop::reference {
namespace {

using Doubles = std::vector<double>;

std::vector<InputSpec> inputs_of(const RecurrentShape& s, const Cell& cell, Uniform values) {
  // As layers initialise them: with weights up to 1 / sqrt(hidden) gates are neither saturated nor
  // do states run away.
  const Uniform weights = recurrent_weights(s, values);
  const auto data = [&](std::string name, Shape shape) {
    return InputSpec{std::move(name), std::move(shape), values.lo, values.hi};
  };
  const auto parameter = [&](std::string name, Shape shape) {
    return InputSpec{std::move(name), std::move(shape), weights.lo, weights.hi};
  };
  std::vector<InputSpec> in = {data("x", s.x()), parameter("w", s.w()), parameter("u", s.u())};
  if (cell.two_biases) {
    in.push_back(parameter("bw", s.bias()));
    in.push_back(parameter("bu", s.bias()));
  } else {
    in.push_back(parameter("b", s.bias()));
  }
  in.push_back(data("h0", s.state()));
  if (cell.has_c) in.push_back(data("c0", s.state()));
  if (s.forward) return in;
  in.push_back(data("dy", s.y()));
  if (cell.has_c) in.push_back(data("dc_n", s.state()));
  return in;
}

std::vector<OutputSpec> outputs_of(const RecurrentShape& s, const Cell& cell) {
  if (s.forward) {
    std::vector<OutputSpec> out = {{"y", s.y()}};
    if (cell.has_c) out.push_back({"c_n", s.state()});
    return out;
  }
  std::vector<OutputSpec> out;
  RecurrentShape forward = s;
  forward.forward = true;
  for (const InputSpec& input : inputs_of(forward, cell, {})) {
    out.push_back({"d" + input.name, input.shape});
  }
  return out;
}

// The inputs by name.
struct Given {
  Given(const Cell& cell, std::span<const Tensor> in) {
    size_t next = 0;
    const auto take = [&] { return in[next++].data(); };
    x = take();
    w = take();
    u = take();
    b = take();
    if (cell.two_biases) bu = take();
    h0 = take();
    if (cell.has_c) c0 = take();
    if (next < in.size()) dy = take();
    if (next < in.size()) dc_n = take();
  }
  std::span<const float> x, w, u, b, bu, h0, c0, dy, dc_n;
};

// rows [batch,inner], weights [inner,columns] -> + bias, [batch,columns]
template <class Value>
Doubles affine(const Value* rows, std::span<const float> weights, std::span<const float> bias,
               int64_t batch, int64_t inner, int64_t columns) {
  Doubles out(batch * columns);
  for (int64_t r = 0; r < batch; ++r) {
    for (int64_t j = 0; j < columns; ++j) out[r * columns + j] = bias.empty() ? 0 : bias[j];
    for (int64_t i = 0; i < inner; ++i) {
      const double value = rows[r * inner + i];
      for (int64_t j = 0; j < columns; ++j) {
        out[r * columns + j] += value * weights[i * columns + j];
      }
    }
  }
  return out;
}

// The gates of a unit out of [batch,gates*hidden].
Gates gates_of(const RecurrentShape& s, const Doubles& all, int64_t row, int64_t unit) {
  Gates gates{};
  for (int64_t g = 0; g < s.gates; ++g) gates[g] = all[row * s.columns() + g * s.hidden + unit];
  return gates;
}

// Of every step the parts of the gates and the states before it; after the last step, the states.
struct Trace {
  std::vector<Doubles> from_x, from_h;  // [steps] of [batch,gates*hidden]
  std::vector<Doubles> h, c;            // [steps + 1] of [batch,hidden]
};

Trace trace_of(const RecurrentShape& s, const Cell& cell, const Given& in) {
  Trace t;
  t.h.emplace_back(in.h0.begin(), in.h0.end());
  t.c.emplace_back(in.c0.begin(), in.c0.end());
  for (int64_t step = 0; step < s.steps; ++step) {
    const float* x = in.x.data() + step * s.batch * s.in;
    t.from_x.push_back(affine(x, in.w, in.b, s.batch, s.in, s.columns()));
    t.from_h.push_back(affine(t.h.back().data(), in.u, in.bu, s.batch, s.hidden, s.columns()));
    Doubles h(s.state_size());
    Doubles c(cell.has_c ? s.state_size() : 0);
    for (int64_t at = 0; at < s.state_size(); ++at) {
      const int64_t row = at / s.hidden;
      const UnitState next = cell.forward(gates_of(s, t.from_x.back(), row, at % s.hidden),
                                          gates_of(s, t.from_h.back(), row, at % s.hidden),
                                          {t.h.back()[at], cell.has_c ? t.c.back()[at] : 0});
      h[at] = next.h;
      if (cell.has_c) c[at] = next.c;
    }
    t.h.push_back(std::move(h));
    t.c.push_back(std::move(c));
  }
  return t;
}

void forward(const RecurrentShape& s, const Cell& cell, const Given& in, std::span<TensorF64> out) {
  const Trace t = trace_of(s, cell, in);
  for (int64_t step = 0; step < s.steps; ++step) {
    std::copy(t.h[step + 1].begin(), t.h[step + 1].end(),
              out[0].data.begin() + step * s.state_size());
  }
  if (cell.has_c) out[1].data = t.c.back();
}

// dw [inner,columns] += rows^T d, and drows [batch,inner] += d w^T, with d [batch,columns].
template <class Value>
void product_gradients(const RecurrentShape& s, const Value* rows, std::span<const float> weights,
                       const Doubles& d, int64_t inner, double* drows, Doubles& dweights) {
  const int64_t columns = s.columns();
  for (int64_t r = 0; r < s.batch; ++r) {
    for (int64_t i = 0; i < inner; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < columns; ++j) {
        sum += d[r * columns + j] * weights[i * columns + j];
        dweights[i * columns + j] += rows[r * inner + i] * d[r * columns + j];
      }
      drows[r * inner + i] += sum;
    }
  }
}

void add_rows(const RecurrentShape& s, const Doubles& d, Doubles& sums) {
  for (int64_t at = 0; at < s.batch * s.columns(); ++at) sums[at % s.columns()] += d[at];
}

// Gradients of the gates of one step, [batch,gates*hidden], and of the states before it; `after`
// holds the gradients of the states after it and is replaced.
struct StepGradient {
  Doubles from_x, from_h;
};

StepGradient cell_gradient(const RecurrentShape& s, const Cell& cell, const Trace& t, int64_t step,
                           Doubles& dh, Doubles& dc) {
  StepGradient d{Doubles(s.batch * s.columns()), Doubles(s.batch * s.columns())};
  for (int64_t at = 0; at < s.state_size(); ++at) {
    const int64_t row = at / s.hidden;
    const int64_t unit = at % s.hidden;
    const UnitGradient g = cell.backward(
        gates_of(s, t.from_x[step], row, unit), gates_of(s, t.from_h[step], row, unit),
        {t.h[step][at], cell.has_c ? t.c[step][at] : 0}, {dh[at], cell.has_c ? dc[at] : 0});
    for (int64_t k = 0; k < s.gates; ++k) {
      d.from_x[row * s.columns() + k * s.hidden + unit] = g.from_x[k];
      d.from_h[row * s.columns() + k * s.hidden + unit] = g.from_h[k];
    }
    dh[at] = g.before.h;
    if (cell.has_c) dc[at] = g.before.c;
  }
  return d;
}

void backward(const RecurrentShape& s, const Cell& cell, const Given& in,
              std::span<TensorF64> out) {
  const Trace t = trace_of(s, cell, in);
  const size_t bias = 3;
  Doubles dh(s.state_size());
  Doubles dc(in.dc_n.begin(), in.dc_n.end());
  for (int64_t step = s.steps - 1; step >= 0; --step) {
    for (int64_t at = 0; at < s.state_size(); ++at) dh[at] += in.dy[step * s.state_size() + at];
    const StepGradient d = cell_gradient(s, cell, t, step, dh, dc);
    const int64_t row = step * s.batch;
    product_gradients(s, in.x.data() + row * s.in, in.w, d.from_x, s.in,
                      out[0].data.data() + row * s.in, out[1].data);
    product_gradients(s, t.h[step].data(), in.u, d.from_h, s.hidden, dh.data(), out[2].data);
    add_rows(s, d.from_x, out[bias].data);
    if (cell.two_biases) add_rows(s, d.from_h, out[bias + 1].data);
  }
  const size_t state = bias + (cell.two_biases ? 2 : 1);
  out[state].data = std::move(dh);
  if (cell.has_c) out[state + 1].data = std::move(dc);
}

Work work_of(const RecurrentShape& s, const Cell& cell) {
  const auto units = static_cast<double>(s.steps * s.state_size());
  const double macs =
      (s.forward ? 1 : 2) * units * static_cast<double>(s.gates * (s.in + s.hidden));
  return {.flops = 2 * macs + units * (s.forward ? cell.forward_flops : cell.backward_flops),
          .macs = macs,
          .bytes = compulsory_bytes(inputs_of(s, cell, {}), outputs_of(s, cell))};
}

ParamSpec in_param() {
  return {.name = "in", .kind = ParamKind::kShape, .choices = {}, .rank = 3, .absent = {}};
}

}  // namespace

Op recurrent_op(std::string name, std::string summary, const Cell& cell) {
  const auto shape = [gates = cell.gates](const Case& c) { return RecurrentShape(c, gates); };
  const auto validate = [shape](const Case& c) {
    require_size(c.op(), "h0", {c.shape("in")[1], c.integer("hidden")});
    const RecurrentShape s = shape(c);
    require_size(c.op(), "u", {s.hidden, s.hidden, s.gates});
    require_size(c.op(), "w", {s.in, s.hidden, s.gates});
    require_size(c.op(), "y", s.y());
  };
  const auto oracle = [shape, cell](const Case& c, std::span<const Tensor> in,
                                    std::span<TensorF64> out) {
    const RecurrentShape s = shape(c);
    (s.forward ? forward : backward)(s, cell, Given(cell, in), out);
  };
  return Op{
      .spec =
          {.name = std::move(name),
           .summary = std::move(summary),
           .params = {pass_param({"forward", "backward"}),
                      in_param(),
                      {.name = "hidden", .kind = ParamKind::kCount, .choices = {}, .absent = {}},
                      range_param()}},
      .validate = validate,
      .inputs = [shape, cell](const Case& c) { return inputs_of(shape(c), cell, uniform_of(c)); },
      .outputs = [shape, cell](const Case& c) { return outputs_of(shape(c), cell); },
      .shape_inputs = {},
      .oracle = oracle,
      .tolerance = {},
      .output_tolerances =
          [shape, cell](const Case& c) {
            return recurrent_tolerances(shape(c), cell, uniform_of(c));
          },
      .work = [shape, cell](const Case& c) { return work_of(shape(c), cell); },
  };
}

}  // namespace nsop::reference
