#include "harness/worker/server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/core/identity.h"
#include "harness/core/io/npy.h"
#include "harness/worker/testing/transcript_support.h"

namespace nsop::worker {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class ServerTest : public testing::Test {
 protected:
  ServerTest() { std::filesystem::create_directories(dir_); }
  ~ServerTest() override { std::filesystem::remove_all(dir_); }

  static Server server() { return Server(Surroundings::of_this_process("test-worker")); }
  Json reference(Server& server, const std::string& case_text, int seed, const std::string& dir) {
    return server.handle(
        {{"id", 1}, {"do", "reference"}, {"case", case_text}, {"seed", seed}, {"dir", dir}});
  }
  Json load(Server& server, const std::string& variant, const Json& inputs) {
    return server.handle({{"id", 2},
                          {"do", "load"},
                          {"case", kCase},
                          {"variant", variant},
                          {"target", "WIDE"},
                          {"threads", 1},
                          {"inputs", inputs},
                          {"dir", dir_}});
  }
  std::string made_dir(const std::string& name) {
    std::filesystem::create_directories(dir_ + "/" + name);
    return dir_ + "/" + name;
  }

  static constexpr const char* kCase = "scale n=100 range=-1:1";
  std::string dir_ = std::filesystem::temp_directory_path() / ("nsop-server-test-" + new_uuid());
};

std::vector<float> values(const Json& paths) {
  const Tensor tensor = read_npy_f32(paths.at(0).get<std::string>());
  return {tensor.data().begin(), tensor.data().end()};
}

std::vector<float> doubled(std::vector<float> x) {
  for (float& v : x) v *= 2;
  return x;
}

// Which transcripts: those of the process that counts, or of the one that times.
std::string transcripts() {
  return std::string(NSOP_TRANSCRIPTS) + (find_alloc_hook() ? "/v1_counting" : "/v1");
}

TEST_F(ServerTest, TranscriptsOfVersion1AreAnsweredForEver) {
  int files = 0, replayed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(transcripts())) {
    Server s = server();
    EXPECT_EQ(replay(s, entry.path(), dir_, replayed), "");
    EXPECT_TRUE(s.finished()) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 1);
  EXPECT_GE(replayed, 10);
}

TEST_F(ServerTest, ReferenceWritesInputsAndTheOracleOfThem) {
  Server s = server();
  const Json answer = reference(s, kCase, 7, dir_);
  const std::vector<float> x = values(answer.at("inputs"));
  const TensorF64 y = read_npy_f64(answer.at("expected").at(0));
  ASSERT_EQ(x.size(), 100u);
  ASSERT_EQ(y.data.size(), 100u);
  for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(y.data[i], 2.0 * double{x[i]});
}

TEST_F(ServerTest, ASecondLoadOverwritesTheInputsInPlace) {
  Server s = server();
  const Json first = reference(s, kCase, 1, made_dir("1")),
             second = reference(s, kCase, 2, made_dir("2"));
  const std::vector<float> x1 = values(first["inputs"]), x2 = values(second["inputs"]);
  ASSERT_NE(x1, x2);
  EXPECT_EQ(values(load(s, "plain", first["inputs"])["outputs"]), doubled(x1));
  EXPECT_EQ(values(load(s, "plain", second["inputs"])["outputs"]), doubled(x2));
  const Json dump = s.handle({{"id", 3}, {"do", "dump"}, {"dir", made_dir("3")}});
  EXPECT_EQ(values(dump["inputs"]), x2);
  EXPECT_EQ(values(dump["outputs"]), doubled(x2));
}

TEST_F(ServerTest, OutputsThatAStepDoesNotWriteAreNaN) {
  Server s = server();
  const Json inputs = reference(s, kCase, 1, dir_)["inputs"];
  EXPECT_TRUE(std::ranges::none_of(values(load(s, "lazy", inputs)["outputs"]),
                                   [](float v) { return std::isnan(v); }));
  EXPECT_TRUE(std::ranges::all_of(values(load(s, "lazy", inputs)["outputs"]),
                                  [](float v) { return std::isnan(v); }));
}

TEST_F(ServerTest, WhatIsExpectedMayDependOnTheOutputs) {
  Server s = server();
  EXPECT_EQ(s.handle({{"id", 1}, {"do", "describe"}, {"case", "thin n=4"}})["given_outputs"], true);
  const Json inputs = reference(s, "thin n=4", 1, dir_);
  EXPECT_EQ(inputs["expected"], Json::array());
  const std::string produced = dir_ + "/produced.npy";
  const auto expected = [&](const std::vector<float>& values, const Shape& shape) {
    write_npy(produced, shape, values);
    return s.handle({{"id", 1},
                     {"do", "reference"},
                     {"case", "thin n=4"},
                     {"seed", 1},
                     {"dir", dir_},
                     {"outputs", {produced}}});
  };
  const std::vector<float> x = values(inputs["inputs"]);
  const Json answer = expected({0, x[1], 0, -1}, {4});
  const TensorF64 y = read_npy_f64(answer["expected"].at(0).get<std::string>());
  EXPECT_EQ(y.data, (std::vector<double>{0, x[1], 0, x[3]}));
  EXPECT_EQ(expected({0, 0}, {2})["error"]["code"], "bad_request");
}

TEST_F(ServerTest, AFailedLoadLeavesNothingLoaded) {
  Server s = server();
  const Json inputs = reference(s, kCase, 1, dir_)["inputs"];
  EXPECT_EQ(load(s, "plain", inputs)["ok"], true);
  EXPECT_EQ(load(s, "throwing", inputs)["error"]["code"], "failed");
  EXPECT_EQ(s.handle({{"id", 3}, {"do", "dump"}, {"dir", dir_}})["error"]["code"], "not_loaded");
}

TEST_F(ServerTest, ACaseTooLargeForMemoryIsAnsweredWithBothNumbers) {
  Surroundings surroundings = Surroundings::of_this_process("test-worker");
  surroundings.available_bytes = [] { return int64_t{1599}; };
  Server s(surroundings);
  const Json refused = reference(s, kCase, 1, dir_);
  EXPECT_EQ(refused["error"]["code"], "failed");
  EXPECT_THAT(refused["error"]["message"].get<std::string>(),
              HasSubstr("needs 1600 bytes, 1599 are available"));
  surroundings.available_bytes = [] { return int64_t{1600}; };
  Server enough(surroundings);
  EXPECT_EQ(reference(enough, kCase, 1, dir_)["ok"], true);
}

TEST_F(ServerTest, MemoryThatOverflowsAnIntegerIsTooMuch) {
  Server s = server();
  const Json answer =
      s.handle({{"id", 1}, {"do", "describe"}, {"case", "scale n=9000000000000000000 range=-1:1"}});
  EXPECT_EQ(answer["ok"], true) << answer;
  EXPECT_EQ(answer["memory_bytes"], int64_t{9'000'000'000'000'000'000});
}

TEST_F(ServerTest, AHookWhoseCanaryFailsIsNotUsed) {
  Surroundings surroundings = Surroundings::of_this_process("test-worker");
  surroundings.hook = AllocHook{[] {}, [] {}, [](NsopAllocTotals* t) { *t = {}; }};
  testing::internal::CaptureStderr();
  Server s(surroundings);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("canary"));
  const Json hello = s.handle({{"id", 1}, {"do", "hello"}});
  EXPECT_THAT(hello["features"].get<std::vector<std::string>>(), Not(Contains("allocs")));
  EXPECT_EQ(s.handle({{"id", 2}, {"do", "allocs"}, {"iterations", {1}}})["error"]["code"],
            "unsupported");
}

TEST_F(ServerTest, BytesThatAreNoUtf8AreAnsweredToo) {
  Server s = server();
  const std::string answer = s.handle_line("{\"id\":1,\"do\":\"\xff\xfe\"}");
  EXPECT_EQ(parse_json(answer, "answer")["ok"], false);
  EXPECT_EQ(answer.find('\n'), std::string::npos);
}

TEST_F(ServerTest, DeepNestingIsAnsweredToo) {
  Server s = server();
  const std::string answer = s.handle_line("{\"id\":" + std::string(100'000, '['));
  EXPECT_EQ(parse_json(answer, "answer")["error"]["code"], "bad_request");
}

TEST_F(ServerTest, AnIdThatIsNoIntegerIsRefused) {
  Server s = server();
  EXPECT_EQ(s.handle({{"id", "x"}, {"do", "hello"}})["error"]["code"], "bad_request");
}

TEST_F(ServerTest, TheBuildIsDescribed) {
  Server s = server();
  const Build build = build_from_json(s.handle({{"id", 1}, {"do", "hello"}})["build"]);
  EXPECT_EQ(build.reference_sha256.size(), 64u);
  EXPECT_THAT(build.compiler, testing::AnyOf(HasSubstr("gcc"), HasSubstr("clang")));
  EXPECT_THAT(build.libc, HasSubstr("glibc 2."));
  EXPECT_THAT(build.flags, HasSubstr("-O"));
  EXPECT_EQ(build.binary_sha256, "");  // for nsop to fill in
  EXPECT_TRUE(build.commit == "unknown" || build.commit.size() == 40u) << build.commit;
}

TEST(Transcript, TheMatcherSeesEveryKindOfDifference) {
  const Json got = {{"a", 1}, {"b", {"x", 2.5}}, {"c", {{"d", nullptr}}}};
  EXPECT_EQ(misfit({{"a", 1}, {"c", {{"d", nullptr}}}}, got), "");
  EXPECT_EQ(misfit({{"a", "<integer>"}, {"b", {"<text>", "<number>"}}, {"c", "<object>"}}, got),
            "");
  EXPECT_EQ(misfit({{"z", 1}}, got), "answer.z: missing");
  EXPECT_THAT(misfit({{"a", 2}}, got), HasSubstr("answer.a: expected 2, got 1"));
  EXPECT_THAT(misfit({{"b", {"x", 2}}}, got), HasSubstr("answer.b[1]"));
  EXPECT_THAT(misfit({{"b", {"x"}}}, got), HasSubstr("answer.b"));
  EXPECT_THAT(misfit({{"a", "<text>"}}, got), HasSubstr("answer.a"));
  EXPECT_THAT(misfit({{"c", "<list>"}}, got), HasSubstr("answer.c"));
  const Json list = Json::parse(R"([{"name":"x","n":1},{"name":"y","n":2}])");
  EXPECT_EQ(misfit(Json::parse(R"([{"name":"y"}])"), list), "");
  EXPECT_EQ(misfit(Json::parse(R"([{"name":"z"}])"), list), "answer[\"z\"]: missing");
  EXPECT_THAT(misfit(Json::parse(R"([{"name":"y","n":1}])"), list), HasSubstr("answer[\"y\"].n"));
}

}  // namespace
}  // namespace nsop::worker
