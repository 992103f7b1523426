// Fake workers (harness/run/testing) as programs, as builds of a gate and as commits.
#pragma once

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/identity.h"
#include "harness/core/text.h"
#include "harness/judge/builds/build_tree.h"
#include "harness/judge/builds/command.h"
#include "harness/judge/builds/revisions.h"

namespace nsop::judge::test {

using Faults = std::vector<std::string>;

// A variable of the environment that is another one while this lives.
class ChangedVariable {
 public:
  ChangedVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = ::getenv(name); before != nullptr) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~ChangedVariable() {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  ChangedVariable(const ChangedVariable&) = delete;
  ChangedVariable& operator=(const ChangedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// A folder from which programs can be run; it is removed with everything in it.
class ProgramFolder {
 public:
  ProgramFolder() { std::filesystem::create_directories(path_); }
  ~ProgramFolder() { std::filesystem::remove_all(path_); }
  ProgramFolder(const ProgramFolder&) = delete;
  ProgramFolder& operator=(const ProgramFolder&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  // Makes a program of this name, a fake worker with these faults; returns its path.
  std::string add(const std::string& name, const Faults& faults = {}) const {
    std::string script = "#!/bin/sh\nexec " NSOP_FAKE_WORKER;
    for (const std::string& fault : faults) script += " '" + fault + "'";
    const std::filesystem::path program = file(name);
    std::filesystem::create_directories(program.parent_path());
    write_file_atomically(program, script + " \"$@\"\n", Durability::kScratch);
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return program;
  }
  // The same program in so many link orders, worker-0, worker-1, ... in a folder of this name;
  // returns the folder's path.
  std::string add_layouts(const std::string& name, int layouts, const Faults& faults = {}) const {
    for (int i = 0; i < layouts; ++i) {
      Faults own = faults;
      own.push_back(fmt::format("layout={}", i));  // no fault: each is a build of its own
      add(fmt::format("{}/worker-{}", name, i), own);
    }
    return file(name);
  }

 private:
  std::string path_ = std::filesystem::temp_directory_path() / ("nsop-programs-" + new_uuid());
};

// A repository of commits whose builds are kept already, so that nothing is compiled: fake workers.
class FakeRepository {
 public:
  FakeRepository() {
    std::filesystem::create_directories(place().repository);
    git({"init", "-q", "-b", "main"});
  }

  BuildPlace place() const { return {programs_.file("repository"), programs_.file("cache")}; }

  // A commit without a file and without a build; returns its name.
  std::string commit(const std::string& subject) const {
    git({"commit", "-q", "--allow-empty", "-m", subject});
    return commit_of(place(), "HEAD");
  }
  // One whose build, which names it, in so many link orders has these faults. Its objects are of
  // this hash; commits of one hash are identical.
  std::string commit(const std::string& subject, const std::string& objects, Faults faults = {},
                     int layouts = 1) const {
    std::string name = commit(subject);
    faults.push_back(fmt::format("set=hello /build/commit \"{}\"", name));  // no fault either
    const std::string kept = fmt::format("cache/{}-{}-{}", name, layouts, toolchain());
    programs_.add_layouts(kept, layouts, faults);
    for (const auto& [file, text] :
         {std::pair{"libnsop_alloc.so", std::string()}, {"objects.sha256", objects}}) {
      write_file_atomically(programs_.file(kept + "/" + file), text, Durability::kScratch);
    }
    return name;
  }
  void git(const std::vector<std::string>& arguments) const {
    std::vector<std::string> command = {"git", "-c", "user.name=t", "-c", "user.email=t@t"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const CommandResult result = run_command(command, place().repository);
    if (result.status != 0) throw environment_error(result.output);
  }

 private:
  ProgramFolder programs_;
};

}  // namespace nsop::judge::test
