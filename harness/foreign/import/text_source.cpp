#include "harness/foreign/import/text_source.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace nsop::foreign {
namespace {

constexpr size_t kPiece = 1u << 16;
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

void append_utf8(std::string& out, uint32_t c) {
  const auto byte = [&](uint32_t value) { out += static_cast<char>(value); };
  if (c < 0x80) return byte(c);
  if (c < 0x800) {
    byte(0xc0 | (c >> 6));
  } else {
    if (c < 0x10000) {
      byte(0xe0 | (c >> 12));
    } else {
      byte(0xf0 | (c >> 18));
      byte(0x80 | ((c >> 12) & 0x3f));
    }
    byte(0x80 | ((c >> 6) & 0x3f));
  }
  byte(0x80 | (c & 0x3f));
}

}  // namespace

TextSource::TextSource(std::istream& in) : in_(in) {
  refill();
  head_ = text_;
}

void TextSource::find_encoding() {
  const auto begins = [&](std::string_view mark) { return raw_.starts_with(mark); };
  using namespace std::string_view_literals;
  size_t mark = 0;
  if (begins("\xef\xbb\xbf"sv)) {
    mark = 3;
  } else if (begins("\xff\xfe"sv) || begins("\xfe\xff"sv)) {
    encoding_ = begins("\xff\xfe"sv) ? Encoding::kUtf16Little : Encoding::kUtf16Big;
    mark = 2;
  } else if (raw_.size() >= 2 && (raw_[0] == 0) != (raw_[1] == 0)) {
    encoding_ = raw_[1] == 0 ? Encoding::kUtf16Little : Encoding::kUtf16Big;
  }
  raw_.erase(0, mark);
}

bool TextSource::refill() {
  const bool first = !ended_ && text_.empty() && raw_.empty() && at_ == 0;
  text_.clear();
  at_ = 0;
  while (text_.empty() && !ended_) {
    const size_t kept = raw_.size();
    raw_.resize(kept + kPiece);
    in_.read(raw_.data() + kept, kPiece);
    const auto got = static_cast<size_t>(in_.gcount());
    raw_.resize(kept + got);
    ended_ = got == 0;
    if (first && text_.empty() && kept == 0) find_encoding();
    encoding_ == Encoding::kUtf8 ? decode_utf8(ended_) : decode_utf16(ended_);
  }
  return !text_.empty();
}

// Up to three bytes of a character that goes on in the next piece stay.
void TextSource::decode_utf8(bool last) {
  size_t at = 0;
  while (at < raw_.size()) {
    const size_t start = at;
    const bool may_be_cut = !last && raw_.size() - start < 4;
    const auto byte = static_cast<unsigned char>(raw_[at]);
    if (byte < 0x80) {
      text_ += raw_[at++];
      continue;
    }
    const uint32_t c = next_character(raw_, at);
    const bool bad = c == kMalformed && at - start == 1;
    if (bad && may_be_cut) {
      at = start;
      break;
    }
    text_ += bad ? kReplacement : std::string_view(raw_).substr(start, at - start);
  }
  raw_.erase(0, at);
}

void TextSource::decode_utf16(bool last) {
  const auto unit = [&](size_t at) {
    const auto a = static_cast<unsigned char>(raw_[at]),
               b = static_cast<unsigned char>(raw_[at + 1]);
    return encoding_ == Encoding::kUtf16Little ? uint32_t{a} | (uint32_t{b} << 8)
                                               : uint32_t{b} | (uint32_t{a} << 8);
  };
  size_t at = 0;
  while (at + 2 <= raw_.size()) {
    const uint32_t c = unit(at);
    const bool high = c >= 0xd800 && c < 0xdc00;
    if (high && at + 4 > raw_.size() && !last) break;
    const uint32_t next = high && at + 4 <= raw_.size() ? unit(at + 2) : 0;
    at += 2;
    if (high && next >= 0xdc00 && next < 0xe000) {
      append_utf8(text_, 0x10000 + ((c - 0xd800) << 10) + (next - 0xdc00));
      at += 2;
    } else if (c >= 0xd800 && c < 0xe000) {
      text_ += kReplacement;
    } else {
      append_utf8(text_, c);
    }
  }
  raw_.erase(0, at);
  if (last && !raw_.empty()) {
    raw_.clear();
    text_ += kReplacement;
  }
}

int TextSource::peek() {
  if (at_ == text_.size() && !refill()) return kEnd;
  return static_cast<unsigned char>(text_[at_]);
}

int TextSource::get() {
  const int c = peek();
  if (c != kEnd) ++at_;
  return c;
}

std::optional<std::string> TextSource::line() {
  if (peek() == kEnd) return std::nullopt;
  std::string line;
  int c = get();
  for (; c != kEnd && c != '\n'; c = get()) {
    line += static_cast<char>(c);
    if (line.size() > kMostLine) {
      throw bad_data(fmt::format("a line of more than {} MiB", kMostLine >> 20));
    }
  }
  line_was_ended_ = c != kEnd;
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

std::string TextSource::rest(size_t most_bytes) {
  std::string all;
  while (peek() != kEnd) {
    all += std::string_view(text_).substr(at_);
    at_ = text_.size();
    if (all.size() > most_bytes) {
      throw bad_data(fmt::format("larger than {} MiB", most_bytes >> 20));
    }
  }
  return all;
}

}  // namespace nsop::foreign
