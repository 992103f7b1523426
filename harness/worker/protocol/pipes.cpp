#include "harness/worker/protocol/pipes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>
#include <string>

#include "harness/core/error.h"

namespace nsop::worker {
namespace {

constexpr size_t kMaxLine = size_t{1} << 20;

Error io_error(const char* what) {
  return environment_error(
      fmt::format("worker: can't {} its pipe: {}", what, std::strerror(errno)));
}

class LineReader {
 public:
  explicit LineReader(int fd) : fd_(fd) {}

  // False at the end of file; a last line without a line break is dropped: it is half a request.
  // `too_long` lines arrive cut off.
  bool next(std::string& line, bool& too_long) {
    line.clear();
    too_long = false;
    while (true) {
      if (at_ == filled_ && !fill()) return false;
      const char* const from = buffer_ + at_;
      const auto* const end = static_cast<const char*>(std::memchr(from, '\n', filled_ - at_));
      const size_t count = end != nullptr ? static_cast<size_t>(end - from) : filled_ - at_;
      if (line.size() + count > kMaxLine) too_long = true;
      if (!too_long) line.append(from, count);
      at_ += count + (end != nullptr ? 1 : 0);
      if (end != nullptr) return true;
    }
  }

 private:
  bool fill() {
    ssize_t got = 0;
    do {
      got = read(fd_, buffer_, sizeof buffer_);
    } while (got < 0 && errno == EINTR);
    if (got < 0) throw io_error("read");
    at_ = 0;
    filled_ = static_cast<size_t>(got);
    return got > 0;
  }

  int fd_;
  char buffer_[65536] = {};
  size_t at_ = 0, filled_ = 0;
};

// False when nobody reads any more.
bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EPIPE) return false;
    if (wrote < 0) throw io_error("write to");
    text.remove_prefix(static_cast<size_t>(wrote));
  }
  return true;
}

std::optional<int> parse_fd(std::string_view text) {
  int fd = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fd);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && fd >= 0 && fcntl(fd, F_GETFD) >= 0 ? std::optional(fd) : std::nullopt;
}

}  // namespace

std::pair<int, int> parse_pipes(std::string_view text) {
  const size_t comma = text.find(',');
  if (comma != std::string_view::npos) {
    const auto in = parse_fd(text.substr(0, comma)), out = parse_fd(text.substr(comma + 1));
    if (in && out) return {*in, *out};
  }
  throw usage_error(
      fmt::format("--pipes: expected IN,OUT, two open file descriptors, got '{}'", text));
}

int serve(Conversation& conversation, int in, int out) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    LineReader reader(in);
    std::string line;
    bool too_long = false;
    while (!conversation.finished() && reader.next(line, too_long)) {
      // What is cut off is no JSON, so the answer is a bad request in any case.
      const std::string answer =
          conversation.handle_line(too_long ? "(a line beyond 1 MiB)" : line);
      if (!write_all(out, answer + "\n")) break;
    }
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  }
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace nsop::worker
