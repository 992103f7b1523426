#include "layers/apps/dqn2048/phase_times.h"

namespace nsop::layers {

std::map<std::string, double> PhaseTimes::metrics() const {
  constexpr std::array<const char*, kDqnPhases> kNames = {"phase_play_ns", "phase_sample_ns",
                                                          "phase_forward_ns", "phase_backward_ns",
                                                          "phase_update_ns"};
  std::map<std::string, double> out;
  for (size_t i = 0; i < kDqnPhases; ++i) {
    if (ended_.at(i)) out[kNames.at(i)] = ns_.at(i);
  }
  return out;
}

}  // namespace nsop::layers
