#include "harness/core/files.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "harness/core/error.h"
#include "harness/core/hash.h"

namespace nsop {
namespace {

TEST(Files, FilesAreWrittenWholeOrNotAtAll) {
  const std::string folder = testing::TempDir() + "util_test_" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  const std::string path = folder + "/a";
  write_file_atomically(path, "one");
  write_file_atomically(path, "two");
  EXPECT_EQ(read_file(path), "two");
  EXPECT_EQ(sha256_file(path), sha256_hex("two"));
  EXPECT_THROW(write_file_atomically(folder + "/none/a", "x"), Error);
  EXPECT_THROW(read_file(folder), Error);
  const auto files = std::distance(std::filesystem::directory_iterator(folder),
                                   std::filesystem::directory_iterator());
  EXPECT_EQ(files, 1);
  std::filesystem::remove_all(folder);
}

// What a killed process left goes with the next write beside it, and nothing else does.
TEST(Files, AbandonedTemporariesAreRemovedByTheNextWrite) {
  const std::string folder = testing::TempDir() + "files_test_" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  const std::string left = folder + "/night.ndjson.nsop-new-a1b2c3";
  const std::string young = folder + "/night.ndjson.nsop-new-d4e5f6";
  const std::string other = folder + "/night.ndjson.new";
  for (const std::string& file : {left, young, other}) write_file_atomically(file, "half");
  const utimbuf long_ago{std::time(nullptr) - 7200, std::time(nullptr) - 7200};
  for (const std::string& file : {left, other}) ASSERT_EQ(utime(file.c_str(), &long_ago), 0);

  write_file_atomically(folder + "/scratch", "x", Durability::kScratch);
  EXPECT_TRUE(std::filesystem::exists(left));
  write_file_atomically(folder + "/b", "x");
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(young));
  EXPECT_TRUE(std::filesystem::exists(other));
  EXPECT_EQ(remove_unfinished_in(folder + "/none").files, 0);
  std::filesystem::remove_all(folder);
}

TEST(Files, EntriesOfAFolderComeByNameAndAFolderThatIsGoneIsAnError) {
  const std::string folder = testing::TempDir() + "files_test_" + std::to_string(getpid());
  std::filesystem::create_directories(folder + "/b/deep");
  for (const char* name : {"/c", "/a", "/b/deep/d"}) write_file_atomically(folder + name, "x");
  std::filesystem::create_directory_symlink(folder, folder + "/b/around");
  const auto names = [&](bool below) {
    std::error_code error;
    std::vector<std::string> all;
    for (const auto& entry : entries_of(folder, error, below)) {
      all.push_back(entry.path().string().substr(folder.size()));
    }
    EXPECT_FALSE(error);
    return all;
  };
  EXPECT_THAT(names(false), testing::ElementsAre("/a", "/b", "/c"));
  EXPECT_THAT(names(true),
              testing::ElementsAre("/a", "/b", "/c", "/b/around", "/b/deep", "/b/deep/d"));
  std::filesystem::remove_all(folder);
  std::error_code error;
  EXPECT_TRUE(entries_of(folder, error).empty());
  EXPECT_EQ(error, std::errc::no_such_file_or_directory);
}

TEST(Files, AWriteIntoAFolderThatIsGoneIsAnError) {
  const std::string folder = testing::TempDir() + "files_test_" + std::to_string(getpid());
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::create_directory(folder);
  std::filesystem::current_path(folder);
  std::filesystem::remove(folder);
  EXPECT_THROW(write_file_atomically("a", "x"), Error);
  std::filesystem::current_path(before);
}

// Not an empty or a shorter file. (What a process has at address 0 can't be read.)
TEST(Files, AFileThatCantBeReadToItsEndIsAnError) {
  const std::string path = "/proc/self/mem";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  const auto whole = [](const std::string& file) { return read_file(file); };
  for (const std::function<std::string(const std::string&)>& read :
       {std::function<std::string(const std::string&)>(whole),
        std::function<std::string(const std::string&)>(sha256_file)}) {
    try {
      read(path);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kEnvironment);
      EXPECT_EQ(std::string(error.what()), path + ": can't be read: Input/output error");
    }
  }
}

TEST(Files, APipeToWhichNobodyWritesIsNotWaitedForForEver) {
  const std::string path = testing::TempDir() + "files_test_" + std::to_string(getpid());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  setenv("NSOP_PIPE_TIMEOUT_MS", "20", 1);
  for (const std::function<void()>& read :
       {std::function<void()>([&] { read_file(path); }),
        std::function<void()>([&] { read_pieces(path, [](std::string_view) {}); })}) {
    try {
      read();
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kEnvironment);
      EXPECT_THAT(error.what(), testing::StartsWith(path + ": is a pipe that brought nothing for "
                                                           "0.02 s; write to it, or set "
                                                           "NSOP_PIPE_TIMEOUT_MS"));
    }
  }
  unsetenv("NSOP_PIPE_TIMEOUT_MS");
  std::string content;
  std::thread reader([&] { content = read_file(path); });
  std::ofstream(path) << "two\nlines\n";  // opens when there is a reader
  reader.join();
  EXPECT_EQ(content, "two\nlines\n");
  std::filesystem::remove(path);
}

TEST(Files, ATimeoutIsMillisecondsOrAnErrorThatNamesTheVariable) {
  EXPECT_EQ(timeout_ms("NSOP_TEST_TIMEOUT_MS", 7), 7);
  for (const auto& [text, ms] : {std::pair{"0", 0}, {"250", 250}, {"", 7}}) {
    setenv("NSOP_TEST_TIMEOUT_MS", text, 1);
    EXPECT_EQ(timeout_ms("NSOP_TEST_TIMEOUT_MS", 7), ms) << text;
  }
  for (const char* bad : {"-1", "1.5", "soon", "99999999999"}) {
    setenv("NSOP_TEST_TIMEOUT_MS", bad, 1);
    EXPECT_THAT([] { timeout_ms("NSOP_TEST_TIMEOUT_MS", 7); },
                testing::ThrowsMessage<Error>(testing::StartsWith("NSOP_TEST_TIMEOUT_MS=")));
  }
  unsetenv("NSOP_TEST_TIMEOUT_MS");
}

TEST(Files, ALargerFileThanAllowedIsNotReadIntoMemory) {
  const std::string path = testing::TempDir() + "files_test_" + std::to_string(getpid());
  write_file_atomically(path, std::string(2 << 20, 'x'));
  EXPECT_EQ(read_file(path, 2 << 20).size(), 2u << 20);
  std::filesystem::resize_file(path,
                               uint64_t{1} << 40);  // a hole: reading it would take all memory
  try {
    read_file(path, 2 << 20);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadData);
    EXPECT_EQ(std::string(error.what()), path + ": larger than 2 MiB");
  }
  std::filesystem::remove(path);
}

// `--out /dev/null` must not leave a file in its place, and a link must not be cut.
TEST(Files, WhatIsNoFileAndWhatIsALinkStayWhatTheyAre) {
  const std::string folder = testing::TempDir() + "files_test_" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  write_file_atomically("/dev/null", "x");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));

  const std::string target = folder + "/target", link = folder + "/link";
  write_file_atomically(target, "one");
  std::filesystem::create_symlink("target", link);
  write_file_atomically(link, "two");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_file(target), "two");
  std::filesystem::remove(target);
  write_file_atomically(link, "three");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_file(target), "three");

  const std::string pipe = folder + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(write_file_atomically(pipe, "x"), Error) << "nobody reads";
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  std::string got;
  std::thread reader([&] { got = read_file(pipe); });
  while (true) {
    try {
      write_file_atomically(pipe, "through a pipe");
      break;
    } catch (const Error&) {
      std::this_thread::yield();  // the reader hasn't opened it yet
    }
  }
  reader.join();
  EXPECT_EQ(got, "through a pipe");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace nsop
