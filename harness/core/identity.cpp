#include "harness/core/identity.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <ctime>

#include "harness/core/error.h"

namespace nsop {

std::string new_uuid() {
  std::array<unsigned char, 16> b{};
  if (getentropy(b.data(), b.size()) != 0) {
    throw environment_error("no random numbers from the system: getentropy failed");
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

std::optional<int64_t> utc_seconds(std::string_view utc) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:ddZ";
  if (utc.size() != kForm.size()) return std::nullopt;
  for (size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = utc[i] >= '0' && utc[i] <= '9';
    if (kForm[i] == 'd' ? !digit : utc[i] != kForm[i]) return std::nullopt;
  }
  const auto number = [&](size_t at, size_t digits) {
    int value = 0;
    for (const char c : utc.substr(at, digits)) value = 10 * value + (c - '0');
    return value;
  };
  using namespace std::chrono;
  const year_month_day date{year(number(0, 4)), month(static_cast<unsigned>(number(5, 2))),
                            day(static_cast<unsigned>(number(8, 2)))};
  const int hour = number(11, 2), minute = number(14, 2), second = number(17, 2);
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return int64_t{sys_days(date).time_since_epoch().count()} * 86400 + hour * 3600 + minute * 60 +
         second;
}

std::string utc_text(int64_t seconds) {
  using namespace std::chrono;
  const sys_seconds at{std::chrono::seconds(seconds)};
  const year_month_day date{floor<days>(at)};
  const hh_mm_ss time{at - floor<days>(at)};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", int{date.year()},
                     unsigned{date.month()}, unsigned{date.day()}, time.hours().count(),
                     time.minutes().count(), time.seconds().count());
}

}  // namespace nsop
