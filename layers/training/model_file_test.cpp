// Model files: what is saved comes back, and whatever is wrong with a file is refused with the
// model left as it was.
#include "layers/training/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "layers/activations.h"
#include "layers/dense.h"
#include "layers/testing/layer_support.h"

namespace nsop::layers {
namespace {

using testing::HasSubstr;

class ModelFile : public testing::Test {
 protected:
  ModelFile() : path_(testing::TempDir() + "model_" + std::to_string(getpid()) + ".safetensors") {}
  ~ModelFile() override { std::filesystem::remove(path_); }
  std::string path_;
};
using ModelFileProperty = ModelFile;

Sequential network(size_t hidden, uint64_t seed) {
  Sequential net;
  net.add<Dense>(3, hidden).add<ReLU>().add<Dense>(hidden, 2);
  net.init({1, 3});
  Random random(seed);
  net.init_parameters(random);
  return net;
}

std::string bits_of(const std::vector<ModelTensor>& tensors) {
  std::string bits;
  for (const ModelTensor& t : tensors) {
    bits.append(reinterpret_cast<const char*>(t.value.data()), t.value.size_bytes());
  }
  return bits;
}

// Writes `content`, loads it and says why it was refused; the tensors must not change.
std::string refusal(const std::string& path, const std::string& content,
                    const std::vector<ModelTensor>& into) {
  std::ofstream(path, std::ios::binary) << content;
  const std::string before = bits_of(into);
  try {
    load_model(path, into);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadData);
    EXPECT_EQ(bits_of(into), before) << error.what();
    EXPECT_THAT(error.what(), HasSubstr(path));
    EXPECT_THAT(error.what(), testing::Not(HasSubstr("\n")));
    return error.what();
  }
  return "it was read";
}

// A file as another program might write it.
std::string foreign(const std::string& header, size_t data_bytes) {
  std::string bytes(8, '\0');
  const uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  bytes += header;
  for (size_t i = 0; i < data_bytes / 4; ++i) {
    const auto value = static_cast<float>(i);
    bytes.append(reinterpret_cast<const char*>(&value), 4);
  }
  return bytes;
}

TEST_F(ModelFile, ANetworkComesBackWithItsMetadata) {
  const Sequential saved = network(5, 1), loaded = network(5, 2);
  save_model(path_, tensors_of(saved), {{"epoch", "12"}, {"note", "\"quoted\"\n"}});
  ASSERT_NE(bits_of(tensors_of(saved)), bits_of(tensors_of(loaded)));
  const auto metadata = load_model(path_, tensors_of(loaded));
  EXPECT_EQ(bits_of(tensors_of(saved)), bits_of(tensors_of(loaded)));
  EXPECT_THAT(metadata, testing::UnorderedElementsAre(testing::Pair("epoch", "12"),
                                                      testing::Pair("note", "\"quoted\"\n")));
}

TEST_F(ModelFile, OptimizerStateIsOptional) {
  const Sequential saved = network(5, 1), loaded = network(5, 2);
  Optimizer adam(Adam{}), other(Adam{});
  adam.init(saved.parameters());
  other.init(loaded.parameters());
  adam.step(0.1);
  save_model(path_, tensors_of(saved, adam));
  load_model(path_, tensors_of(loaded));
  EXPECT_EQ(other.steps(), 0);
  load_model(path_, tensors_of(loaded, other));
  EXPECT_EQ(other.steps(), 1);
  save_model(path_, tensors_of(saved));
  EXPECT_THAT(refusal(path_, read_file(path_), tensors_of(loaded, other)),
              HasSubstr("\"optimizer.steps\" of Adam: expected shape 1, but"));
}

TEST_F(ModelFile, AnotherModelsFileIsRefusedByLayerAndShape) {
  const Sequential five = network(5, 1), six = network(6, 2);
  save_model(path_, tensors_of(five));
  EXPECT_THAT(refusal(path_, read_file(path_), tensors_of(six)),
              HasSubstr("tensor \"0.weight\" of Dense(3->6): expected shape 6x3, given 5x3"));
  Sequential shorter;
  shorter.add<Dense>(3, 5);
  shorter.init({1, 3});
  EXPECT_THAT(refusal(path_, read_file(path_), tensors_of(shorter)),
              HasSubstr("tensor \"2.bias\" (\"F32\" 2) is none of the model's"));
}

TEST_F(ModelFile, ReadsWhatOtherProgramsWrite) {
  std::vector<float> a(2), b(3);
  const std::vector<ModelTensor> tensors = {{"a", {2}, a, ""}, {"b", {3, 1}, b, ""}};
  write_file_atomically(path_, foreign(R"({ "__metadata__": {"format": "pt"},
    "b": {"shape": [3, 1], "data_offsets": [0, 12], "dtype": "F32"},
    "a": {"dtype": "F32", "shape": [2], "data_offsets": [12, 20]} }   )",
                                       20));
  EXPECT_EQ(load_model(path_, tensors).at("format"), "pt");
  EXPECT_EQ(a, (std::vector<float>{3, 4}));
  EXPECT_EQ(b, (std::vector<float>{0, 1, 2}));
}

TEST_F(ModelFile, WrongHeadersAreRefusedWithTheReason) {
  std::vector<float> a(2), b(2);
  const std::vector<ModelTensor> tensors = {{"a", {2}, a, ""}, {"b", {2}, b, ""}};
  const auto refuse = [&](const std::string& entry_a, const std::string& entry_b) {
    const std::string header = R"({"a":{)" + entry_a + R"(},"b":{)" + entry_b + "}}";
    return refusal(path_, foreign(header, 16), tensors);
  };
  const std::string good_a = R"("dtype":"F32","shape":[2],"data_offsets":[0,8])";
  const std::string good_b = R"("dtype":"F32","shape":[2],"data_offsets":[8,16])";
  EXPECT_EQ(refuse(good_a, good_b), "it was read");
  EXPECT_THAT(refuse(good_a, R"("dtype":"F32","shape":[2],"data_offsets":[4,12])"),
              HasSubstr("\"b\" at bytes [4, 12) overlaps another"));
  EXPECT_THAT(refuse(good_a, R"("dtype":"F32","shape":[1],"data_offsets":[12,16])"),
              HasSubstr("leaves a gap"));
  EXPECT_THAT(refuse(good_a, R"("dtype":"F32","shape":[3],"data_offsets":[8,20])"),
              HasSubstr("is truncated: 16 bytes of tensors, the header speaks of 20"));
  EXPECT_THAT(refuse(good_a, R"("dtype":"F32","shape":[1],"data_offsets":[8,12])"),
              HasSubstr("is too long"));
  EXPECT_THAT(refuse(good_a, R"("dtype":"F16","shape":[2],"data_offsets":[8,16])"),
              HasSubstr("expected type F32, given \"F16\""));
  EXPECT_THAT(refuse(good_a, R"("dtype":"F32","shape":[2,1],"data_offsets":[8,16])"),
              HasSubstr("expected shape 2, given 2x1"));
  EXPECT_THAT(refuse(R"("dtype":"F32","shape":[2],"data_offsets":[0,4])",
                     R"("dtype":"F32","shape":[2],"data_offsets":[4,16])"),
              HasSubstr("4 bytes of data, its shape needs 8"));
  EXPECT_THAT(refuse(good_a, good_b + R"(,"more":1)"), HasSubstr("expected dtype, shape and two"));
  EXPECT_THAT(refuse(good_a, R"("dtype":"F32","shape":[-2],"data_offsets":[8,16])"),
              HasSubstr("-2 where a whole number"));
  EXPECT_THAT(refuse(good_a, R"("dtype":"F32","shape":[2],"data_offsets":[16,8])"),
              HasSubstr("[16, 8)"));
  EXPECT_THAT(refuse(good_a + R"(},"a":{)" + good_a, good_b), HasSubstr("given twice"));
  EXPECT_THAT(refuse(good_a, R"("dtype":"F32","shape":[18446744073709551615],)"
                             R"("data_offsets":[8,16])"),
              HasSubstr("expected shape 2"));
}

TEST_F(ModelFile, EveryTruncationAndEveryDamagedByteIsRefused) {
  const Sequential saved = network(2, 1), into = network(2, 2);
  save_model(path_, tensors_of(saved), {{"note", "ab"}});
  const std::string whole = read_file(path_);
  const std::vector<ModelTensor> tensors = tensors_of(into);
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(refusal(path_, whole.substr(0, size), tensors), "it was read") << size;
  }
  EXPECT_NE(refusal(path_, whole + "x", tensors), "it was read");
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1 << at % 8);
    EXPECT_NE(refusal(path_, damaged, tensors), "it was read") << at;
  }
  EXPECT_EQ(refusal(path_, whole, tensors), "it was read");
}

RC_GTEST_FIXTURE_PROP(ModelFileProperty, AnyTensorsComeBackBitByBit, ()) {
  const auto count = *rc::gen::inRange<size_t>(0, 6);
  std::vector<std::vector<float>> saved(count), loaded(count);
  std::vector<ModelTensor> from, to;
  for (size_t i = 0; i < count; ++i) {
    const Shape shape = *rc::gen::container<Shape>(*rc::gen::inRange<size_t>(0, 4),
                                                   rc::gen::inRange<int64_t>(0, 5));
    const auto size = static_cast<size_t>(element_count(shape));
    const auto words =
        *rc::gen::container<std::vector<uint32_t>>(size, rc::gen::arbitrary<uint32_t>());
    saved[i].resize(size);
    loaded[i].resize(size);
    if (size > 0) std::memcpy(saved[i].data(), words.data(), size * sizeof(float));
    const std::string name =
        std::to_string(i) + *rc::gen::container<std::string>(rc::gen::inRange(' ', '~'));
    from.push_back({name, shape, saved[i], ""});
    to.push_back({name, shape, loaded[i], ""});
  }
  save_model(path_, from);
  load_model(path_, to);
  RC_ASSERT(bits_of(from) == bits_of(to));
}

TEST_F(ModelFile, SaysWhyAFileCantBeReadOrWritten) {
  const Sequential net = network(2, 1);
  const auto code = [&](const std::function<void()>& act) {
    try {
      act();
    } catch (const Error& error) {
      return error.code();
    }
    return ExitCode::kOk;
  };
  EXPECT_EQ(code([&] { load_model(path_, tensors_of(net)); }), ExitCode::kEnvironment);
  EXPECT_EQ(code([&] { save_model(path_ + ".none/x", tensors_of(net)); }), ExitCode::kEnvironment);
  std::vector<float> a(1);
  EXPECT_EQ(code([&] {
              save_model(path_, {{"a", {1}, a, ""}, {"a", {1}, a, ""}});
            }),
            ExitCode::kUsage);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace nsop::layers
