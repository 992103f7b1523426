// Which benchmarks a project has, as far as its files tell; nothing is started.
#pragma once

#include <string>
#include <vector>

namespace nsop::adapters {

struct Discovered {
  std::string name, adapter;
  std::string run;     // a program, or words of a command
  std::string build;   // a command that makes it; empty: none is known
  std::string folder;  // where it runs; empty: the project's
  std::string why;     // what was found where
};

// Programs of Google Benchmark and Catch2 that were built below the folder (told by the flags that
// their text holds), modules of Go with benchmarks, and tests that use pytest-benchmark. By name.
// What begins with a dot and `node_modules` is left out, and at most 20,000 files are looked at.
std::vector<Discovered> discover(const std::string& folder);

// The nsop.toml for them, with comments that say what else it may hold.
std::string starting_toml(const std::vector<Discovered>& found);

}  // namespace nsop::adapters
