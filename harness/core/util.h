// Small things that several folders need: hashes, uuids, times, files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nsop {

class Error;

std::string sha256_hex(std::string_view data);
std::string sha256_file(const std::string& path);  // throws Error (environment)

std::string new_uuid();  // random (version 4), lower case
std::string utc_now();   // `2026-01-31T12:00:00Z`

Error unreadable_file(const std::string& path);  // environment; says errno
std::string read_file(const std::string& path);  // throws Error (environment)
// Temporary file in the same folder, then rename: either the whole file or none. kDurable also
// waits until it is on disk; scratch files need not.
enum class Durability { kDurable, kScratch };
void write_file_atomically(const std::string& path, std::string_view content,
                           Durability durability = Durability::kDurable);

std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string trim(std::string_view text);

// A deterministic generator (SplitMix64, Steele, Lea & Flood 2014, doi:10.1145/2660193.2660195).
class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t seed) : state_(seed) {}
  uint64_t next();
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }  // [0, 1)

 private:
  uint64_t state_;
};

}  // namespace nsop
