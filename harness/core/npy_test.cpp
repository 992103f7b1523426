#include "harness/core/npy.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/util.h"

namespace nsop {
namespace {

class NpyTest : public testing::Test {
 protected:
  NpyTest() : path_(testing::TempDir() + "npy_test_" + std::to_string(getpid()) + ".npy") {}
  ~NpyTest() override { std::filesystem::remove(path_); }
  std::string path_;
};

TEST_F(NpyTest, FloatsComeBack) {
  Tensor tensor({2, 3});
  std::iota(tensor.data().begin(), tensor.data().end(), -1.5f);
  write_npy(path_, tensor.shape(), tensor.data());
  const Tensor back = read_npy_f32(path_);
  EXPECT_EQ(back.shape(), tensor.shape());
  EXPECT_THAT(std::vector<float>(back.data().begin(), back.data().end()),
              testing::ElementsAre(-1.5f, -0.5f, 0.5f, 1.5f, 2.5f, 3.5f));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(back.data().data()) % kAlignment, 0u);
}

TEST_F(NpyTest, DoublesComeBack) {
  write_npy(path_, TensorF64{{3}, {1e-300, 0.1, -7}});
  const TensorF64 back = read_npy_f64(path_);
  EXPECT_EQ(back.shape, Shape{3});
  EXPECT_EQ(back.data, (std::vector<double>{1e-300, 0.1, -7}));
}

TEST_F(NpyTest, WrongFilesAreBadData) {
  const auto refused = [&](const std::string& content) {
    write_file_atomically(path_, content);
    try {
      read_npy_f32(path_);
    } catch (const Error& error) {
      return error.code() == ExitCode::kBadData;
    }
    return false;
  };
  EXPECT_TRUE(refused(""));
  EXPECT_TRUE(refused("not a numpy file at all"));
  write_npy(path_, TensorF64{{1}, {1}});
  EXPECT_THROW(read_npy_f32(path_), Error);
  Tensor tensor({4});
  std::fill(tensor.data().begin(), tensor.data().end(), 1.0f);
  write_npy(path_, tensor.shape(), tensor.data());
  const std::string whole = read_file(path_);
  EXPECT_TRUE(refused(whole.substr(0, whole.size() - 1)));
  EXPECT_TRUE(refused(whole + "x"));
  EXPECT_TRUE(refused(whole.substr(0, 40)));
}

TEST_F(NpyTest, MissingFileIsAnEnvironmentError) {
  try {
    read_npy_f32(path_ + ".none");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kEnvironment);
  }
}

}  // namespace
}  // namespace nsop
