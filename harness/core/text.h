// Texts taken apart and put together.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nsop {

// All parts between separators, the empty ones too: at least one.
std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string trim(std::string_view text);  // without blanks, tabs and line ends around it

// Is the text what the pattern says, `*` being any text, also none?
bool matches_pattern(std::string_view text, std::string_view pattern);

// Decodes the UTF-8 character at `at`, moves past it and returns its code point; a byte that begins
// none (https://www.unicode.org/versions/Unicode15.0.0/ch03.pdf, table 3-7) is U+FFFD.
constexpr uint32_t kMalformed = 0xfffd;
uint32_t next_character(std::string_view text, size_t& at);

// What controls a terminal (escape sequences, directions) or is no UTF-8 replaced by `?`.
std::string printable(std::string_view text);

// A message for a log that others read, too: printable, one line, at most 4,000 bytes (the rest is
// counted), and nothing that a CI runner takes for a command of ours (`::error`, `##[group]`).
std::string message_line(std::string_view text);

// The text as one word of a POSIX shell: as it is where that is safe, else between quotes.
std::string shell_word(const std::string& text);

// A text that never changes and that its copies share: histories say a few texts half a million
// times.
class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text) : text_(std::make_shared<const std::string>(std::move(text))) {}
  SharedText(const char* text) : SharedText(std::string(text)) {}

  const std::string& str() const {
    static const std::string none;
    return text_ ? *text_ : none;
  }
  operator const std::string&() const { return str(); }
  bool empty() const { return str().empty(); }

  friend bool operator==(const SharedText& a, const SharedText& b) {
    return a.text_ == b.text_ || a.str() == b.str();
  }
  friend bool operator==(const SharedText& a, const std::string& b) { return a.str() == b; }
  friend bool operator==(const SharedText& a, const char* b) { return a.str() == b; }
  friend auto operator<=>(const SharedText& a, const SharedText& b) { return a.str() <=> b.str(); }
  friend auto operator<=>(const SharedText& a, const std::string& b) { return a.str() <=> b; }
  friend std::ostream& operator<<(std::ostream& out, const SharedText& t) { return out << t.str(); }

 private:
  std::shared_ptr<const std::string> text_;
};

}  // namespace nsop
