#include "harness/adapters/child_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/text.h"

namespace nsop::adapters {
namespace {

namespace fs = std::filesystem;

// The files of this path, one per process, in the order of their numbers.
std::vector<std::string> files_at(const std::string& path) {
  std::vector<std::string> files;
  const std::string begin = fs::path(path).filename().string() + ".";
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(path).parent_path())) {
    if (entry.path().filename().string().starts_with(begin)) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// `ITERATIONS ALLOCS BYTES PEAK`.
AllocWindow window_of(const std::string& line, const std::string& file) {
  const std::vector<std::string> words = split(line, ' ');
  AllocWindow window;
  const std::vector<int64_t*> fields = {&window.iterations, &window.allocs, &window.bytes,
                                        &window.peak_live_bytes};
  bool whole = words.size() == fields.size();
  for (size_t i = 0; whole && i < fields.size(); ++i) {
    const char* end = words[i].data() + words[i].size();
    const auto read = std::from_chars(words[i].data(), end, *fields[i]);
    whole = read.ec == std::errc() && read.ptr == end && *fields[i] >= 0;
  }
  if (!whole) throw bad_data(fmt::format("{}: '{}' is no count", file, message_line(line)));
  return window;
}

}  // namespace

std::vector<std::string> counting_environment(CountWhat what, const std::string& path) {
  return {(what == CountWhat::kProcess ? "NSOP_COUNT_PROCESS=" : "NSOP_COUNT_LOOPS=") + path};
}

std::vector<AllocWindow> counted_windows(CountWhat what, const std::string& path) {
  std::vector<AllocWindow> windows;
  for (const std::string& file : files_at(path)) {
    for (const std::string& line : split(read_file(file), '\n')) {
      if (!line.empty()) windows.push_back(window_of(line, file));
    }
    fs::remove(file);
  }
  if (what == CountWhat::kStateLoop || windows.size() < 2) return windows;
  AllocWindow all = windows.front();
  for (size_t i = 1; i < windows.size(); ++i) {
    all.allocs += windows[i].allocs;
    all.bytes += windows[i].bytes;
    all.peak_live_bytes = std::max(all.peak_live_bytes, windows[i].peak_live_bytes);
  }
  return {all};
}

}  // namespace nsop::adapters
