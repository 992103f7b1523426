// Allocations of programs that run under libnsop_alloc.so, as its own end writes them into a file
// (harness/worker/allocs/alloc_program.cpp).
#pragma once

#include <string>
#include <vector>

#include "harness/adapters/adapter.h"

namespace nsop::adapters {

enum class CountWhat {
  kProcess,   // from its first instruction of ours to its exit
  kStateLoop  // between benchmark::State::StartKeepRunning() and FinishKeepRunning()
};

// Variables of the environment of the program to be counted; its files begin with the path.
std::vector<std::string> counting_environment(CountWhat what, const std::string& path);

// What it wrote, in the order of its windows; those of its own children are added where whole
// processes are counted. The files are removed. Throws Error (bad data) for a damaged line.
std::vector<AllocWindow> counted_windows(CountWhat what, const std::string& path);

}  // namespace nsop::adapters
