#include "harness/core/io/npy.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/io/npy_view.h"

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

// A file of format 1.0 as NumPy writes it.
std::string npy_file(const std::string& type, const std::string& shape, const std::string& data) {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + data;
}

TEST_F(NpyTest, NumbersOfAnyTypeBecomeFloats) {
  const auto read = [&](const std::string& type, const std::string& data) {
    write_file_atomically(path_, npy_file(type, "2,", data));
    const Tensor tensor = read_npy_as_f32(path_);
    EXPECT_EQ(tensor.shape(), Shape{2});
    return std::vector<float>(tensor.data().begin(), tensor.data().end());
  };
  EXPECT_THAT(read("|u1", "\x01\xff"), testing::ElementsAre(1, 255));
  EXPECT_THAT(read("|i1", "\x01\xff"), testing::ElementsAre(1, -1));
  EXPECT_THAT(read("|b1", std::string("\x00\x01", 2)), testing::ElementsAre(0, 1));
  EXPECT_THAT(read("<u2", "\xff\xff\x01\x02"), testing::ElementsAre(65535, 513));
  EXPECT_THAT(read("<u4", std::string("\xff\xff\xff\xff\x01\0\0\0", 8)),
              testing::ElementsAre(0x1p32f, 1));
  EXPECT_THAT(read("<u8", std::string(8, '\xff') + std::string("\x01\0\0\0\0\0\0\0", 8)),
              testing::ElementsAre(0x1p64f, 1));
  EXPECT_THAT(read("<i2", "\xfe\xff\x01\x02"), testing::ElementsAre(-2, 513));
  EXPECT_THAT(read("<i4", std::string("\xfd\xff\xff\xff\x01\x00\x01\x00", 8)),
              testing::ElementsAre(-3, 65537));
  EXPECT_THAT(read("<i8", std::string(15, '\xff') + '\x7f'), testing::ElementsAre(-1, 0x1p63f));
  write_npy(path_, TensorF64{{2}, {0.5, 1e300}});
  EXPECT_THAT(read_npy_as_f32(path_).data()[0], 0.5f);
  EXPECT_EQ(read_npy_as_f32(path_).data()[1], std::numeric_limits<float>::infinity());
  EXPECT_THROW(read("<c8", std::string(16, '\0')), Error);
  EXPECT_THROW(read("<i4", "\x01\x02"), Error);
}

TEST_F(NpyTest, WhatNumpyWritesOtherwiseIsRefusedWithTheReason) {
  const auto why = [&](const std::string& file) -> std::string {
    write_file_atomically(path_, file);
    try {
      read_npy_as_f32(path_);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadData);
      return error.what();
    }
    return "it was read";
  };
  using testing::HasSubstr;
  EXPECT_THAT(why(npy_file(">f4", "1,", "1234")), HasSubstr("type >f4, expected one of <f4, <f8"));
  std::string fortran = npy_file("<f4", "1,", "1234");
  fortran.replace(fortran.find("False"), 5, "True ");
  EXPECT_THAT(why(fortran), HasSubstr("Fortran order, expected C order"));
  std::string fields = npy_file("<f4", "1,", "1234");
  fields.replace(fields.find("'<f4'"), 5, "[('a'");
  EXPECT_THAT(why(fields), HasSubstr("elements of several fields"));
  // Products of extents that wrap round to what there is.
  EXPECT_THAT(why(npy_file("<f4", "4294967296, 4294967296", "")), HasSubstr("more than any file"));
  EXPECT_THAT(why(npy_file("<f4", "6148914691236517205, 3", "1234")),
              HasSubstr("more than any file"));
  EXPECT_THAT(why(npy_file("<f4", "-1,", "1234")), HasSubstr("'-1' where a size was expected"));
}

TEST_F(NpyTest, AViewShowsWhatIsInTheFile) {
  const std::vector<float> data = {1, -0.0F, 3.5F, 7, 8, 9};
  write_npy(path_, {2, 3}, data);
  const NpyView<float> a(path_), again(path_);
  EXPECT_EQ(a.shape(), (Shape{2, 3}));
  EXPECT_TRUE(std::equal(data.begin(), data.end(), a.data().begin(), a.data().end()));
  EXPECT_TRUE(same_bits(a, again));
  write_npy(path_, {3, 2}, data);
  const NpyView<float> other(path_);
  EXPECT_FALSE(same_bits(a, other)) << "another shape";
  std::filesystem::resize_file(path_, 0);  // as a worker may that answered already
  EXPECT_EQ(other.data().back(), 9);
  EXPECT_THROW(NpyView<double>{path_}, Error);
  write_file_atomically(path_, "");
  EXPECT_THROW(NpyView<float>{path_}, Error);
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
