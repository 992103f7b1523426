#include "harness/core/registrations.h"

#include <execinfo.h>
#include <link.h>

#include <array>
#include <cstdlib>

namespace nsop {
namespace {

std::vector<Registration>& traced() {
  static std::vector<Registration> all;
  return all;
}

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

}  // namespace

const std::vector<Registration>& registrations() { return traced(); }

void trace_registration(const std::string& op, const std::string& variant) {
  static const bool wanted = std::getenv(kTraceRegistrations) != nullptr;
  if (!wanted) return;
  std::array<void*, 64> frames{};
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  Registration registration{op, variant, {}};
  const uint64_t offset = load_offset();
  for (int i = 0; i < count; ++i) {
    const auto address = reinterpret_cast<uint64_t>(frames[static_cast<size_t>(i)]);
    // Of the call, not of what comes after it.
    if (address > offset) registration.addresses.push_back(address - offset - 1);
  }
  traced().push_back(std::move(registration));
}

}  // namespace nsop
