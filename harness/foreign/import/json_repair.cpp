#include "harness/foreign/import/json_repair.h"

#include <fmt/format.h>

#include <cctype>
#include <regex>

#include "harness/core/error.h"

namespace nsop::foreign {
namespace {

constexpr size_t kMostToken = 64;    // bytes of a number or a word
constexpr size_t kMostBlanks = 256;  // looked ahead over

bool is_digit(int c) { return c >= '0' && c <= '9'; }
bool is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// `1,234,567` without its commas; anything else as it is.
std::string ungrouped(const std::string& token) {
  static const std::regex grouped("-?[0-9]{1,3}(,[0-9]{3})+");
  if (!std::regex_match(token, grouped)) return token;
  std::string digits;
  for (const char c : token) {
    if (c != ',') digits += c;
  }
  return digits;
}

// NaN and the infinities, as tools of many languages write them, in JSON.
std::string repaired_word(const std::string& word) {
  std::string lower;
  for (const char c : word) {
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (lower == "nan" || lower == "-nan") return "\"NaN\"";
  if (lower == "infinity" || lower == "inf") return "\"Infinity\"";
  if (lower == "-infinity" || lower == "-inf") return "\"-Infinity\"";
  return word;
}

}  // namespace

int JsonRepair::get() {
  if (at_ == ready_.size()) {
    ready_.clear();
    at_ = 0;
    const int c = text_.get();
    if (c == TextSource::kEnd) {
      ended_ = true;
      return c;
    }
    in_string_ ? inside_string(c) : outside_string(c);
  }
  return static_cast<unsigned char>(ready_[at_++]);
}

bool JsonRepair::ends_string() {
  if (!options_.bare_quotes) return true;
  while (ready_.size() < kMostBlanks && std::isspace(text_.peek()) != 0) {
    ready_ += static_cast<char>(text_.get());
  }
  const int next = text_.peek();
  return next == TextSource::kEnd ||
         std::string_view(",:}]").find(static_cast<char>(next)) != std::string_view::npos;
}

void JsonRepair::inside_string(int c) {
  if (c == '"') {
    if (ends_string()) {
      in_string_ = false;
      ready_.insert(0, 1, '"');
      return;
    }
    std::string blanks;
    for (const char blank : ready_) {
      blanks += blank == ' ' ? std::string(1, blank)
                             : fmt::format("\\u{:04x}", static_cast<unsigned char>(blank));
    }
    ready_ = "\\\"" + blanks;
    return;
  }
  if (c < 0x20) {
    ready_ = fmt::format("\\u{:04x}", c);
    return;
  }
  ready_ += static_cast<char>(c);
  if (c == '\\' && text_.peek() != TextSource::kEnd && text_.peek() >= 0x20) {
    ready_ += static_cast<char>(text_.get());
  }
}

void JsonRepair::outside_string(int c) {
  if (is_digit(c) || c == '-') return number(c);
  if (is_letter(c)) return word(c);
  if (c == '"') in_string_ = true;
  if (c == '{' || c == '[') {
    if (open_.size() >= kMostDepth) {
      throw bad_data(fmt::format("nested more than {} deep", kMostDepth));
    }
    open_.push_back(static_cast<char>(c));
  }
  if ((c == '}' || c == ']') && !open_.empty()) open_.pop_back();
  ready_ += static_cast<char>(c);
}

// A comma between two digits parts elements in an array only.
void JsonRepair::number(int c) {
  std::string token(1, static_cast<char>(c));
  const bool in_object = !open_.empty() && open_.back() == '{';
  const auto goes_on = [&](int next) {
    return is_digit(next) || next == '.' || next == '+' || next == '-' || is_letter(next);
  };
  while (token.size() < kMostToken) {
    const int next = text_.peek();
    if (goes_on(next)) {
      token += static_cast<char>(text_.get());
    } else if (in_object && next == ',') {
      text_.get();
      token += ',';
      if (!is_digit(text_.peek())) break;
    } else {
      break;
    }
  }
  ended_ = text_.peek() == TextSource::kEnd;
  const bool part = token.ends_with(',');
  if (part) token.pop_back();
  // What the end of the text cuts off may have had more digits: it is no number.
  const bool cut = ended_ && !open_.empty();
  ready_ = (cut ? std::string(" ") : repaired_word(ungrouped(token))) + (part ? "," : "");
}

void JsonRepair::word(int c) {
  std::string token(1, static_cast<char>(c));
  while (token.size() < kMostToken && is_letter(text_.peek())) {
    token += static_cast<char>(text_.get());
  }
  ended_ = text_.peek() == TextSource::kEnd;
  ready_ = repaired_word(token);
}

}  // namespace nsop::foreign
