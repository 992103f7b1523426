// A program of somebody else's that has benchmarks: what nsop.toml or the command line says of it.
#pragma once

#include <string>
#include <vector>

#include "harness/core/io/json.h"

namespace nsop::adapters {

inline constexpr int kMostThreads = 4096;  // that a row may use

struct Program {
  std::string name;     // the op of its cases
  std::string adapter;  // how it is asked: `gbench`, `command`, ...; the variant of its rows
  // What starts it: a program and its arguments. A program with a slash in its name is looked for
  // in the folder, one without on the PATH.
  std::vector<std::string> run;
  std::vector<std::string> build;  // shell commands that make it of a checkout; may be empty
  std::string folder;              // where it runs: absolute
  std::vector<std::string> cases;  // patterns of names, `*` is any text; empty: all
  int threads = 1;                 // CPUs that each of its rows may use
  std::string commit;              // that it was built of; empty: unknown
  std::string compare;             // `stdout`: what it prints must be the same; empty: nothing
  // Of the adapter `command`: each parameter's values, which stand for `{name}` in `run`; commands
  // before and after each timed one; exit statuses that mean success.
  std::vector<std::pair<std::string, std::vector<std::string>>> parameters;
  std::vector<std::string> prepare, conclude;
  std::vector<int> exit_statuses = {0};
};

Json to_json(const Program& program);
Program program_from_json(const Json& json);  // throws Error (bad data) that names the field

// Is it a worker, with operations of its own, that nsop starts itself? Its `cases` are case lines.
inline bool is_worker(const Program& program) { return program.adapter == "nsop"; }

// Does the name match one of the program's patterns?
bool is_chosen(const Program& program, const std::string& name);

}  // namespace nsop::adapters
