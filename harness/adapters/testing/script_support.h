// Programs for tests, as shell scripts in a folder that goes with the test.
#pragma once

#include <string>

#include "harness/adapters/program.h"

namespace nsop::adapters {

class ScriptFolder {
 public:
  ScriptFolder();
  ~ScriptFolder();
  ScriptFolder(const ScriptFolder&) = delete;
  ScriptFolder& operator=(const ScriptFolder&) = delete;

  const std::string& path() const { return path_; }
  // A program `name` with this body, to be asked by the adapter.
  Program program(const std::string& name, const std::string& adapter, const std::string& body);

 private:
  std::string path_;
};

// A script that lists these names, one per line, and answers every other call with this JSON. It
// writes its arguments to the file `asked` beside it.
std::string gbench_script(const std::string& names, const std::string& json);

}  // namespace nsop::adapters
