// Texts taken apart and put together.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nsop {

// All parts between separators, the empty ones too: at least one.
std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string trim(std::string_view text);  // without blanks, tabs and line ends around it

// The text as one word of a POSIX shell: as it is where that is safe, else between quotes.
std::string shell_word(const std::string& text);

}  // namespace nsop
