#include "harness/adapters/server.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <optional>

#include "harness/adapters/testing/script_support.h"
#include "harness/core/files.h"
#include "harness/core/io/npy.h"

namespace nsop::adapters {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const char* const kOneRow =
    R"({"benchmarks": [{"name": "BM_A<1>", "run_type": "iteration", "iterations": 10,
        "real_time": 400, "cpu_time": 300, "time_unit": "ns"}]})";

class AdapterServerTest : public testing::Test {
 protected:
  AdapterServerTest() {
    const Program bench =
        folder_.program("bench", "gbench", gbench_script("BM_A<1>\nBM_B\nBM_B", kOneRow));
    Program printing = folder_.program("printing", "command", "cat printed");
    printing.compare = "stdout";
    print("3.14\n");
    server_.emplace(std::vector<Program>{bench, printing}, folder_.path());
  }

  void print(const std::string& text) {
    write_file_atomically(folder_.path() + "/printed", text, Durability::kScratch);
  }
  Json ask(Json request) {
    request["id"] = ++id_;
    const Json answer = server_->handle(request);
    EXPECT_EQ(answer["id"], id_);
    return answer;
  }
  Json load(const std::string& line, const std::string& variant) {
    return ask({{"do", "load"},
                {"case", line},
                {"variant", variant},
                {"threads", 1},
                {"inputs", Json::array()},
                {"dir", folder_.path()}});
  }
  static std::string code(const Json& answer) {
    return answer["ok"] == true ? "ok" : answer["error"]["code"].get<std::string>();
  }

  ScriptFolder folder_;
  std::optional<Server> server_;
  int id_ = 0;
};

TEST_F(AdapterServerTest, EachProgramIsAnOpWithItsBenchmarksAsChoices) {
  const Json hello = ask({{"do", "hello"}});
  ASSERT_EQ(hello["ops"].size(), 2u);
  EXPECT_EQ(hello["ops"][0]["name"], "bench");
  EXPECT_THAT(hello["ops"][0]["params"][0]["choices"].get<std::vector<std::string>>(),
              ElementsAre("BM_A<1>"));
  EXPECT_EQ(hello["variants"][1]["name"], "command");
  EXPECT_EQ(hello["left_out"][0]["case"], "bench name=BM_B");
  EXPECT_NE(hello["build"]["binary_sha256"], "");
}

TEST_F(AdapterServerTest, TimesARowAsItsProgramDoes) {
  EXPECT_EQ(code(ask({{"do", "measure"}})), "not_loaded");
  const Json described = ask({{"do", "describe"}, {"case", "bench name=BM_A<1>"}});
  EXPECT_EQ(described["outputs"], Json::array());
  const Json loaded = load("bench name=BM_A<1>", "gbench");
  ASSERT_EQ(code(loaded), "ok") << loaded;
  EXPECT_EQ(loaded["step_ns"], 400);
  EXPECT_EQ(loaded["repetition_ns"], 4000);
  const Json measured = ask({{"do", "measure"}});
  ASSERT_EQ(measured["repetitions"].size(), 1u);
  EXPECT_EQ(measured["repetitions"][0]["process_cpu_ns"], 3000);
  EXPECT_EQ(code(ask({{"do", "allocs"}, {"iterations", {4}}})), "unsupported");
  EXPECT_EQ(ask({{"do", "dump"}, {"dir", folder_.path()}})["outputs"], Json::array());
  EXPECT_EQ(code(ask({{"do", "quit"}})), "ok");
  EXPECT_TRUE(server_->finished());
}

TEST_F(AdapterServerTest, ARowThatIsKnownNeedsNoProcessToBeLoaded) {
  Json request = {{"do", "load"},
                  {"case", "bench name=BM_A<1>"},
                  {"variant", "gbench"},
                  {"inputs", Json::array()},
                  {"dir", folder_.path()},
                  {"known", {{"step_ns", 400}, {"repetition_ns", 4000}, {"chose", "a way"}}}};
  const Json loaded = ask(request);
  ASSERT_EQ(code(loaded), "ok") << loaded;
  EXPECT_EQ(loaded["step_ns"], 400);
  EXPECT_EQ(loaded["repetition_ns"], 4000);
  EXPECT_EQ(loaded["chose"], "a way");
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/asked"));  // it has not run
  EXPECT_EQ(ask({{"do", "measure"}})["repetitions"].size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/asked"));
  for (const Json& wrong : {Json("fast"), Json::object(), Json({{"step_ns", -1}})}) {
    request["known"] = wrong;
    EXPECT_EQ(code(ask(request)), "bad_request") << wrong;
  }
}

TEST_F(AdapterServerTest, AKnownRowThatIsComparedRunsAllTheSame) {
  const Json loaded = ask({{"do", "load"},
                           {"case", "printing name=run"},
                           {"variant", "command"},
                           {"inputs", Json::array()},
                           {"dir", folder_.path()},
                           {"known", {{"step_ns", 1}, {"repetition_ns", 1}, {"chose", "a way"}}}});
  ASSERT_EQ(code(loaded), "ok") << loaded;
  EXPECT_EQ(loaded["chose"], "");  // what the run told, not what was known
  EXPECT_EQ(loaded["outputs"].size(), 1u);
}

TEST_F(AdapterServerTest, WhatAProgramPrintsIsItsOutput) {
  const std::string line = "printing name=run";
  EXPECT_EQ(ask({{"do", "describe"}, {"case", line}})["outputs"][0]["shape"], Json({32}));
  const Json expected =
      ask({{"do", "reference"}, {"case", line}, {"seed", 1}, {"dir", folder_.path()}});
  ASSERT_EQ(code(expected), "ok") << expected;
  const TensorF64 want = read_npy_f64(expected["expected"][0]);
  const auto digest = [&] { return read_npy_f32(load(line, "command")["outputs"][0]); };
  const Tensor same = digest();
  for (size_t i = 0; i < want.data.size(); ++i) EXPECT_EQ(same.data()[i], want.data[i]);
  print("3.15\n");
  const Tensor other = digest();
  size_t equal = 0;
  for (size_t i = 0; i < want.data.size(); ++i) equal += other.data()[i] == want.data[i] ? 1 : 0;
  EXPECT_LT(equal, 8u);
}

TEST_F(AdapterServerTest, WhatItDoesNotHaveIsRefused) {
  EXPECT_EQ(code(load("bench name=BM_Z", "gbench")), "failed");
  EXPECT_EQ(code(load("bench name=BM_A<1>", "hwy")), "unsupported");
  EXPECT_EQ(code(load("bench name=%3c", "gbench")), "bad_case");
  EXPECT_EQ(code(load("bench", "gbench")), "bad_case");
  EXPECT_EQ(code(load("other name=x", "gbench")), "unknown_op");
  EXPECT_EQ(code(ask({{"do", "describe"}, {"case", "bench name=BM_Z"}})), "bad_case");
  EXPECT_EQ(code(ask({{"do", "dance"}})), "bad_request");
  EXPECT_EQ(code(ask({{"do", "dump"}, {"dir", folder_.path()}})), "not_loaded");
}

}  // namespace
}  // namespace nsop::adapters
