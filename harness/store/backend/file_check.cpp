#include "harness/store/backend/file_check.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>

#include "harness/core/error.h"

namespace nsop::store {
namespace {

constexpr size_t kHeaderBytes = 100;
constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr size_t kApplicationIdOffset = 68;  // big endian, https://www.sqlite.org/fileformat.html

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

bool writable(const std::string& path) {
  return faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

void sync_path(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool ok = fd >= 0 && fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0) close(fd);
  if (!ok) {
    throw environment_error(fmt::format("{}: can't be made durable: {}", path, strerror(error)));
  }
}

}  // namespace

bool file_exists(const std::string& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0;
}

void check_header(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    throw environment_error(fmt::format("{}: can't be read: {}", path, strerror(errno)));
  }
  if (!S_ISREG(info.st_mode)) {
    throw environment_error(fmt::format("{}: is no file; name a database file", path));
  }
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) throw environment_error(fmt::format("{}: can't be read: {}", path, strerror(errno)));
  std::array<char, kHeaderBytes> header{};
  const size_t size = std::fread(header.data(), 1, header.size(), file.get());
  if (size == 0) {
    throw bad_data(fmt::format(
        "{}: is empty, not an nsop database; remove it (a new one is made) or restore a backup",
        path));
  }
  if (size < kHeaderBytes || std::string_view(header.data(), kMagic.size()) != kMagic) {
    throw bad_data(fmt::format(
        "{}: is not an nsop database (no SQLite header); name another file or restore a backup",
        path));
  }
  unsigned id = 0;
  for (size_t i = 0; i < 4; ++i) {
    id = id << 8 | static_cast<unsigned char>(header[kApplicationIdOffset + i]);
  }
  if (id != kApplicationId) {
    throw bad_data(
        fmt::format("{}: is an SQLite database of another program (application id {:#010x}, nsop "
                    "has {:#010x}); "
                    "name another file",
                    path, id, kApplicationId));
  }
}

void check_writable(const std::string& path) {
  if (file_exists(path) && !writable(path)) {
    throw environment_error(
        fmt::format("{}: can't be written ({}); change its permissions or name another file", path,
                    strerror(errno)));
  }
  if (!writable(folder_of(path))) {
    throw environment_error(
        fmt::format("{}: its folder can't be written ({}); change its permissions "
                    "or name a database in another folder",
                    path, strerror(errno)));
  }
}

bool folder_writable(const std::string& path) { return writable(folder_of(path)); }

void check_folder(const std::string& path) {
  struct statfs info {};
  const std::string folder = folder_of(path);
  if (statfs(folder.c_str(), &info) != 0) {
    throw environment_error(
        fmt::format("{}: no folder {}: {}; create it first", path, folder, strerror(errno)));
  }
  const std::string network = network_file_system(static_cast<long>(info.f_type));
  if (!network.empty()) {
    throw environment_error(fmt::format(
        "{}: lies on a network file system ({}), where SQLite's write-ahead log loses data; "
        "name a database on a local disk",
        path, network));
  }
}

std::string network_file_system(long type) {
  switch (static_cast<unsigned long>(type) & 0xffffffffUL) {
    case 0x6969:
      return "NFS";
    case 0x517B:
    case 0xFF534D42:
    case 0xFE534D42:
      return "SMB";
    case 0x5346414F:
    case 0x6B414653:
      return "AFS";
    case 0x00C36400:
      return "Ceph";
    case 0x73757245:
      return "Coda";
    case 0x564C:
      return "NCP";
    default:
      return "";
  }
}

bool publish_file(const std::string& temporary, const std::string& path) {
  sync_path(temporary);
  int result = renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE);
  if (result != 0 && (errno == EINVAL || errno == ENOSYS)) {
    result = link(temporary.c_str(), path.c_str());
    if (result == 0) unlink(temporary.c_str());
  }
  if (result != 0) {
    const int error = errno;
    unlink(temporary.c_str());
    if (error == EEXIST) return false;
    throw environment_error(fmt::format("{}: can't be written: {}", path, strerror(error)));
  }
  sync_path(folder_of(path));
  return true;
}

}  // namespace nsop::store
