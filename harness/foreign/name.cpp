#include "harness/foreign/name.h"

#include <fmt/format.h>

#include <cctype>

#include "harness/core/text.h"

namespace nsop::foreign {
namespace {

// `%` itself; what parts words, keys, sweeps and rows; what a pattern, a Markdown table or a
// spreadsheet takes for its own.
constexpr std::string_view kEncoded = " %=,*|\"`\\";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool stands_for_itself(std::string_view character) {
  if (character.size() == 1 && kEncoded.find(character[0]) != std::string_view::npos) return false;
  return printable(character) == character;
}

}  // namespace

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    next_character(text, at);
    const std::string_view character = text.substr(start, at - start);
    if (stands_for_itself(character)) {
      encoded += character;
      continue;
    }
    for (const char c : character) {
      encoded += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return encoded;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded += text[at];
      continue;
    }
    if (at + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[at + 1]), low = hex_digit(text[at + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    at += 2;
  }
  if (percent_encoded(decoded) != text) return std::nullopt;
  return decoded;
}

std::string case_text(const std::string& tool, const Identity& identity) {
  std::string text = fmt::format("{} tool={}", kForeignOp, percent_encoded(tool));
  for (const auto& [key, value] : identity) {
    text += fmt::format(" {}={}", percent_encoded(key), percent_encoded(value));
  }
  return text;
}

std::optional<ForeignCase> parse_case_text(std::string_view text) {
  const std::vector<std::string> words = split(text, ' ');
  if (words.size() < 2 || words[0] != kForeignOp) return std::nullopt;
  ForeignCase found;
  for (size_t i = 1; i < words.size(); ++i) {
    const size_t at = words[i].find('=');
    if (at == std::string::npos) return std::nullopt;
    const std::string_view word = words[i];
    auto key = percent_decoded(word.substr(0, at));
    auto value = percent_decoded(word.substr(at + 1));
    if (!key || !value || (i == 1) != (*key == "tool")) return std::nullopt;
    if (i == 1) {
      found.tool = *value;
    } else {
      found.identity.emplace_back(std::move(*key), std::move(*value));
    }
  }
  return found;
}

std::string display_name(const Identity& identity) {
  std::string name;
  for (const auto& [key, value] : identity) {
    const std::string shown = printable(value);
    name += (name.empty() ? "" : " ") + (key == "name" ? shown : printable(key) + "=" + shown);
  }
  return name;
}

}  // namespace nsop::foreign
