// Wall times of the training calls of a run. Allocates once.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace nsop::layers {

class CallTimes {
 public:
  explicit CallTimes(size_t calls) { ns_.reserve(calls); }

  void clear() { ns_.clear(); }
  // Runs and times one call; returns its result. At most as many as were reserved.
  template <class Call>
  float timed(Call&& call) {
    const auto start = std::chrono::steady_clock::now();
    const float result = call();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    ns_.push_back(took.count());
    return result;
  }

  // The metrics about training calls in docs/protocol.md. There must be a call (assert).
  std::map<std::string, double> metrics() const;

 private:
  std::vector<double> ns_;
};

}  // namespace nsop::layers
