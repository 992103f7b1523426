// Text of unknown encoding as UTF-8, character by character, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

namespace nsop::foreign {

// How deep JSON and XML may be nested.
inline constexpr size_t kMostDepth = 64;

// Reads UTF-8, and UTF-16 of either byte order that has a byte order mark or begins with an ASCII
// character. Byte order marks are dropped; what is no character becomes U+FFFD.
class TextSource {
 public:
  explicit TextSource(std::istream& in);

  static constexpr int kEnd = -1;
  int peek();  // the next byte of UTF-8, or kEnd
  int get();
  // The next line without its end (LF or CRLF); nullopt at the end. Throws Error (bad data) for one
  // of more than kMostLine bytes.
  std::optional<std::string> line();
  // Had the last line an end? One without may have been cut off.
  bool line_was_ended() const { return line_was_ended_; }
  static constexpr size_t kMostLine = 16u << 20;
  // All that is left. Throws Error (bad data) for more than `most_bytes`.
  std::string rest(size_t most_bytes);

  // The beginning, whatever was read; at most some 64 KiB.
  const std::string& head() const { return head_; }

 private:
  enum class Encoding { kUtf8, kUtf16Little, kUtf16Big };
  void find_encoding();
  bool refill();  // false: there is no more
  void decode_utf8(bool last);
  void decode_utf16(bool last);

  std::istream& in_;
  Encoding encoding_ = Encoding::kUtf8;
  std::string raw_;   // read, not decoded
  std::string text_;  // decoded
  size_t at_ = 0;     // in text_
  std::string head_;
  bool ended_ = false, line_was_ended_ = true;
};

}  // namespace nsop::foreign
