#include "kernels/opencl/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdlib>
#include <map>
#include <vector>

#include "harness/core/error.h"
#include "kernels/opencl/source.h"

namespace nsop::kernels::opencl {
namespace {

constexpr size_t kLongestName = 32;

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

template <class Info, class Id, class Get>
std::string text_of(Get get, Id id, Info info) {
  size_t size = 0;
  check(get(id, info, 0, nullptr, &size), "clGetInfo");
  std::string text(size, '\0');
  check(get(id, info, size, text.data(), nullptr), "clGetInfo");
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

template <class T>
T info_of(cl_device_id id, cl_device_info info) {
  T value{};
  check(clGetDeviceInfo(id, info, sizeof value, &value, nullptr), "clGetDeviceInfo");
  return value;
}

std::vector<cl_platform_id> platforms() {
  cl_uint count = 0;
  // A loader without any platform answers an error of an extension.
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) return {};
  std::vector<cl_platform_id> found(count);
  check(clGetPlatformIDs(count, found.data(), nullptr), "clGetPlatformIDs");
  return found;
}

std::vector<cl_device_id> devices_of(cl_platform_id platform, cl_device_type type) {
  cl_uint count = 0;
  if (clGetDeviceIDs(platform, type, 0, nullptr, &count) != CL_SUCCESS || count == 0) return {};
  std::vector<cl_device_id> found(count);
  check(clGetDeviceIDs(platform, type, count, found.data(), nullptr), "clGetDeviceIDs");
  return found;
}

cl_device_id find() {
  const char* const asked = std::getenv("NSOP_DEVICE");
  const std::string wanted = lower(asked == nullptr ? "" : asked);
  for (const cl_device_type type :
       {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU}) {
    for (const cl_platform_id platform : platforms()) {
      const std::string of = text_of(clGetPlatformInfo, platform, CL_PLATFORM_NAME);
      for (const cl_device_id id : devices_of(platform, type)) {
        const std::string name = of + " " + text_of(clGetDeviceInfo, id, CL_DEVICE_NAME);
        if (lower(name).find(wanted) != std::string::npos) return id;
      }
    }
  }
  return nullptr;
}

// What a target may consist of; runs of anything else become a hyphen.
std::string one_word(const std::string& text) {
  std::string word;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
    if (plain)
      word += c;
    else if (!word.empty() && word.back() != '-')
      word += '-';
  }
  word.resize(std::min(word.size(), kLongestName));
  while (!word.empty() && word.back() == '-') word.pop_back();
  return word;
}

}  // namespace

void check(cl_int answer, const char* call) {
  if (answer == CL_SUCCESS) return;
  static const std::map<cl_int, const char*> meanings = {
      {CL_DEVICE_NOT_AVAILABLE, " (the device is not available)"},
      {CL_MEM_OBJECT_ALLOCATION_FAILURE, " (the device has no memory left)"},
      {CL_OUT_OF_RESOURCES, " (the device is out of resources)"},
      {CL_OUT_OF_HOST_MEMORY, " (the driver has no memory left)"},
  };
  const auto meaning = meanings.find(answer);
  throw environment_error(fmt::format("OpenCL: {} failed with error {}{}", call, answer,
                                      meaning == meanings.end() ? "" : meaning->second));
}

struct Device::Found {
  const Device* device =
      nullptr;  // never destroyed: a driver may be gone before static objects are
  std::string why_none = "not present: no OpenCL device";
};

const Device::Found& Device::found() {
  static const Found found = [] {
    Found made;
    try {
      if (const cl_device_id id = find(); id != nullptr) made.device = new Device(id);
    } catch (const Error& error) {
      made.why_none = error.what();
    }
    return made;
  }();
  return found;
}

const Device* Device::get() { return found().device; }
const std::string& Device::why_none() { return found().why_none; }

Device::Device(cl_device_id id)
    : id_(id),
      name_(one_word(text_of(clGetDeviceInfo, id, CL_DEVICE_NAME))),
      memory_bytes_(info_of<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE)),
      largest_buffer_bytes_(info_of<cl_ulong>(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE)),
      group_(std::bit_floor(
          std::min<size_t>(256, info_of<size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE)))) {
  if (name_.empty()) name_ = "device";
  cl_int answer = CL_SUCCESS;
  context_ = clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &answer);
  check(answer, "clCreateContext");
  queue_ = clCreateCommandQueue(context_, id_, CL_QUEUE_PROFILING_ENABLE, &answer);
  check(answer, "clCreateCommandQueue");
  build();
}

void Device::build() {
  cl_int answer = CL_SUCCESS;
  const char* source = kSource;
  program_ = clCreateProgramWithSource(context_, 1, &source, nullptr, &answer);
  check(answer, "clCreateProgramWithSource");
  const std::string options = fmt::format("-cl-std=CL1.2 -D GROUP={}", group_);
  answer = clBuildProgram(program_, 1, &id_, options.c_str(), nullptr, nullptr);
  if (answer == CL_SUCCESS) return;
  size_t size = 0;
  clGetProgramBuildInfo(program_, id_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, '\0');
  clGetProgramBuildInfo(program_, id_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  log.resize(std::min(log.find_first_of(std::string("\n\0", 2)), log.size()));
  throw environment_error(
      fmt::format("OpenCL: {} can't compile the kernels: error {}: {}", name_, answer, log));
}

Buffer Device::buffer(size_t bytes) const {
  cl_int answer = CL_SUCCESS;
  Buffer made(
      clCreateBuffer(context_, CL_MEM_READ_WRITE, std::max<size_t>(bytes, 1), nullptr, &answer));
  check(answer, "clCreateBuffer");
  return made;
}

Kernel Device::kernel(const char* name) const {
  cl_int answer = CL_SUCCESS;
  Kernel made(clCreateKernel(program_, name, &answer));
  check(answer, "clCreateKernel");
  return made;
}

}  // namespace nsop::kernels::opencl
