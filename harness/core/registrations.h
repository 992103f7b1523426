// From where ops and variants were registered: what a gate needs to know which objects a row's code
// comes from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nsop {

// In the environment before the process starts, it makes rows remember from where they came.
inline constexpr const char* kTraceRegistrations = "NSOP_TRACE_REGISTRATIONS";

struct Registration {
  std::string op, variant;          // of an op itself, the variant is empty
  std::vector<uint64_t> addresses;  // of the calls that led there, as in the program's file
};

// In the order in which they registered; nothing unless it was asked for.
const std::vector<Registration>& registrations();

// Called by whatever registers.
void trace_registration(const std::string& op, const std::string& variant);

}  // namespace nsop
