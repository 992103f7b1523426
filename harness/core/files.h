// Files read whole, and written whole or not at all.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>

namespace nsop {

class Error;

Error unreadable_file(const std::string& path);  // environment; says errno
std::string read_file(const std::string& path);  // throws Error (environment)
// Calls use(piece) for the whole file, piece by piece. Throws Error (environment).
void read_pieces(const std::string& path, const std::function<void(std::string_view)>& use);

// Temporary file in the same folder, then rename: either the whole file or none. kDurable also
// waits until it is on disk; scratch files need not. Throws Error (environment).
enum class Durability { kDurable, kScratch };
void write_file_atomically(const std::string& path, std::string_view content,
                           Durability durability = Durability::kDurable);

// The same for two pieces one after the other, without joining them first.
void write_parts_atomically(const std::string& path, const std::array<std::string_view, 2>& parts,
                            Durability durability);

}  // namespace nsop
