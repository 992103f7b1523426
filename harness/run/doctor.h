// Is this machine fit to measure on, and if not, what to do about it. Looks only; changes nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/sample.h"
#include "harness/run/plan/peers.h"

namespace nsop::run {

enum class Level {
  kOk,
  kWarn,  // results are usable, but noisier or less comparable than they could be
  kBad,   // measuring is not possible or makes no sense
};
std::string level_text(Level level);  // `ok`, `warn`, `bad`

struct Finding {
  std::string name;  // `governor`, `load`, ... ; one per check, always in the same order
  Level level = Level::kOk;
  std::string what;  // what was found, one sentence or less
  std::string fix;   // a command or an advice; empty for ok
};

// Something that must be installed: a program on the search path or, with an empty program, a
// Debian package.
struct Need {
  std::string program;
  std::string package;  // what `apt-get install` takes
};

struct Examination {
  std::string root;           // "" = this machine; tests pass a folder with copies of its files
  std::string database_path;  // the disk that it lies on, or will lie on, is looked at; empty: none
  std::string search_path;    // folders of programs joined by ':', usually $PATH; below root
  std::vector<Need> needs;
};

// All findings, machine first, then disk, then needs. Never throws for what it finds.
std::vector<Finding> examine(const Examination& what);

// What nsop measures with.
struct OwnPrograms {
  std::string worker;                   // the path where it should be
  std::string preload;                  // the counting library; empty: there is none
  std::function<std::string()> python;  // the renderer's interpreter; throws Error without one
  PeerPlaces peers;
};

// Are they there? Worker, allocation counter, python, peers, devices; looked for, not started.
std::vector<Finding> examine_programs(const OwnPrograms& programs);

// kEnvironment where a finding is bad, else kOk.
ExitCode exit_of(const std::vector<Finding>& findings);

// The single checks, for what no folder of copies can show.
Finding check_disk(const std::string& folder, std::optional<std::uintmax_t> free_bytes,
                   bool writable);
Finding check_server(const std::string& address);  // of a database; never throws
std::vector<Finding> check_machine(const Host& host, const Conditions& conditions);

}  // namespace nsop::run
