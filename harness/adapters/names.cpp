#include "harness/adapters/names.h"

#include <fmt/format.h>

#include <cctype>
#include <optional>

#include "harness/core/error.h"

namespace nsop::adapters {
namespace {

bool stays(unsigned char c) {
  return c > ' ' && c < 0x7f &&
         std::string_view("%,*\"'`\\@|<>").find(static_cast<char>(c)) == std::string_view::npos;
}

std::optional<int> digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

}  // namespace

std::string encoded(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    text += stays(byte) ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return text;
}

std::string decoded(std::string_view text) {
  std::string name;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      name += text[i];
      continue;
    }
    const auto high = i + 2 < text.size() ? digit(text[i + 1]) : std::nullopt;
    const auto low = i + 2 < text.size() ? digit(text[i + 2]) : std::nullopt;
    if (high && low) name += static_cast<char>(*high * 16 + *low);
    i += 2;
  }
  if (encoded(name) != text) {
    throw usage_error(fmt::format("'{}': is no encoded name; write '{}'", text, encoded(text)));
  }
  return name;
}

}  // namespace nsop::adapters
