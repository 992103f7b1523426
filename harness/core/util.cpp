#include "harness/core/util.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>

#include "harness/core/error.h"
#include "harness/core/write_parts.h"

namespace nsop {
namespace {

struct Digest {
  Digest() : context(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  }
  void update(const void* data, size_t size) { EVP_DigestUpdate(context.get(), data, size); }
  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned int size = 0;
    EVP_DigestFinal_ex(context.get(), bytes.data(), &size);
    return fmt::format("{:02x}", fmt::join(bytes.begin(), bytes.begin() + size, ""));
  }
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context;
};

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

// Calls use(bytes, count) for the whole file, piece by piece.
template <class Use>
void read_pieces(FILE* file, const std::string& path, const Use& use) {
  std::array<char, 1 << 16> buffer;
  size_t size = 0;
  while ((size = std::fread(buffer.data(), 1, buffer.size(), file)) > 0) use(buffer.data(), size);
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

std::string sha256_hex(std::string_view data) {
  Digest digest;
  digest.update(data.data(), data.size());
  return digest.hex();
}

std::string sha256_file(const std::string& path) {
  const File file = open_for_reading(path);
  Digest digest;
  read_pieces(file.get(), path, [&](const char* data, size_t size) { digest.update(data, size); });
  return digest.hex();
}

std::string new_uuid() {
  std::array<unsigned char, 16> b{};
  if (getrandom(b.data(), b.size(), 0) != static_cast<ssize_t>(b.size())) {
    throw environment_error("no random numbers from the system: getrandom failed");
  }
  b[6] = static_cast<unsigned char>((b[6] & 0x0f) | 0x40);
  b[8] = static_cast<unsigned char>((b[8] & 0x3f) | 0x80);
  const std::string hex = fmt::format("{:02x}", fmt::join(b, ""));
  return fmt::format("{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4),
                     hex.substr(16, 4), hex.substr(20));
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(std::time(nullptr)));
}

std::string read_file(const std::string& path) {
  const File file = open_for_reading(path);
  std::string content;
  struct stat status {};
  if (fstat(fileno(file.get()), &status) == 0 && status.st_size > 0) {
    content.reserve(static_cast<size_t>(status.st_size));
  }
  read_pieces(file.get(), path, [&](const char* data, size_t size) { content.append(data, size); });
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

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

uint64_t SplitMix64::next() {
  uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace nsop
