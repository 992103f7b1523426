#include "harness/core/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "harness/core/error.h"

namespace nsop {
namespace {

using File = std::unique_ptr<FILE, int (*)(FILE*)>;

File open_for_reading(const std::string& path) {
  File file(std::fopen(path.c_str(), "rb"), std::fclose);
  struct stat info {};
  if (file && fstat(fileno(file.get()), &info) == 0 && S_ISDIR(info.st_mode)) {
    throw environment_error(fmt::format("{}: is a folder, a file was expected", path));
  }
  if (!file) throw unreadable_file(path);
  return file;
}

void read_open(FILE* file, const std::string& path,
               const std::function<void(std::string_view)>& use) {
  std::array<char, 1 << 16> buffer;
  size_t size = 0;
  while ((size = std::fread(buffer.data(), 1, buffer.size(), file)) > 0) {
    use({buffer.data(), size});
  }
  if (std::ferror(file) != 0) throw unreadable_file(path);
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
    const ssize_t n = write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    content.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

}  // namespace

Error unreadable_file(const std::string& path) {
  return environment_error(fmt::format("{}: can't be read: {}", path, std::strerror(errno)));
}

void read_pieces(const std::string& path, const std::function<void(std::string_view)>& use) {
  const File file = open_for_reading(path);
  read_open(file.get(), path, use);
}

std::string read_file(const std::string& path) {
  const File file = open_for_reading(path);
  std::string content;
  struct stat status {};
  if (fstat(fileno(file.get()), &status) == 0 && status.st_size > 0) {
    content.reserve(static_cast<size_t>(status.st_size));
  }
  read_open(file.get(), path, [&](std::string_view piece) { content.append(piece); });
  return content;
}

void write_file_atomically(const std::string& path, std::string_view content,
                           Durability durability) {
  write_parts_atomically(path, {content, {}}, durability);
}

void write_parts_atomically(const std::string& path, const std::array<std::string_view, 2>& parts,
                            Durability durability) {
  std::string temporary = path + ".XXXXXX";
  const int fd = mkstemp(temporary.data());
  if (fd < 0) write_failed(path, "");
  for (const std::string_view part : parts) {
    if (write_all(fd, part)) continue;
    close(fd);
    write_failed(path, temporary);
  }
  const bool synced =
      fchmod(fd, 0644) == 0 && (durability == Durability::kScratch || fsync(fd) == 0);
  if (close(fd) != 0 || !synced || std::rename(temporary.c_str(), path.c_str()) != 0) {
    write_failed(path, temporary);
  }
}

}  // namespace nsop
