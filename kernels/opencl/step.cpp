#include "kernels/opencl/step.h"

#include <numeric>

namespace nsop::kernels::opencl {
namespace {

double duration_ns(const std::vector<Event>& events) {
  double sum = 0;
  for (const Event& event : events) {
    cl_ulong start = 0, end = 0;
    const auto read = [&event](cl_profiling_info what, cl_ulong& value) {
      check(clGetEventProfilingInfo(event.get(), what, sizeof value, &value, nullptr),
            "clGetEventProfilingInfo");
    };
    read(CL_PROFILING_COMMAND_START, start);
    read(CL_PROFILING_COMMAND_END, end);
    sum += static_cast<double>(end - start);
  }
  return sum;
}

}  // namespace

DeviceStep::DeviceStep(const StepRequest& request, std::vector<size_t> workspaces,
                       std::string chose)
    : chose_(std::move(chose)),
      workspace_bytes_(std::accumulate(workspaces.begin(), workspaces.end(), size_t{0})) {
  const Device& device = *Device::get();
  for (const Tensor& tensor : request.inputs) {
    inputs_.push_back(tensor.data());
    buffers_.push_back(device.buffer(inputs_.back().size_bytes()));
  }
  for (Tensor& tensor : request.outputs) {
    outputs_.push_back(tensor.data());
    buffers_.push_back(device.buffer(outputs_.back().size_bytes()));
  }
  for (const size_t bytes : workspaces) buffers_.push_back(device.buffer(bytes));
}

void DeviceStep::run() {
  try {
    run_commands();
  } catch (...) {
    clFinish(Device::get()->queue());  // copies that are under way have memory of the caller's
    throw;
  }
}

void DeviceStep::run_commands() {
  const cl_command_queue queue = Device::get()->queue();
  kernels_.clear();
  copies_.clear();
  const auto keep = [](std::vector<Event>& events, cl_event event) { events.emplace_back(event); };
  cl_event event = nullptr;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    check(clEnqueueWriteBuffer(queue, buffer(i), CL_FALSE, 0, inputs_[i].size_bytes(),
                               inputs_[i].data(), 0, nullptr, &event),
          "clEnqueueWriteBuffer");
    keep(copies_, event);
  }
  for (const Launch& launch : launches_) {
    check(clEnqueueNDRangeKernel(queue, launch.kernel.get(), 3, nullptr, launch.items.data(),
                                 launch.group.data(), 0, nullptr, &event),
          "clEnqueueNDRangeKernel");
    keep(kernels_, event);
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    check(clEnqueueReadBuffer(queue, buffer(inputs_.size() + i), CL_FALSE, 0,
                              outputs_[i].size_bytes(), outputs_[i].data(), 0, nullptr, &event),
          "clEnqueueReadBuffer");
    keep(copies_, event);
  }
  check(clFinish(queue), "clFinish");
}

std::map<std::string, double> DeviceStep::metrics() const {
  return {{"device_ns", duration_ns(kernels_)}, {"transfer_ns", duration_ns(copies_)}};
}

}  // namespace nsop::kernels::opencl
