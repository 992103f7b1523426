#include "harness/core/files.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

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

// Not an empty or a shorter file. (What a process has at address 0 can't be read.)
TEST(Files, AFileThatCantBeReadToItsEndIsAnError) {
  const std::string path = "/proc/self/mem";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  for (const auto& read : {read_file, sha256_file}) {
    try {
      read(path);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kEnvironment);
      EXPECT_EQ(std::string(error.what()), path + ": can't be read: Input/output error");
    }
  }
}

}  // namespace
}  // namespace nsop
