// Did somebody set the clock, or did the machine sleep, while something was measured?
#pragma once

#include <chrono>
#include <string>

namespace nsop::judge {

// What to say when the clock of the day and the steady one say different durations, by more than 5
// s; else empty.
std::string clock_jump_text(double steady_s, double day_s);

class ClockWatch {
 public:
  // Since this object was made.
  std::string jump() const;

 private:
  std::chrono::steady_clock::time_point steady_ = std::chrono::steady_clock::now();
  std::chrono::system_clock::time_point day_ = std::chrono::system_clock::now();
};

}  // namespace nsop::judge
