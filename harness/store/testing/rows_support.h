// What the tests of the store share: example nouns, a temporary folder, child processes.
#pragma once

#include <functional>
#include <map>
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
  // Address of a database of its own: a file here, or of the server in NSOP_TEST_SERVER.
  std::string db(const std::string& name = "nsop.db");

 private:
  std::string path_;
  std::map<std::string, std::string> databases_;  // of the server: names by those given
};

// Do the databases of db() lie on a server?
bool on_server();
// The server's address with another database.
std::string server_address(const std::string& database);

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

// A database as it is now, to be put back.
class Kept {
 public:
  explicit Kept(const std::string& address);
  ~Kept();
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  void put_back() const;

 private:
  std::string address_, content_;  // of a file, or the name of a copy on the server
};

// Runs statements behind the store's back; what triggers refuse, they refuse here.
void raw_sql(const std::string& address, const std::string& statements);
// The same where no trigger and no reference is checked: damage.
void damage(const std::string& address, const std::string& statements);

// Runs `f` in a child process; its exit status, or 128 + the signal that ended it. The result of
// `f` is the exit status; an Error's is its code.
int in_child(const std::function<int()>& f);

}  // namespace nsop::store::test
