#include "harness/worker/row.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/io/npy.h"
#include "harness/worker/clock.h"

namespace nsop::worker {
namespace {

std::vector<Tensor> read_inputs(const std::vector<InputSpec>& specs,
                                const std::vector<std::string>& paths) {
  if (paths.size() != specs.size()) {
    throw usage_error(fmt::format("{} inputs given, the case has {}", paths.size(), specs.size()));
  }
  std::vector<Tensor> tensors;
  tensors.reserve(specs.size());
  for (size_t i = 0; i < specs.size(); ++i) {
    tensors.push_back(read_npy_f32(paths[i]));
    if (tensors.back().shape() != specs[i].shape) {
      throw usage_error(fmt::format("{}: input '{}' has shape {}, the case has {}", paths[i],
                                    specs[i].name, shape_text(tensors.back().shape()),
                                    shape_text(specs[i].shape)));
    }
  }
  return tensors;
}

// As double, which can't overflow.
double elements(const Shape& shape) {
  double product = 1;
  for (const int64_t extent : shape) product *= static_cast<double>(extent);
  return product;
}

}  // namespace

Row::Row(const Op& op, const Variant& variant, RowRequest request,
         const std::vector<std::string>& input_paths)
    : input_specs_(op.inputs(request.op_case)),
      output_specs_(op.outputs(request.op_case)),
      request_(std::move(request)),
      inputs_(read_inputs(input_specs_, input_paths)) {
  for (const OutputSpec& spec : output_specs_) outputs_.emplace_back(spec.shape);
  step_ = variant.prepare({request_.op_case, inputs_, outputs_, request_.threads, request_.target});
  if (!step_) throw environment_error("the variant prepared nothing");
}

bool Row::is(const RowRequest& other) const {
  return request_.op_case == other.op_case && request_.variant == other.variant &&
         request_.target == other.target && request_.threads == other.threads;
}

void Row::overwrite_inputs(const std::vector<std::string>& input_paths) {
  const std::vector<Tensor> fresh = read_inputs(input_specs_, input_paths);
  for (size_t i = 0; i < fresh.size(); ++i) {
    std::ranges::copy(fresh[i].data(), inputs_[i].data().begin());
  }
  step_->inputs_changed();
}

int64_t Row::run_once(const std::optional<AllocHook>& hook) {
  for (Tensor& output : outputs_) {
    std::ranges::fill(output.data(), std::numeric_limits<float>::quiet_NaN());
  }
  const bool first = fastest_ns_ == 0;
  const int64_t start = monotonic_ns();
  if (first && hook) {
    first_allocs_ = count_allocs(*hook, [&] { step_->run(); });
  } else {
    step_->run();
  }
  const int64_t took = std::max<int64_t>(monotonic_ns() - start, 1);
  fastest_ns_ = first ? took : std::min(fastest_ns_, took);
  return took;
}

std::vector<std::string> Row::write_inputs(const std::string& dir) const {
  std::vector<std::string> paths;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    paths.push_back(tensor_path(dir, "input", i));
    write_npy(paths.back(), inputs_[i].shape(), inputs_[i].data());
  }
  return paths;
}

std::vector<std::string> Row::write_outputs(const std::string& dir) const {
  std::vector<std::string> paths;
  for (size_t i = 0; i < output_specs_.size(); ++i) {
    const std::span<const float> data = step_->output(i);
    const OutputSpec& spec = output_specs_[i];
    if (static_cast<int64_t>(data.size()) != element_count(spec.shape)) {
      throw environment_error(fmt::format("output '{}' has {} elements, the case has {}", spec.name,
                                          data.size(), element_count(spec.shape)));
    }
    paths.push_back(tensor_path(dir, "output", i));
    write_npy(paths.back(), spec.shape, data);
  }
  return paths;
}

std::string tensor_path(const std::string& dir, const char* stem, size_t i) {
  return fmt::format("{}/{}{}.npy", dir, stem, i);
}

int64_t memory_bytes(const Op& op, const Case& op_case) {
  double bytes = 0;
  for (const InputSpec& input : op.inputs(op_case)) bytes += elements(input.shape) * sizeof(float);
  for (const OutputSpec& output : op.outputs(op_case)) {
    bytes += elements(output.shape) * (sizeof(float) + sizeof(double));
  }
  constexpr double kMax = 9e18;  // below 2^63
  return static_cast<int64_t>(std::min(bytes, kMax));
}

}  // namespace nsop::worker
