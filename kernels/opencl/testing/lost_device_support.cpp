// No header: a preload for tests, a device that disappears. After NSOP_TEST_DEVICE_LASTS calls of
// clFinish in a process, each answers that the device is not available.
#include <CL/cl.h>
#include <dlfcn.h>

#include <cstdlib>

namespace {

// How many calls may succeed; all of them where nothing is asked for.
long calls_left() {
  const char* const asked = std::getenv("NSOP_TEST_DEVICE_LASTS");
  return asked == nullptr ? -1 : std::strtol(asked, nullptr, 10);
}

}  // namespace

extern "C" cl_int clFinish(cl_command_queue queue) {
  static long left = calls_left();
  if (left == 0) return CL_DEVICE_NOT_AVAILABLE;
  if (left > 0) --left;
  using Finish = cl_int (*)(cl_command_queue);
  static const auto real = reinterpret_cast<Finish>(dlsym(RTLD_NEXT, "clFinish"));
  return real(queue);
}
