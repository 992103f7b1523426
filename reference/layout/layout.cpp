// transpose, permute, concat, pad: ops that move elements and change none. All are exact.
#include <fmt/format.h>

#include <algorithm>

#include "reference/spec/axis.h"
#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

// Calls fn(index) for every index of a tensor of this shape, in row-major order.
template <class Fn>
void for_each_index(const Shape& shape, Fn&& fn) {
  Shape index(shape.size(), 0);
  for (int64_t left = element_count(shape); left > 0; --left) {
    fn(index);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
}

int64_t flat(const Shape& shape, const Shape& index) {
  int64_t at = 0;
  for (size_t d = 0; d < shape.size(); ++d) at = at * shape[d] + index[d];
  return at;
}

// What an op of this file adds to the common part: x [n] -> y, y[index] = one element of x.
struct Layout {
  std::string name;
  std::string summary;
  std::vector<ParamSpec> params;  // beside `n`
  Shape (*shape)(const Case&);    // of y; throws Error (usage) when the keys don't fit
  // The element of the inputs that goes to this place of y.
  double (*pick)(const Case&, std::span<const Tensor> in, const Shape& index);
  std::vector<InputSpec> (*inputs)(const Case&);
};

std::vector<InputSpec> one_input(const Case& c) { return {{"x", c.shape("n"), -1, 1}}; }

Op layout_op(const Layout& l) {
  const auto outputs = [l](const Case& c) -> std::vector<OutputSpec> {
    return {{"y", l.shape(c)}};
  };
  return {
      .spec = {.name = l.name, .summary = l.summary, .params = l.params},
      .validate =
          [l](const Case& c) {
            for (const InputSpec& input : l.inputs(c)) {
              require_size(l.name, input.name, input.shape);
            }
            require_size(l.name, "y", l.shape(c));
          },
      .inputs = l.inputs,
      .outputs = outputs,
      .shape_inputs = {},
      .oracle =
          [l](const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
            auto to = out[0].data.begin();
            for_each_index(out[0].shape, [&](const Shape& index) { *to++ = l.pick(c, in, index); });
          },
      .tolerance = [](const Case&) { return Tolerance{}; },
      .work =
          [l, outputs](const Case& c) {
            return Work{.flops = 0, .macs = 0, .bytes = compulsory_bytes(l.inputs(c), outputs(c))};
          },
  };
}

ParamSpec matrix_param() {
  ParamSpec spec = shape_param();
  spec.rank = 2;
  return spec;
}

Shape transposed_shape(const Case& c) {
  const Shape shape = c.shape("n");
  return {shape[1], shape[0]};
}

double pick_transposed(const Case& /*c*/, std::span<const Tensor> in, const Shape& index) {
  return in[0].data()[flat(in[0].shape(), {index[1], index[0]})];
}

// All orders of up to four axes, as digits.
ParamSpec perm_param() {
  ParamSpec spec = {.name = "perm", .kind = ParamKind::kChoice, .choices = {}, .absent = {}};
  for (std::string digits : {"0", "01", "012", "0123"}) {
    do {
      spec.choices.push_back(digits);
    } while (std::ranges::next_permutation(digits).found);
  }
  return spec;
}

Shape permuted_shape(const Case& c) {
  const Shape from = c.shape("n");
  const std::string& perm = c.str("perm");
  require(perm.size() == from.size(), "permute",
          fmt::format("perm={} doesn't fit n={}, expected {} digits", perm, shape_text(from),
                      from.size()));
  Shape to;
  for (const char digit : perm) to.push_back(from[digit - '0']);
  return to;
}

// y's axis d is x's axis perm[d].
double pick_permuted(const Case& c, std::span<const Tensor> in, const Shape& index) {
  const std::string& perm = c.str("perm");
  Shape from(index.size());
  for (size_t d = 0; d < index.size(); ++d) from[perm[d] - '0'] = index[d];
  return in[0].data()[flat(in[0].shape(), from)];
}

Shape concatenated_shape(const Case& c) {
  Shape a = c.shape("a");
  const Shape b = c.shape("b");
  const auto axis = static_cast<size_t>(std::stol(c.str("axis")));
  bool fits = a.size() == b.size() && axis < a.size();
  for (size_t d = 0; fits && d < a.size(); ++d) fits = d == axis || a[d] == b[d];
  require(fits, "concat",
          fmt::format("a={} b={} axis={}: expected shapes that differ along the axis only",
                      shape_text(a), shape_text(b), axis));
  a[axis] += b[axis];
  return a;
}

double pick_concatenated(const Case& c, std::span<const Tensor> in, const Shape& index) {
  const auto axis = static_cast<size_t>(std::stol(c.str("axis")));
  const int64_t first = in[0].shape()[axis];
  Shape from = index;
  const bool second = index[axis] >= first;
  if (second) from[axis] -= first;
  const Tensor& tensor = in[second ? 1 : 0];
  return tensor.data()[flat(tensor.shape(), from)];
}

// Is axis d of n one of those that are padded?
bool is_padded(const Case& c, size_t d) {
  const std::string& axis = c.str("axis");
  if (axis == "all") return true;
  if (axis == "image") return d + 2 >= c.shape("n").size();
  return d == std::stoul(axis);
}

Shape padded_shape(const Case& c) {
  Shape shape = c.shape("n");
  const std::string& axis = c.str("axis");
  require(axis == "all" || axis == "image" || std::stoul(axis) < shape.size(), "pad",
          fmt::format("n={} has no axis {}, expected axis < {}", shape_text(shape), axis,
                      shape.size()));
  constexpr int64_t kMost = int64_t{1} << 30;
  const int64_t before = c.integer("before");
  const int64_t after = c.integer("after");
  require(before <= kMost && after <= kMost, "pad", "expected before and after <= 2^30");
  for (size_t d = 0; d < shape.size(); ++d) {
    if (is_padded(c, d)) shape[d] += before + after;
  }
  return shape;
}

double pick_padded(const Case& c, std::span<const Tensor> in, const Shape& index) {
  Shape from = index;
  for (size_t d = 0; d < index.size(); ++d) {
    if (is_padded(c, d)) from[d] -= c.integer("before");
    if (from[d] < 0 || from[d] >= in[0].shape()[d]) return static_cast<float>(c.number("value"));
  }
  return in[0].data()[flat(in[0].shape(), from)];
}

std::vector<InputSpec> two_inputs(const Case& c) {
  return {{"a", c.shape("a"), -1, 1}, {"b", c.shape("b"), -1, 1}};
}

ParamSpec named(ParamSpec spec, const std::string& name) {
  spec.name = name;
  return spec;
}

ParamSpec padded_axis_param() {
  ParamSpec spec = axis_param(Axes::kOneOrAll);
  spec.choices.push_back("image");  // the last two
  return spec;
}

ParamSpec count_param(const std::string& name) {
  return {.name = name, .kind = ParamKind::kIndex, .choices = {}, .absent = {}};
}

const OpRow transpose_row{layout_op({.name = "transpose",
                                     .summary = "A matrix with rows and columns exchanged.",
                                     .params = {matrix_param()},
                                     .shape = transposed_shape,
                                     .pick = pick_transposed,
                                     .inputs = one_input})};
const OpRow permute_row{
    layout_op({.name = "permute",
               .summary = "A tensor with its axes in another order: y's axis i is x's perm[i].",
               .params = {shape_param(), perm_param()},
               .shape = permuted_shape,
               .pick = pick_permuted,
               .inputs = one_input})};
const OpRow concat_row{layout_op(
    {.name = "concat",
     .summary = "Two tensors one behind the other along an axis.",
     .params = {named(shape_param(), "a"), named(shape_param(), "b"), axis_param(Axes::kOne)},
     .shape = concatenated_shape,
     .pick = pick_concatenated,
     .inputs = two_inputs})};
const OpRow pad_row{layout_op(
    {.name = "pad",
     .summary = "A tensor with a border along one axis, the last two (image) or all.",
     .params = {shape_param(),
                padded_axis_param(),
                count_param("before"),
                count_param("after"),
                {.name = "value", .kind = ParamKind::kNumber, .choices = {}, .absent = "0"}},
     .shape = padded_shape,
     .pick = pick_padded,
     .inputs = one_input})};

}  // namespace
}  // namespace nsop::reference
