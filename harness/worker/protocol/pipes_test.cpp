#include "harness/worker/protocol/pipes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "harness/core/text.h"
#include "harness/worker/server.h"

namespace nsop::worker {
namespace {

struct Pipe {
  Pipe() { EXPECT_EQ(pipe(ends.data()), 0); }
  ~Pipe() {
    close_read();
    close_write();
  }
  void close_read() { close_end(0); }
  void close_write() { close_end(1); }
  void close_end(size_t i) {
    if (ends[i] >= 0) close(ends[i]);
    ends[i] = -1;
  }
  std::array<int, 2> ends{-1, -1};
};

// Sends `text` in pieces of `piece` bytes, closes the pipe and returns the status and all answers.
std::pair<int, std::vector<Json>> converse(const std::string& text, size_t piece) {
  Pipe in, out;
  std::string answers;
  std::thread writer([&] {
    for (size_t at = 0; at < text.size(); at += piece) {
      const std::string part = text.substr(at, piece);
      if (write(in.ends[1], part.data(), part.size()) < 0) break;
    }
    in.close_write();
  });
  std::thread reader([&] {
    std::array<char, 4096> buffer{};
    for (ssize_t got = 0; (got = read(out.ends[0], buffer.data(), buffer.size())) > 0;) {
      answers.append(buffer.data(), static_cast<size_t>(got));
    }
  });
  Server server(Surroundings::of_this_process("test-worker"));
  const int status = serve(server, in.ends[0], out.ends[1]);
  in.close_read();
  out.close_write();
  writer.join();
  reader.join();
  std::vector<Json> lines;
  for (const std::string& line : split(answers, '\n')) {
    if (!line.empty()) lines.push_back(parse_json(line, "answer"));
  }
  return {status, lines};
}

TEST(Pipes, AnswersInOrderHoweverTheBytesArrive) {
  const std::string text = "{\"id\":1,\"do\":\"hello\"}\n{\"id\":2,\"do\":\"x\"}\nrubbish\n";
  for (const size_t piece : {size_t{1}, size_t{7}, size_t{1000}}) {
    const auto [status, lines] = converse(text, piece);
    EXPECT_EQ(status, 0);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0]["id"], 1);
    EXPECT_EQ(lines[1]["error"]["code"], "bad_request");
    EXPECT_EQ(lines[2]["id"], nullptr);
  }
}

TEST(Pipes, NothingIsReadAfterQuit) {
  const auto [status, lines] =
      converse("{\"id\":1,\"do\":\"quit\"}\n{\"id\":2,\"do\":\"hello\"}\n", 1000);
  EXPECT_EQ(status, 0);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["ok"], true);
}

TEST(Pipes, HalfALineAtTheEndIsNoRequest) {
  const auto [status, lines] = converse("{\"id\":1,\"do\":\"hello\"}", 1000);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(lines.empty());
}

TEST(Pipes, AnEndlessLineIsRefusedAndTheNextOneAnswered) {
  const auto [status, lines] =
      converse(std::string(3 << 20, 'x') + "\n{\"id\":2,\"do\":\"quit\"}\n", 1 << 16);
  EXPECT_EQ(status, 0);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["error"]["code"], "bad_request");
  EXPECT_EQ(lines[1]["ok"], true);
}

TEST(Pipes, EndsCleanlyWhenNobodyReadsTheAnswers) {
  Pipe in, out;
  const std::string text = "{\"id\":1,\"do\":\"hello\"}\n";
  ASSERT_EQ(write(in.ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  out.close_read();
  Server server(Surroundings::of_this_process("test-worker"));
  EXPECT_EQ(serve(server, in.ends[0], out.ends[1]), 0);
}

TEST(Pipes, ABadDescriptorIsAnEnvironmentError) {
  Pipe out;
  Server server(Surroundings::of_this_process("test-worker"));
  EXPECT_EQ(serve(server, -1, out.ends[1]), 5);
}

}  // namespace
}  // namespace nsop::worker
