// What must survive: two writers, a held lock, kill -9, a full disk.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <set>

#include "harness/core/identity.h"
#include "harness/core/tensor/random.h"
#include "harness/store/db.h"
#include "harness/store/query.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::store {
namespace {

using namespace test;

constexpr int kChildOk = 0;

class FaultsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (on_server()) GTEST_SKIP() << "of files";
  }
  TempDir dir_;
  std::string path_ = dir_.file("nsop.db");
};

// Of a file and of a server.
class ClientFaultsTest : public ::testing::Test {
 protected:
  TempDir dir_;
  std::string path_ = dir_.db();
};

int append_many(const std::string& path, const std::string& run_id, int count) {
  Store store(path);
  add_run(store, example_run(run_id), 0, false);
  for (int n = 0; n < count; ++n) store.append(example_invocation(run_id, n));
  store.end_run(run_id, RunState::kComplete, utc_now());
  return kChildOk;
}

pid_t start(const std::function<int()>& f) {
  const pid_t child = fork();
  if (child == 0) _exit(in_child(f));
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(ClientFaultsTest, TwoWritersBothSucceed) {
  // Neither finds a database: both also make it at once.
  const pid_t a = start([&] { return append_many(path_, "run-a", 100); });
  const pid_t b = start([&] { return append_many(path_, "run-b", 100); });
  EXPECT_EQ(wait_for(a), kChildOk);
  EXPECT_EQ(wait_for(b), kChildOk);
  Store store(path_);
  EXPECT_EQ(store.invocations("run-a").size(), 100u);
  EXPECT_EQ(store.invocations("run-b").size(), 100u);
  EXPECT_EQ(store.verify().problems, std::vector<std::string>());
}

TEST_F(FaultsTest, ALockThatStaysIsAnEnvironmentError) {
  { Store store(path_); }
  Database holder(path_, false);
  Transaction lock(holder);
  setenv("NSOP_DB_TIMEOUT_MS", "50", 1);
  Store store(path_);  // opening needs no lock
  const auto result = outcome([&] { store.put_host(example_host()); });
  unsetenv("NSOP_DB_TIMEOUT_MS");
  EXPECT_EQ(result.code, ExitCode::kEnvironment);
  EXPECT_NE(result.message.find("locked"), std::string::npos);
  EXPECT_TRUE(store.runs().empty()) << "readers don't wait for writers";
}

TEST_F(FaultsTest, ALockThatComesFreeIsWaitedFor) {
  { Store store(path_); }
  std::array<int, 2> held{};
  ASSERT_EQ(pipe(held.data()), 0);
  const pid_t holder = start([&] {
    Database db(path_, false);
    Transaction lock(db);
    if (write(held[1], "x", 1) != 1) return 1;
    usleep(300'000);
    return kChildOk;
  });
  char byte = 0;
  ASSERT_EQ(read(held[0], &byte, 1), 1);
  Store store(path_);
  store.put_host(example_host());
  EXPECT_EQ(store.host("host-a").id, "host-a");
  EXPECT_EQ(wait_for(holder), kChildOk);
}

TEST_F(ClientFaultsTest, TheTimeoutMustBeANumber) {
  for (const char* bad : {"soon", "-1", "5s", "99999999999999"}) {
    setenv("NSOP_DB_TIMEOUT_MS", bad, 1);
    EXPECT_EQ(outcome([] { lock_timeout_ms(); }).code, ExitCode::kUsage) << bad;
  }
  unsetenv("NSOP_DB_TIMEOUT_MS");
  EXPECT_EQ(lock_timeout_ms(), 60000);
}

// Appends for ever; tells each invocation on `out` once it is stored.
[[noreturn]] void append_for_ever(const std::string& path, const std::string& run_id, int out) {
  Store store(path);
  add_run(store, example_run(run_id), 0, false);
  for (int n = 0;; ++n) {
    store.append(example_invocation(run_id, n));
    if (write(out, &n, sizeof n) != sizeof n) _exit(1);
  }
}

// Kills such a child after some invocations; how many it had acknowledged.
int kill_after(const std::string& path, const std::string& run_id, int acknowledged, int delay_us) {
  std::array<int, 2> acks{};
  if (pipe(acks.data()) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    close(acks[0]);
    append_for_ever(path, run_id, acks[1]);
  }
  close(acks[1]);
  int last = -1;
  while (last < acknowledged - 1 && read(acks[0], &last, sizeof last) == sizeof last) {
  }
  usleep(static_cast<useconds_t>(delay_us));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  while (read(acks[0], &last, sizeof last) == sizeof last) {
  }
  close(acks[0]);
  return last + 1;
}

TEST_F(ClientFaultsTest, KillNineLosesNothingAcknowledged) {
  SplitMix64 random(1);
  for (int i = 0; i < 20; ++i) {
    const std::string run_id = fmt::format("run-{}", i);
    const int count = kill_after(path_, run_id, i % 4, static_cast<int>(random.uniform() * 4000));
    Store store(path_);
    if (count == 0) continue;  // killed before it had said anything
    std::set<std::string> ids;
    for (const Invocation& one : store.invocations(run_id)) ids.insert(one.id);
    for (int n = 0; n < count; ++n) EXPECT_TRUE(ids.contains(fmt::format("{}-i{}", run_id, n)));
    EXPECT_LE(ids.size(), static_cast<size_t>(count) + 1);
    EXPECT_EQ(store.verify().problems, std::vector<std::string>());
    EXPECT_EQ(store.run(run_id).state, RunState::kRunning);
    store.resume_run(run_id);
    store.end_run(run_id, RunState::kAborted, "2026-01-01T00:00:00Z");
  }
  EXPECT_EQ(Store(path_).verify().problems, std::vector<std::string>());
}

// Fills the disk; 0 when the error was clear, what was acknowledged is there and nothing more.
int fill_disk(const std::string& path) {
  Store store(path);
  int stored = 0;
  ExitCode code = ExitCode::kOk;
  for (; stored < 100'000 && code == ExitCode::kOk; ++stored) {
    code = outcome([&] { store.append(example_invocation("run-1", stored)); }).code;
  }
  if (code != ExitCode::kEnvironment) return 1;
  if (static_cast<int>(store.invocations("run-1").size()) != stored - 1) return 2;
  return store.verify().problems.empty() ? kChildOk : 3;
}

TEST_F(FaultsTest, AFileSizeLimitLosesNothingStored) {
  {
    Store store(path_);
    add_run(store, example_run("run-1"), 0, false);
  }
  EXPECT_EQ(in_child([&] {
              signal(SIGXFSZ, SIG_IGN);
              const rlimit limit{400'000, 400'000};
              if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 97;
              return fill_disk(path_);
            }),
            kChildOk);
  Store store(path_);
  EXPECT_EQ(store.verify().problems, std::vector<std::string>());
  store.end_run("run-1", RunState::kComplete, "2026-01-01T00:00:00Z");  // it goes on with space
}

TEST_F(FaultsTest, AFullDiskLosesNothingStored) {
  constexpr int kNoMount = 77;
  const int code = in_child([&] {
    if (unshare(CLONE_NEWNS) != 0 || mount("", "/", "", MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", dir_.path().c_str(), "tmpfs", 0, "size=1m") != 0) {
      return kNoMount;
    }
    {
      Store store(path_);
      add_run(store, example_run("run-1"), 0, false);
    }
    return fill_disk(path_);
  });
  if (code == kNoMount) GTEST_SKIP() << "needs root and mount namespaces for a small tmpfs";
  EXPECT_EQ(code, kChildOk);
}

TEST_F(FaultsTest, ANewDatabaseOnAFullDiskLeavesNoFile) {
  EXPECT_EQ(in_child([&] {
              signal(SIGXFSZ, SIG_IGN);
              const rlimit limit{8192, 8192};
              if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 97;
              Store store(path_);
              return 0;
            }),
            static_cast<int>(ExitCode::kEnvironment));
  EXPECT_NE(access(path_.c_str(), F_OK), 0);
}

TEST(RenamedError, NamesTheFileThatTheUserKnows) {
  const Error error(ExitCode::kEnvironment, "a.db.new-1: full; a.db.new-1 is gone");
  const Error known = renamed(error, "a.db.new-1", "a.db");
  EXPECT_STREQ(known.what(), "a.db: full; a.db is gone");
  EXPECT_EQ(known.code(), ExitCode::kEnvironment);
}

}  // namespace
}  // namespace nsop::store
