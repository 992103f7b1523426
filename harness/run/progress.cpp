#include "harness/run/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nsop::run {

std::string duration_text(double seconds) {
  const auto s = static_cast<int64_t>(std::lround(std::max(0.0, seconds)));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
}

namespace {

std::string after_comma(const std::string& left) { return left.empty() ? "" : ", " + left; }

}  // namespace

std::string progress_text(const std::string& what, int64_t done, int64_t planned,
                          const std::string& left, int columns) {
  constexpr int kBar = 20;
  const int64_t filled = planned > 0 ? std::clamp<int64_t>(done * kBar / planned, 0, kBar) : 0;
  const std::string head = fmt::format("[{:#>{}}{:>{}}] {}/{}{}  ", "", filled, "", kBar - filled,
                                       done, planned, after_comma(left));
  const int room = columns - 1 - static_cast<int>(head.size());
  return head + (room > 0 ? what.substr(0, static_cast<size_t>(room)) : "");
}

ProgressLine::ProgressLine(FILE* stream, Mode mode, int columns)
    : stream_(stream), mode_(mode), columns_(columns) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::update(const std::string& what, int64_t done, int64_t planned, double left_s) {
  update(what, done, planned, std::isnan(left_s) ? "" : duration_text(left_s) + " left");
}

void ProgressLine::update(const std::string& what, int64_t done, int64_t planned,
                          const std::string& left) {
  using std::chrono::steady_clock;
  const auto now = steady_clock::now();
  const auto pause =
      mode_ == Mode::kTerminal ? std::chrono::milliseconds(100) : std::chrono::milliseconds(30'000);
  if (mode_ == Mode::kSilent || (last_ != steady_clock::time_point{} && now - last_ < pause))
    return;
  last_ = now;
  if (mode_ == Mode::kTerminal) {
    fmt::print(stream_, "\r\033[K{}", progress_text(what, done, planned, left, columns_));
  } else {
    fmt::print(stream_, "{}/{} invocations{}\n", done, planned, after_comma(left));
  }
  std::fflush(stream_);
}

void ProgressLine::note(const std::string& text) {
  if (mode_ == Mode::kSilent) return;
  clear();
  fmt::print(stream_, "{}\n", text);
}

void ProgressLine::clear() {
  if (mode_ != Mode::kTerminal) return;
  fmt::print(stream_, "\r\033[K");
  std::fflush(stream_);
}

}  // namespace nsop::run
