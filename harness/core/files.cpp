#include "harness/core/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace nsop {
namespace {

constexpr const char* kPipeTimeout = "NSOP_PIPE_TIMEOUT_MS";
constexpr int kPipeTimeoutMs = 60'000;
constexpr int64_t kAbandonedS = 3600;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

struct stat status_of(int fd, const std::string& path) {
  struct stat status {};
  if (fd < 0 || fstat(fd, &status) != 0) throw unreadable_file(path);
  if (S_ISDIR(status.st_mode)) {
    throw environment_error(fmt::format("{}: is a folder, a file was expected", path));
  }
  return status;
}

// A pipe to which nobody writes must not hold us up for ever.
void wait_for_data(int fd, const std::string& path) {
  const int most_ms = timeout_ms(kPipeTimeout, kPipeTimeoutMs);
  pollfd waiting{fd, POLLIN, 0};
  int ready = 0;
  while ((ready = poll(&waiting, 1, most_ms)) < 0 && errno == EINTR) {
  }
  if (ready == 0) {
    throw environment_error(fmt::format(
        "{}: is a pipe that brought nothing for {} s; write to it, or set {} to wait longer", path,
        most_ms / 1000.0, kPipeTimeout));
  }
}

void read_open(int fd, const std::string& path, bool is_pipe,
               const std::function<void(std::string_view)>& use) {
  std::array<char, 1 << 16> buffer;
  while (true) {
    if (is_pipe) wait_for_data(fd, path);
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) throw unreadable_file(path);
    if (n == 0) return;
    use({buffer.data(), static_cast<size_t>(n)});
  }
}

[[noreturn]] void write_failed(const std::string& path, const std::string& temporary) {
  const int error = errno;
  if (!temporary.empty()) unlink(temporary.c_str());
  throw environment_error(fmt::format(
      "{}: can't be written: {}; free space or choose another folder", path, std::strerror(error)));
}

// Sets errno and returns false on failure.
bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    content.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

// A device, a pipe or a socket stays what it is: nothing takes its place.
void write_into(const std::string& path, const std::array<std::string_view, 2>& parts) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (file.get() < 0) write_failed(path, "");  // a pipe without a reader, too
  fcntl(file.get(), F_SETFL, 0);               // from here on it may wait for its reader
  for (const std::string_view part : parts) {
    if (!write_all(file.get(), part)) write_failed(path, "");
  }
}

// The file that a symbolic link leads to, so that the link stays one.
std::string behind_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the kernel follows
  std::filesystem::path at = path;
  std::error_code error;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(at, error); ++i) {
    const std::filesystem::path target = std::filesystem::read_symlink(at, error);
    if (error) break;
    at = at.parent_path() / target;  // an absolute target stands alone
  }
  return at.string();
}

// Is it a file of this user to which nobody wrote for an hour?
bool is_abandoned(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         status.st_uid == geteuid() && std::time(nullptr) - status.st_mtime > kAbandonedS;
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

int timeout_ms(const char* variable, int unset) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return unset;
  int ms = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, ms);
  if (error != std::errc() || stop != end || ms < 0) {
    throw usage_error(fmt::format("{}={}: expected milliseconds >= 0", variable, text));
  }
  return ms;
}

Error unreadable_file(const std::string& path) {
  return environment_error(fmt::format("{}: can't be read: {}", path, std::strerror(errno)));
}

void read_pieces(const std::string& path, const std::function<void(std::string_view)>& use) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const struct stat status = status_of(file.get(), path);
  read_open(file.get(), path, S_ISFIFO(status.st_mode), use);
}

std::string program_on_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
    const std::string file = folder + "/" + program;
    std::error_code error;
    const bool is_file = !folder.empty() && std::filesystem::is_regular_file(file, error);
    if (is_file && access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

std::string read_file(const std::string& path, size_t most_bytes) {
  const auto too_large = [&] {
    return bad_data(fmt::format("{}: larger than {} MiB", path, most_bytes >> 20));
  };
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const struct stat status = status_of(file.get(), path);
  const auto size = static_cast<size_t>(std::max<off_t>(0, status.st_size));
  if (size > most_bytes) throw too_large();
  std::string content;
  content.reserve(size);
  read_open(file.get(), path, S_ISFIFO(status.st_mode), [&](std::string_view piece) {
    content.append(piece);
    if (content.size() > most_bytes) throw too_large();  // a pipe, or a file that grows
  });
  return content;
}

std::vector<std::filesystem::directory_entry> entries_of(const std::string& folder,
                                                         std::error_code& error, bool below) {
  std::vector<std::filesystem::directory_entry> entries;
  std::filesystem::directory_iterator it(folder, error);
  const bool is_open = !error;
  // A range-based loop would throw where the next entry can't be read.
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    entries.push_back(*it);
  }
  std::sort(entries.begin(), entries.end());
  std::error_code ignored;
  for (size_t i = 0, own = entries.size(); below && is_open && i < own; ++i) {
    if (entries[i].is_symlink(ignored) || !entries[i].is_directory(ignored)) continue;
    const auto more = entries_of(entries[i].path().string(), ignored, true);
    entries.insert(entries.end(), more.begin(), more.end());
  }
  return entries;
}

void write_file_atomically(const std::string& path, std::string_view content,
                           Durability durability) {
  write_parts_atomically(path, {content, {}}, durability);
}

void write_parts_atomically(const std::string& wanted, const std::array<std::string_view, 2>& parts,
                            Durability durability) {
  struct stat status {};
  if (stat(wanted.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    return write_into(wanted, parts);
  }
  const std::string path = behind_links(wanted);
  if (durability == Durability::kDurable) remove_unfinished_in(folder_of(path));
  std::string temporary = path + kUnfinishedMark + "XXXXXX";
  const int fd = mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) write_failed(wanted, "");
  for (const std::string_view part : parts) {
    if (write_all(fd, part)) continue;
    close(fd);
    write_failed(wanted, temporary);
  }
  const bool synced =
      fchmod(fd, 0644) == 0 && (durability == Durability::kScratch || fsync(fd) == 0);
  if (close(fd) != 0 || !synced || std::rename(temporary.c_str(), path.c_str()) != 0) {
    write_failed(wanted, temporary);
  }
}

Leftovers remove_abandoned(const std::string& folder,
                           const std::function<bool(const std::string&)>& is_ours) {
  Leftovers found;
  std::error_code ignored;
  for (const auto& entry : entries_of(folder, ignored)) {
    const std::string path = entry.path().string();
    if (!is_ours(entry.path().filename().string()) || !is_abandoned(path)) continue;
    const auto bytes = static_cast<int64_t>(entry.file_size(ignored));
    if (!std::filesystem::remove(path, ignored)) continue;
    ++found.files;
    found.bytes += bytes;
  }
  return found;
}

Leftovers remove_unfinished_in(const std::string& folder) {
  return remove_abandoned(
      folder, [](const std::string& name) { return name.find(kUnfinishedMark) != name.npos; });
}

}  // namespace nsop
