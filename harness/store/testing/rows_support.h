// What the tests of the store share: example nouns, a temporary folder, child processes.
#pragma once

#include <functional>
#include <string>

#include "harness/core/error.h"
#include "harness/store/store.h"

namespace nsop::store::test {

// A folder that is removed with everything in it.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

Host example_host(const std::string& id = "host-a");
Build example_build(const std::string& id = "build-a", const std::string& commit = "c0ffee1234");
Run example_run(const std::string& id, const std::string& started_utc = "2026-01-01T00:00:00Z");
// The n-th timing invocation of a run.
Invocation example_invocation(const std::string& run_id, int n);
// Host, build and a run with `invocations`, complete unless `seal` is false.
void add_run(Store& store, const Run& run, int invocations = 3, bool seal = true);

// The exit code and message of what `f` throws; kOk and "" if it doesn't.
struct Outcome {
  ExitCode code = ExitCode::kOk;
  std::string message;
};
Outcome outcome(const std::function<void()>& f);

// Makes the database of a dump: one of testdata/, which earlier versions wrote.
void old_database(const std::string& path, const std::string& dump);

// Runs statements on a database file behind the store's back.
void raw_sql(const std::string& path, const std::string& statements);

// Runs `f` in a child process; its exit status, or 128 + the signal that ended it. The result of
// `f` is the exit status; an Error's is its code.
int in_child(const std::function<int()>& f);

}  // namespace nsop::store::test
