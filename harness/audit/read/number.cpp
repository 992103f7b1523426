#include "harness/audit/read/number.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string>

#include "harness/audit/read/units.h"

namespace nsop::audit {
namespace {

constexpr double kAbout = 0.1;  // `about 25 %` is 22.5 to 27.5 %

bool separates_thousands(char c) { return c == ',' || c == '\'' || c == '_'; }

}  // namespace

std::optional<Digits> read_digits(std::string_view text, size_t i) {
  if (!digit(at(text, i))) return {};
  std::string digits;
  size_t end = i;
  while (digit(at(text, end))) digits += text[end++];
  if (digits.size() <= 3) {
    while (separates_thousands(at(text, end)) && digit(at(text, end + 1)) &&
           digit(at(text, end + 2)) && digit(at(text, end + 3)) && !digit(at(text, end + 4))) {
      digits += text.substr(end + 1, 3);
      end += 4;
    }
  }
  if (at(text, end) == ':' && digit(at(text, end + 1))) return {};
  Digits out;
  if (at(text, end) == '.' && digit(at(text, end + 1))) {
    digits += '.';
    for (++end; digit(at(text, end)); ++end, ++out.decimals) digits += text[end];
    if (at(text, end) == '.' && digit(at(text, end + 1))) return {};
  } else {
    for (auto it = digits.rbegin(); it != digits.rend() && *it == '0'; ++it) ++out.zeros;
    if (out.zeros == static_cast<int>(digits.size())) out.zeros = 0;
  }
  if (digits.size() > 300) return {};
  if ((at(text, end) == 'e' || at(text, end) == 'E') &&
      (digit(at(text, end + 1)) ||
       ((at(text, end + 1) == '-' || at(text, end + 1) == '+') && digit(at(text, end + 2))))) {
    digits += 'e';
    ++end;
    if (text[end] == '+') ++end;
    if (text[end] == '-') digits += text[end++];
    while (digit(at(text, end))) digits += text[end++];
  }
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), out.value);
  if (parsed.ec != std::errc() || !std::isfinite(out.value)) return {};
  out.end = end;
  return out;
}

Bound bound_before(std::string_view text) {
  struct Lead {
    std::string_view words;
    Bound bound;
  };
  static constexpr std::array<Lead, 18> kLeads{{
      {"<", Bound::kLess},
      {">", Bound::kMore},
      {"~", Bound::kAbout},
      {"up to", Bound::kLess},
      {"less than", Bound::kLess},
      {"at most", Bound::kLess},
      {"under", Bound::kLess},
      {"below", Bound::kLess},
      {"nearly", Bound::kAbout},
      {"almost", Bound::kAbout},
      {"about", Bound::kAbout},
      {"around", Bound::kAbout},
      {"approximately", Bound::kAbout},
      {"roughly", Bound::kAbout},
      {"over", Bound::kMore},
      {"more than", Bound::kMore},
      {"at least", Bound::kMore},
      {"above", Bound::kMore},
  }};
  while (!text.empty() && (text.back() == ' ' || text.back() == '=')) text.remove_suffix(1);
  if (text.ends_with("->")) return Bound::kNone;
  for (const Lead& lead : kLeads) {
    if (text.size() < lead.words.size()) continue;
    const std::string_view end = text.substr(text.size() - lead.words.size());
    const bool same = std::equal(end.begin(), end.end(), lead.words.begin(), [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) == b;
    });
    const bool whole = !letter(end[0]) || end.size() == text.size() ||
                       !word_char(text[text.size() - end.size() - 1]);
    if (same && whole) return lead.bound;
  }
  return Bound::kNone;
}

Span bounded(Span span, Bound bound) {
  switch (bound) {
    case Bound::kNone:
      return span;
    case Bound::kLess:
      return {std::min(0.0, span.lo), span.hi};
    case Bound::kMore:
      return {span.lo, std::max(kLargest, span.hi)};
    case Bound::kAbout:
      return {span.lo - kAbout * std::abs(span.lo), span.hi + kAbout * std::abs(span.hi)};
  }
  return span;
}

}  // namespace nsop::audit
