// No header: pairs_of() of claims.h.
#include <cctype>

#include "harness/audit/checks/claims.h"
#include "harness/core/text.h"

namespace nsop::audit {
namespace {

bool is_derived(const Quantity& q) {
  return q.unit.dimension == Dimension::kRatio || q.unit.dimension == Dimension::kPercent;
}

// Without the word of what is counted: `60 allocations to 1`.
std::string_view behind_noun(std::string_view between, const Quantity& q) {
  if (q.unit.dimension != Dimension::kCount || q.unit.of.empty() || !between.starts_with(" "))
    return between;
  size_t end = 1;
  while (end < between.size() && std::isalpha(static_cast<unsigned char>(between[end])) != 0) ++end;
  const std::string_view word = between.substr(1, end - 1);
  return word == "to" || word == "vs" ? between : between.substr(end);
}

// An arrow, or what is left of one whose bytes were read in another encoding.
bool is_arrow(std::string_view between) {
  const std::string inside = trim(between);
  if (inside == "->" || inside == "=>") return true;
  if (inside.empty() || inside.size() > 12) return false;
  for (const char c : inside) {
    if (static_cast<unsigned char>(c) < 0x80) return false;
  }
  return true;
}

bool ends_with_word(std::string_view text, std::string_view word) {
  const std::string lower = " " + words_of(text);
  return lower.ends_with(" " + std::string(word));
}

enum class Link { kNone, kForward, kBackward, kVersus };

Link link_of(std::string_view text, const Quantity& a, const Quantity& b) {
  const std::string_view whole = text.substr(a.end, b.begin - a.end);
  const std::string_view between = behind_noun(whole, a);
  if (is_arrow(between)) return Link::kForward;
  const std::string words = words_of(between);
  if (words == "to" && ends_with_word(text.substr(0, a.begin), "from") && trim(between) == "to")
    return Link::kForward;
  if (words == "vs" || words == "versus" || words == "compared to" || words == "compared with" ||
      words == "against") {
    return Link::kVersus;
  }
  if (whole.size() > 60) return Link::kNone;
  for (const char* was : {"was", "down from", "up from", "instead of", "from original",
                          "from the original", "from initially", "before"}) {
    if (ends_with_word(between, was)) return Link::kBackward;
  }
  return Link::kNone;
}

// `4.5 -> 520 eps/s`: the first has the unit of the second.
Quantity with_unit_of(const Quantity& first, const Quantity& second) {
  if (first.unit.dimension != Dimension::kCount || !first.unit.of.empty() ||
      first.unit.scale != 1 || second.unit.dimension == Dimension::kCount) {
    return first;
  }
  const std::vector<Quantity> again = scan(first.text, second.unit);
  if (again.size() != 1) return first;
  Quantity out = again[0];
  out.begin = first.begin;
  out.end = first.end;
  return out;
}

}  // namespace

std::vector<PairAt> pairs_of(std::string_view text, const std::vector<Quantity>& quantities) {
  std::vector<PairAt> out;
  const Quantity* previous = nullptr;
  for (const Quantity& q : quantities) {
    if (is_derived(q)) continue;
    if (previous != nullptr) {
      const Link link = link_of(text, *previous, q);
      const Quantity first = with_unit_of(*previous, q);
      if (link == Link::kForward && same_kind(first, q)) {
        out.push_back({{first, q, ""}, previous->begin, q.end, false});
      } else if (link != Link::kNone && same_kind(first, q)) {
        out.push_back({{q, first, ""}, previous->begin, q.end, link == Link::kVersus});
      }
    }
    previous = &q;
  }
  return out;
}

}  // namespace nsop::audit
