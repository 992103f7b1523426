// Progress on standard error: a bar with ETA on a terminal, a plain line every 30 s elsewhere.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace nsop::run {

class ProgressLine {
 public:
  enum class Mode { kSilent, kPlain, kTerminal };
  ProgressLine(FILE* stream, Mode mode, int columns);
  ~ProgressLine();  // clears the bar

  // `left_s`: NaN says nothing of it.
  void update(const std::string& what, int64_t done, int64_t planned, double left_s);
  // The same where something else than "so long left" is true.
  void update(const std::string& what, int64_t done, int64_t planned, const std::string& left);
  // A line of its own, above the bar.
  void note(const std::string& text);
  void clear();

 private:
  FILE* stream_;
  Mode mode_;
  int columns_;
  std::chrono::steady_clock::time_point last_{};
};

// The text of one update: `[#####     ] 42/310, 1 min 20 s left  what`, at most `columns` wide.
// Nothing of the time where `left` is empty.
std::string progress_text(const std::string& what, int64_t done, int64_t planned,
                          const std::string& left, int columns);
std::string duration_text(double seconds);  // `8 s`, `1 min 20 s`, `2 h 5 min`

}  // namespace nsop::run
