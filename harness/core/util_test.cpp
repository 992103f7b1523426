#include "harness/core/util.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "harness/core/error.h"

namespace nsop {
namespace {

TEST(UtilTest, Sha256KnowsItsTestVectors) {  // FIPS 180-2, appendix B
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(UtilTest, UuidsAreVersion4AndDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string uuid = new_uuid();
    EXPECT_THAT(uuid,
                testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-"
                                      "[0-9a-f]{12}"));
    seen.insert(uuid);
  }
  EXPECT_EQ(seen.size(), 100u);
}

TEST(UtilTest,
     SplitMix64KnowsItsTestVector) {  // first outputs for seed 1234567, Vigna's splitmix64.c
  SplitMix64 generator(1234567);
  EXPECT_EQ(generator.next(), 6457827717110365317u);
  EXPECT_EQ(generator.next(), 3203168211198807973u);
}

TEST(UtilTest, TextHelpers) {
  EXPECT_THAT(split("a,,b", ','), testing::ElementsAre("a", "", "b"));
  EXPECT_EQ(join(std::vector<std::string>{"a", "b"}, ", "), "a, b");
  EXPECT_EQ(trim(" \ta b\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_THAT(utc_now(), testing::MatchesRegex("....-..-..T..:..:..Z"));
}

TEST(UtilTest, FilesAreWrittenWholeOrNotAtAll) {
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
TEST(UtilTest, AFileThatCantBeReadToItsEndIsAnError) {
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
