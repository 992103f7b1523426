#include "harness/core/registrations.h"

#if !defined(__EMSCRIPTEN__)
#include <execinfo.h>
#include <link.h>
#endif

#include <array>
#include <cstdlib>

namespace nsop {
namespace {

std::vector<Registration>& traced() {
  static std::vector<Registration> all;
  return all;
}

#if !defined(__EMSCRIPTEN__)
// By how much the program's addresses are off from those in its file: it comes first.
uint64_t load_offset() {
  uint64_t offset = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        *static_cast<uint64_t*>(out) = info->dlpi_addr;
        return 1;
      },
      &offset);
  return offset;
}
#endif

}  // namespace

const std::vector<Registration>& registrations() { return traced(); }

void trace_registration(const std::string& op, const std::string& variant) {
  static const bool wanted = std::getenv(kTraceRegistrations) != nullptr;
  if (!wanted) return;
  Registration registration{op, variant, {}};
#if !defined(__EMSCRIPTEN__)  // whose calls have no addresses
  std::array<void*, 64> frames{};
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  const uint64_t offset = load_offset();
  for (int i = 0; i < count; ++i) {
    const auto address = reinterpret_cast<uint64_t>(frames[static_cast<size_t>(i)]);
    // Of the call, not of what comes after it.
    if (address > offset) registration.addresses.push_back(address - offset - 1);
  }
#endif
  traced().push_back(std::move(registration));
}

}  // namespace nsop
