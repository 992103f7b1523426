#include "harness/core/identity.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <ctime>

#include "harness/core/error.h"

namespace nsop {

std::string new_uuid() {
  std::array<unsigned char, 16> b{};
  if (getrandom(b.data(), b.size(), 0) != static_cast<ssize_t>(b.size())) {
    throw environment_error("no random numbers from the system: getrandom failed");
  }
  b[6] = static_cast<unsigned char>((b[6] & 0x0f) | 0x40);
  b[8] = static_cast<unsigned char>((b[8] & 0x3f) | 0x80);
  const std::string hex = fmt::format("{:02x}", fmt::join(b, ""));
  return fmt::format("{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4),
                     hex.substr(16, 4), hex.substr(20));
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(std::time(nullptr)));
}

}  // namespace nsop
