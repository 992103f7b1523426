#include "harness/run/workers/oracle_cache.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/hash.h"
#include "harness/run/lock.h"
#include "harness/run/progress.h"
#include "harness/run/scratch.h"

namespace nsop::run {
namespace {

namespace fs = std::filesystem;

TEST(OracleCacheTest, SameKeySameDataOtherSeedOtherInputs) {
  ScratchFolder scratch;
  OracleCache cache({{NSOP_FAKE_WORKER}, ""}, "sha", "", scratch.path());
  const ReferenceData first = cache.get("double n=4", 1);
  EXPECT_EQ(first.inputs, cache.get("double n=4", 1).inputs);
  EXPECT_EQ(first.inputs.size(), 1u);
  EXPECT_EQ(first.expected.size(), 1u);
  EXPECT_NE(first.inputs_sha256, cache.get("double n=4", 2).inputs_sha256);
}

TEST(OracleCacheTest, AKeptEntryIsUsedUntilItsBytesChange) {
  ScratchFolder scratch, kept;
  const std::string key = sha256_hex("double n=4\n1\nsha");
  {  // an entry as an earlier process left it
    OracleCache cache({{NSOP_FAKE_WORKER}, ""}, "sha", "", scratch.path());
    cache.get("double n=4", 1);
    fs::copy(scratch.path() + "/reference-" + key, kept.path() + "/" + key);
  }
  OracleCache reader({{"/nowhere"}, ""}, "sha", kept.path(), scratch.path());
  EXPECT_THAT(reader.get("double n=4", 1).inputs[0], testing::StartsWith(kept.path()));

  std::fstream file(kept.path() + "/" + key + "/expected0.npy",
                    std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-1, std::ios::end);
  file.put('\x7f');
  file.close();
  OracleCache fresh({{NSOP_FAKE_WORKER}, ""}, "sha", kept.path(), scratch.path());
  EXPECT_THAT(fresh.get("double n=4", 1).inputs[0], testing::StartsWith(scratch.path()));
  EXPECT_FALSE(fs::exists(kept.path() + "/" + key));
}

TEST(OracleCacheTest, AReferenceThatCrashesIsAFailureAndTheNextCaseWorks) {
  ScratchFolder scratch;
  OracleCache cache({{NSOP_FAKE_WORKER, "crash=reference"}, ""}, "sha", "", scratch.path());
  EXPECT_THROW(cache.get("double n=4", 1), WorkerFailure);
  EXPECT_THROW(cache.get("double n=4", 1), WorkerFailure);
}

TEST(OracleCacheTest, TheSameOutputsAreAnsweredFromMemory) {
  ScratchFolder scratch;
  OracleCache cache({{NSOP_FAKE_WORKER}, ""}, "sha", "", scratch.path());
  const std::string one = cache.get("double n=7", 1).inputs[0];
  const std::string other = cache.get("double n=7", 2).inputs[0];
  const std::vector<std::string> first = cache.given("double n=7", 1, {one});
  ASSERT_EQ(first.size(), 1u);
  const auto written = fs::last_write_time(first[0]);
  EXPECT_NE(cache.given("double n=7", 1, {other}), first);
  EXPECT_NE(cache.given("double n=7", 2, {one}), first);
  EXPECT_EQ(cache.given("double n=7", 1, {one}), first);
  EXPECT_EQ(fs::last_write_time(first[0]), written);  // not computed again
}

TEST(OracleCacheTest, WhatThisProcessHandedOutIsNeverEvicted) {
  ScratchFolder scratch, kept;
  const std::string old = kept.path() + "/old";  // of an earlier process
  fs::create_directories(old);
  write_file_atomically(old + "/manifest", "x", Durability::kScratch);
  fs::last_write_time(old + "/manifest", fs::file_time_type::clock::now() - std::chrono::hours(1));
  const WorkerCommand late{{NSOP_FAKE_WORKER, "late=reference"}, ""};
  {
    OracleCache earlier(late, "sha", kept.path(), scratch.path());
    for (const uint64_t seed : {1, 2}) earlier.get("double n=4", seed);
  }
  OracleCache cache(late, "sha", kept.path(), scratch.path(), 1);
  for (const uint64_t seed : {1, 2, 3}) cache.get("double n=4", seed);  // the third needs room
  EXPECT_FALSE(fs::exists(old));
  for (const uint64_t seed : {1, 2}) {
    const ReferenceData& data = cache.get("double n=4", seed);
    EXPECT_THAT(data.inputs[0], testing::StartsWith(kept.path()));
    EXPECT_TRUE(fs::exists(data.inputs[0])) << seed;
    EXPECT_TRUE(fs::exists(data.expected[0])) << seed;
  }
}

TEST(MeasuringLockTest, OnlyOneHoldsIt) {
  ScratchFolder scratch;
  const std::string path = scratch.path() + "/lock";
  {
    const MeasuringLock first(path, 0, nullptr);
    EXPECT_THAT([&] { MeasuringLock second(path, 0, nullptr); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("is measuring")));
  }
  EXPECT_NO_THROW(MeasuringLock(path, 0, nullptr));
}

// In a folder like /tmp the system may refuse to create what another user made already
// (fs.protected_regular): root, too.
TEST(MeasuringLockTest, OneOfAnotherUserIsTaken) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives a file to another user";
  std::ifstream rule("/proc/sys/fs/protected_regular");
  if (int on = 0; !(rule >> on) || on == 0) GTEST_SKIP() << "fs.protected_regular is off here";
  ScratchFolder scratch;
  fs::permissions(scratch.path(), fs::perms::all | fs::perms::sticky_bit);
  const std::string path = scratch.path() + "/lock";
  { const MeasuringLock made(path, 0, nullptr); }
  ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
  EXPECT_NO_THROW(MeasuringLock(path, 0, nullptr));
}

// A process with a scratch folder, until it is killed.
class Holder {
 public:
  Holder() {
    if (pipe(ready_.data()) != 0) throw environment_error("no pipe");
    child_ = fork();
    if (child_ == 0) hold();
    char c = 0;
    while (read(ready_[0], &c, 1) == 1 && c != '\n') path_ += c;
  }
  ~Holder() {
    kill_it();
    for (const int fd : ready_) close(fd);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  void kill_it() {
    if (child_ > 0) kill(child_, SIGKILL);
    if (child_ > 0) waitpid(child_, nullptr, 0);
    child_ = -1;
  }
  bool folder_is_there() const { return fs::exists(path_ + "/output"); }

 private:
  [[noreturn]] void hold() const {
    const ScratchFolder scratch;
    write_file_atomically(scratch.path() + "/output", std::string(1000, 'x'), Durability::kScratch);
    const std::string path = scratch.path() + "\n";
    if (write(ready_[1], path.data(), path.size()) > 0) pause();
    _exit(1);
  }

  std::array<int, 2> ready_{};
  pid_t child_ = -1;
  std::string path_;
};

// kill -9 leaves the folder, which holds hundreds of MB of memory.
TEST(ScratchFolderTest, OneOfAKilledProcessGoesWithTheNextOneOneOfALivingProcessStays) {
  Holder holder;
  remove_dead_scratch();
  EXPECT_TRUE(holder.folder_is_there()) << "its process lives";
  holder.kill_it();
  EXPECT_TRUE(holder.folder_is_there());
  const ScratchFolder next;
  EXPECT_FALSE(holder.folder_is_there());
  EXPECT_TRUE(fs::exists(next.path()));
}

// What fills the memory must go where the next process therefore works elsewhere, too.
TEST(ScratchFolderTest, OneOfAKilledProcessGoesWhereverTheNextOneWorks) {
  const char* const before = getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  unsetenv("TMPDIR");
  Holder holder;
  holder.kill_it();
  const std::string elsewhere = testing::TempDir() + "scratch_test_" + std::to_string(getpid());
  fs::create_directory(elsewhere);
  setenv("TMPDIR", elsewhere.c_str(), 1);
  {
    const ScratchFolder next;
    EXPECT_TRUE(next.path().starts_with(elsewhere));
    EXPECT_FALSE(holder.folder_is_there());
  }
  fs::remove_all(elsewhere);
  kept.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
}

TEST(ScratchFolderTest, GoesWithItsObject) {
  std::string path;
  {
    const ScratchFolder scratch;
    path = scratch.path();
    write_file_atomically(path + "/a", "a");
    EXPECT_TRUE(fs::exists(path + "/a"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(ProgressTest, TextFitsItsColumnsAndTellsTheRest) {
  EXPECT_EQ(duration_text(7.6), "8 s");
  EXPECT_EQ(duration_text(80), "1 min 20 s");
  EXPECT_EQ(duration_text(7500), "2 h 5 min");
  const std::string text = progress_text("relu pass=forward n=1000", 5, 20, "1 min 20 s left", 60);
  EXPECT_EQ(text, "[#####               ] 5/20, 1 min 20 s left  relu pass=for");
  EXPECT_EQ(progress_text("x", 0, 8, "", 80), "[                    ] 0/8  x");
}

}  // namespace
}  // namespace nsop::run
