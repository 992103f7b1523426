// SHA-256 (FIPS 180-4) of texts and files, as 64 lower-case hexadecimal digits.
#pragma once

#include <string>
#include <string_view>

namespace nsop {

std::string sha256_hex(std::string_view data);
std::string sha256_file(const std::string& path);  // throws Error (environment)

}  // namespace nsop
