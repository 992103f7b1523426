#include "harness/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace nsop {
namespace {

constexpr size_t kMostMessage = 4000;  // bytes

// C0, DEL and C1; line and paragraph ends, marks and changes of direction (bidi), byte order marks.
bool controls(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

}  // namespace

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

bool matches_pattern(std::string_view text, std::string_view pattern) {
  // One pass, back to the latest star where the text differs.
  size_t p = 0, t = 0, star = std::string_view::npos, from = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::string trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

uint32_t next_character(std::string_view text, size_t& at) {
  const auto byte = [&](size_t i) { return uint32_t{static_cast<unsigned char>(text[i])}; };
  const uint32_t first = byte(at++);
  if (first < 0x80) return first;
  if (first < 0xc2 || first > 0xf4) return kMalformed;
  const size_t more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
  if (text.size() - at < more) return kMalformed;
  uint32_t c = first & (0x3fU >> more);
  for (size_t i = 0; i < more; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return kMalformed;
    c = (c << 6) | (byte(at + i) & 0x3f);
  }
  const bool longer_than_needed = c < (more == 3 ? 0x10000U : more == 2 ? 0x800U : 0x80U);
  if (longer_than_needed || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return kMalformed;
  at += more;
  return c;
}

std::string printable(std::string_view text) {
  std::string safe;
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    const uint32_t c = next_character(text, at);
    const bool shown = !controls(c) && (c != kMalformed || at - start > 1);
    safe += shown ? text.substr(start, at - start) : "?";
  }
  return safe;
}

std::string message_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  line = printable(trim(line));
  // Runners read `::name` where a line begins, and `##[name]` anywhere in it.
  if (line.starts_with("::")) line.insert(1, " ");
  for (size_t at = 0; (at = line.find("##[", at)) != std::string::npos;) line.insert(at + 2, " ");
  if (line.size() > kMostMessage) {  // last: what is said against commands makes it longer
    size_t end = kMostMessage;
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80) --end;
    line = fmt::format("{}... ({} more bytes)", line.substr(0, end), line.size() - end);
  }
  return line;
}

std::string shell_word(const std::string& text) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_./:@=+,").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

}  // namespace nsop
