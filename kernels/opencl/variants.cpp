// The ops that a device can do. No header: its rows register themselves.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "harness/core/registry.h"
#include "harness/core/tensor/tensor.h"
#include "kernels/opencl/step.h"

namespace nsop::kernels::opencl {
namespace {

constexpr size_t kTile = 64, kTileItems = 16;  // of a product, as in source.cpp
constexpr size_t kMostElements = UINT32_MAX;   // kernels count in 32 bits

size_t whole(size_t count, size_t part) { return (count + part - 1) / part; }
cl_uint count_of(int64_t value) { return static_cast<cl_uint>(value); }
cl_uint number(const Case& c, const char* key) { return count_of(c.integer(key)); }

size_t bytes_of(const Shape& shape) {
  return static_cast<size_t>(element_count(shape)) * sizeof(float);
}

// Why no device of this machine can do it, if so.
std::string no_room(const Case& c) {
  const Op& op = *find_op(c.op());
  std::vector<size_t> sizes;
  for (const InputSpec& input : op.inputs(c)) sizes.push_back(bytes_of(input.shape));
  for (const OutputSpec& output : op.outputs(c)) sizes.push_back(bytes_of(output.shape));
  const Device& device = *Device::get();
  size_t all = 0;
  for (const size_t bytes : sizes) {
    all += bytes;
    if (bytes > device.largest_buffer_bytes() || bytes / sizeof(float) > kMostElements) {
      return fmt::format("a tensor of {} bytes is more than {} takes", bytes, device.name());
    }
  }
  if (all <= device.memory_bytes()) return {};
  return fmt::format("{} bytes are more than {} has", all, device.name());
}

using Refused = std::string (*)(const Case&);
using Prepare = std::unique_ptr<Step> (*)(const StepRequest&);

// One work item for each output.
std::unique_ptr<Step> each_element(const StepRequest& request, const char* name) {
  auto step = std::make_unique<DeviceStep>(request, std::vector<size_t>{}, name);
  const Device& device = *Device::get();
  Kernel kernel = device.kernel(name);
  const cl_uint n = count_of(element_count(request.outputs[0].shape()));
  const cl_mem first = step->buffer(0), second = step->buffer(1);
  if (request.inputs.size() == 1) {
    set_arguments(kernel, first, second, n);
  } else {
    set_arguments(kernel, first, second, step->buffer(2), n);
  }
  const size_t items = whole(n, device.group()) * device.group();
  step->add({std::move(kernel), {items, 1, 1}, {device.group(), 1, 1}});
  return step;
}

std::string forward_only(const Case& c) {
  return c.str("pass") == "forward" ? "" : "only the forward pass is there";
}

std::string same_shapes(const Case& c) {
  const Shape n = c.shape("n");
  for (const InputSpec& input : find_op(c.op())->inputs(c)) {
    if (input.shape != n) return "operands of one shape only";
  }
  return {};
}

std::string all_of_it(const Case& c) {
  return c.str("axis") == "all" || c.shape("n").size() == 1 ? "" : "sums of whole tensors only";
}

// Sums of groups, then their sum.
std::unique_ptr<Step> prepare_sum(const StepRequest& request) {
  const Device& device = *Device::get();
  const size_t group = device.group();
  const cl_uint n = count_of(element_count(request.inputs[0].shape()));
  const cl_uint groups =
      count_of(static_cast<int64_t>(std::clamp<size_t>(n / (4 * group), 1, 256)));
  auto step = std::make_unique<DeviceStep>(request, std::vector{groups * sizeof(float)},
                                           fmt::format("sums of {} groups", groups));
  const auto pass = [&](cl_mem x, cl_mem sums, cl_uint count, size_t of) {
    Kernel kernel = device.kernel("sum");
    set_arguments(kernel, x, sums, count);
    step->add({std::move(kernel), {of * group, 1, 1}, {group, 1, 1}});
  };
  if (groups == 1) {
    pass(step->buffer(0), step->buffer(1), n, 1);
  } else {
    pass(step->buffer(0), step->buffer(2), n, groups);
    pass(step->buffer(2), step->buffer(1), groups, 1);
  }
  return step;
}

// Products of a device whose groups have 16 x 16 items.
std::string groups_of_256(const Case&) {
  const size_t group = Device::get()->group();
  return group >= kTileItems * kTileItems ? "" : fmt::format("groups of {} items only", group);
}

std::string plain_product(const Case& c) {
  return c.str("act") == "none" ? groups_of_256(c) : "no activation is fused";
}

struct Product {
  size_t m, n, depth, batch;
  bool a_transposed, b_transposed;
};

// a is input 0, b input 1, the bias input 2 if there is one.
std::unique_ptr<Step> product_step(const StepRequest& request, const Product& p) {
  auto step = std::make_unique<DeviceStep>(request, std::vector<size_t>{}, "tiles of 64x64");
  Kernel kernel = Device::get()->kernel("matmul");
  const cl_uint has_bias = request.inputs.size() > 2 ? 1 : 0;
  const cl_mem y = step->buffer(request.inputs.size());
  const cl_mem bias = has_bias != 0 ? step->buffer(2) : y;
  const auto u = [](size_t value) { return static_cast<cl_uint>(value); };
  const cl_uint a_row = u(p.a_transposed ? 1 : p.depth), a_column = u(p.a_transposed ? p.m : 1);
  const cl_uint b_row = u(p.b_transposed ? 1 : p.n), b_column = u(p.b_transposed ? p.depth : 1);
  set_arguments(kernel, step->buffer(0), step->buffer(1), bias, y, u(p.m), u(p.n), u(p.depth),
                a_row, a_column, b_row, b_column, has_bias);
  step->add({std::move(kernel),
             {whole(p.n, kTile) * kTileItems, whole(p.m, kTile) * kTileItems, p.batch},
             {kTileItems, kTileItems, 1}});
  return step;
}

std::unique_ptr<Step> prepare_matmul(const StepRequest& request) {
  const Case& c = request.op_case;
  const std::string& trans = c.str("trans");
  return product_step(request, {.m = number(c, "m"),
                                .n = number(c, "n"),
                                .depth = number(c, "k"),
                                .batch = number(c, "batch"),
                                .a_transposed = trans[0] == 't',
                                .b_transposed = trans[1] == 't'});
}

std::string dense_refused(const Case& c) {
  const std::string backward = forward_only(c);
  return backward.empty() ? groups_of_256(c) : backward;
}

std::unique_ptr<Step> prepare_dense(const StepRequest& request) {
  const Case& c = request.op_case;
  const Shape in = c.shape("in");
  return product_step(request, {.m = static_cast<size_t>(in[0]),
                                .n = number(c, "out"),
                                .depth = static_cast<size_t>(in[1]),
                                .batch = 1,
                                .a_transposed = false,
                                .b_transposed = c.str("w") == "oi"});
}

std::string conv2d_refused(const Case& c) {
  if (c.str("reduce") != "none") return "no mean over the pixels";
  return dense_refused(c);
}

std::unique_ptr<Step> prepare_conv2d(const StepRequest& request) {
  const Case& c = request.op_case;
  const Shape x = request.inputs[0].shape(), y = request.outputs[0].shape();
  const cl_uint groups = number(c, "groups"), out = number(c, "out");
  const cl_uint has_bias = request.inputs.size() > 2 ? 1 : 0;
  auto step = std::make_unique<DeviceStep>(request, std::vector<size_t>{},
                                           "implicit im2col, tiles of 64x64");
  Kernel kernel = Device::get()->kernel("conv2d");
  const cl_mem result = step->buffer(request.inputs.size());
  const cl_mem bias = has_bias != 0 ? step->buffer(2) : result;
  set_arguments(kernel, step->buffer(0), step->buffer(1), bias, result, count_of(x[1]),
                count_of(x[2]), count_of(x[3]), out, number(c, "k"), number(c, "s"), number(c, "p"),
                number(c, "d"), count_of(y[2]), count_of(y[3]), groups, has_bias);
  const auto pixels = static_cast<size_t>(y[2] * y[3]);
  step->add({std::move(kernel),
             {whole(pixels, kTile) * kTileItems, whole(out / groups, kTile) * kTileItems,
              static_cast<size_t>(x[0]) * groups},
             {kTileItems, kTileItems, 1}});
  return step;
}

std::unique_ptr<Step> prepare_maxpool2d(const StepRequest& request) {
  const Case& c = request.op_case;
  const Shape x = request.inputs[0].shape(), y = request.outputs[0].shape();
  auto step = std::make_unique<DeviceStep>(request, std::vector<size_t>{}, "an item per window");
  const Device& device = *Device::get();
  Kernel kernel = device.kernel("maxpool2d");
  set_arguments(kernel, step->buffer(0), step->buffer(1), step->buffer(2), count_of(x[0] * x[1]),
                count_of(x[2]), count_of(x[3]), number(c, "k"), number(c, "s"), number(c, "p"),
                count_of(y[2]), count_of(y[3]));
  const auto windows = static_cast<size_t>(element_count(y));
  step->add({std::move(kernel),
             {whole(windows, device.group()) * device.group(), 1, 1},
             {device.group(), 1, 1}});
  return step;
}

Variant variant(const char* op, Refused refused, Prepare prepare) {
  Variant v;
  v.op = op;
  v.name = "opencl";
  v.role = Role::kOurs;
  v.summary = "on an OpenCL device, its inputs sent there and its outputs fetched each time";
  v.targets = [] {
    const Device* device = Device::get();
    return std::vector<std::string>{device == nullptr ? "none" : device->name()};
  };
  v.unsupported = [refused](const Case& c, int threads) -> std::string {
    if (Device::get() == nullptr) return Device::why_none();
    if (threads > 1) return "a device has no threads of the host";
    const std::string reason = refused(c);
    return reason.empty() ? no_room(c) : reason;
  };
  v.prepare = prepare;
  return v;
}

const VariantRow rows[] = {
    VariantRow(variant("relu", forward_only,
                       [](const StepRequest& r) { return each_element(r, "relu"); })),
    VariantRow(variant("tanh", forward_only,
                       [](const StepRequest& r) { return each_element(r, "tanh_forward"); })),
    VariantRow(variant("sigmoid", forward_only,
                       [](const StepRequest& r) { return each_element(r, "sigmoid"); })),
    VariantRow(
        variant("add", same_shapes, [](const StepRequest& r) { return each_element(r, "add"); })),
    VariantRow(variant("sum", all_of_it, prepare_sum)),
    VariantRow(variant("matmul", plain_product, prepare_matmul)),
    VariantRow(variant("dense", dense_refused, prepare_dense)),
    VariantRow(variant("conv2d", conv2d_refused, prepare_conv2d)),
    VariantRow(variant("maxpool2d", forward_only, prepare_maxpool2d)),
};

}  // namespace
}  // namespace nsop::kernels::opencl
