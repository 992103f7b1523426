#include "harness/judge/gate/clock_watch.h"

#include <fmt/format.h>

#include <cmath>

namespace nsop::judge {
namespace {

constexpr double kMostDriftSeconds =
    5;  // a clock that is disciplined over the network drifts by far less

}  // namespace

std::string clock_jump_text(double steady_s, double day_s) {
  const double jump = day_s - steady_s;
  if (std::abs(jump) <= kMostDriftSeconds) return {};
  return fmt::format(
      "the clock went {} by {:.0f} s while measuring (it was set, or the machine slept); the times "
      "measured are from another clock and stand",
      jump < 0 ? "back" : "ahead", std::abs(jump));
}

std::string ClockWatch::jump() const {
  const std::chrono::duration<double> steady = std::chrono::steady_clock::now() - steady_;
  const std::chrono::duration<double> day = std::chrono::system_clock::now() - day_;
  return clock_jump_text(steady.count(), day.count());
}

}  // namespace nsop::judge
