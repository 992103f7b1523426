// Steps on a device: inputs go there, kernels run, outputs come back, each time.
#pragma once

#include <array>
#include <vector>

#include "harness/core/metered.h"
#include "kernels/opencl/device.h"

namespace nsop::kernels::opencl {

// A kernel with its arguments set, and how many work items it has along each axis: whole groups.
struct Launch {
  Kernel kernel;
  std::array<size_t, 3> items{1, 1, 1}, group{1, 1, 1};
};

// Metrics: `device_ns`, the kernels of the latest operation by the device's own clock, and
// `transfer_ns`, its copies between host and device. What is timed outside is all of it, with the
// driver.
class DeviceStep : public MeteredStep {
 public:
  // Buffers of the inputs, then of the outputs, then of so many bytes of workspace each.
  DeviceStep(const StepRequest& request, std::vector<size_t> workspaces, std::string chose);

  cl_mem buffer(size_t i) const { return buffers_[i].get(); }
  void add(Launch launch) { launches_.push_back(std::move(launch)); }

  // Throws Error (environment) for what the device answers.
  void run() override;
  std::span<const float> output(size_t i) const override { return outputs_[i]; }
  std::string chose() const override { return chose_; }
  size_t workspace_bytes() const override { return workspace_bytes_; }
  std::map<std::string, double> metrics() const override;

 private:
  void run_commands();

  std::vector<std::span<const float>> inputs_;
  std::vector<std::span<float>> outputs_;
  std::vector<Buffer> buffers_;
  std::vector<Launch> launches_;
  std::vector<Event> kernels_, copies_;  // of the latest run
  std::string chose_;
  size_t workspace_bytes_ = 0;
};

// Sets the arguments of a kernel, in their order.
template <class... Arguments>
void set_arguments(const Kernel& kernel, const Arguments&... arguments) {
  cl_uint at = 0;
  const auto set = [&](const auto& argument) {
    const auto bytes = std::as_bytes(std::span(&argument, 1));
    check(clSetKernelArg(kernel.get(), at++, bytes.size(), bytes.data()), "clSetKernelArg");
  };
  (set(arguments), ...);
}

}  // namespace nsop::kernels::opencl
