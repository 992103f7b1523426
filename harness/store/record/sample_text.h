// Samples as they are exchanged, read and written without a JSON parser: there are millions of
// them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/sample.h"

namespace nsop::store {

struct SampleColumn {
  const char* name;
  int64_t Repetition::*field;
};
inline constexpr std::array kSampleColumns = {
    SampleColumn{"iterations", &Repetition::iterations},
    SampleColumn{"wall_ns", &Repetition::wall_ns},
    SampleColumn{"process_cpu_ns", &Repetition::process_cpu_ns},
    SampleColumn{"thread_cpu_ns", &Repetition::thread_cpu_ns},
    SampleColumn{"involuntary_switches", &Repetition::involuntary_switches},
    SampleColumn{"minor_faults", &Repetition::minor_faults},
    SampleColumn{"major_faults", &Repetition::major_faults}};

// `{"iterations":[1,2],"wall_ns":[3,4],...}`. Says nothing of metrics.
std::string sample_text(const std::vector<Repetition>& repetitions);

// The repetitions of which sample_text() writes this, to the byte; nullopt: of none.
std::optional<std::vector<Repetition>> read_sample_text(std::string_view text);

}  // namespace nsop::store
