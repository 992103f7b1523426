// The OpenCL device of this process: found once, kept to the end.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

namespace nsop::kernels::opencl {

// An object of OpenCL's, released once.
template <class Handle, cl_int (*kRelease)(Handle)>
struct Released {
  void operator()(Handle handle) const { kRelease(handle); }
};
using Buffer = std::unique_ptr<std::remove_pointer_t<cl_mem>, Released<cl_mem, clReleaseMemObject>>;
using Kernel =
    std::unique_ptr<std::remove_pointer_t<cl_kernel>, Released<cl_kernel, clReleaseKernel>>;
using Event = std::unique_ptr<std::remove_pointer_t<cl_event>, Released<cl_event, clReleaseEvent>>;

// Throws Error (environment) that names the call and what it answered, unless that is CL_SUCCESS.
void check(cl_int answer, const char* call);

class Device {
 public:
  // The first GPU, accelerator or CPU whose platform's or own name contains NSOP_DEVICE (any case;
  // unset: the first of all); nullptr where there is none, or none that can be used. Builds the
  // kernels on the first call.
  static const Device* get();
  static const std::string& why_none();  // why get() is nullptr

  // Of one word, without blanks: `cpu-AMD-EPYC`, `NVIDIA-H200`.
  const std::string& name() const { return name_; }
  size_t memory_bytes() const { return memory_bytes_; }
  size_t largest_buffer_bytes() const { return largest_buffer_bytes_; }
  size_t group() const { return group_; }  // work items of a group, a power of two, at most 256
  cl_command_queue queue() const { return queue_; }  // in order, with profiling

  Buffer buffer(size_t bytes) const;  // uninitialised
  Kernel kernel(const char* name) const;

  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

 private:
  struct Found;
  static const Found& found();
  explicit Device(cl_device_id id);
  void build();

  cl_device_id id_;
  std::string name_;
  size_t memory_bytes_ = 0, largest_buffer_bytes_ = 0, group_ = 0;
  cl_context context_ = nullptr;  // these live as long as the process
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
};

}  // namespace nsop::kernels::opencl
