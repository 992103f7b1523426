// No header: check_latest() of consistency.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "harness/audit/consistency/consistency.h"
#include "harness/audit/read/columns.h"
#include "harness/core/text.h"

namespace nsop::audit {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {
    "january", "february", "march",     "april",   "may",      "june",
    "july",    "august",   "september", "october", "november", "december"};

// 20251110 of `November 10, 2025` or `2025-11-10` in words, 20251100 of `November 2025`; 0 if there
// is none.
int date_in(const std::string& words) {
  const std::vector<std::string> all = split(words, ' ');
  const auto number = [&](size_t i) {
    const std::string text = i < all.size() ? all[i] : "";
    const bool digits = !text.empty() && text.size() <= 4 &&
                        text.find_first_not_of("0123456789") == std::string::npos;
    return digits ? std::stoi(text) : 0;
  };
  for (size_t i = 0; i < all.size(); ++i) {
    const int a = number(i), b = number(i + 1), c = number(i + 2);
    if (a >= 1900 && b >= 1 && b <= 12 && c >= 1 && c <= 31) return a * 10000 + b * 100 + c;
    const auto* month = std::find(kMonths.begin(), kMonths.end(), all[i]);
    if (month == kMonths.end()) continue;
    const int m = (static_cast<int>(month - kMonths.begin()) + 1) * 100;
    if (b >= 1 && b <= 31 && c >= 1900) return c * 10000 + m + b;
    if (b >= 1900) return b * 10000 + m;
  }
  return 0;
}

// A date without its day is any day of its month.
bool earlier(int a, int b) { return a % 100 == 0 || b % 100 == 0 ? a / 100 < b / 100 : a < b; }

// `Latest run: DATE` in a statement; the words of what is the latest, and the date.
struct Latest {
  int line = 0, date = 0;
  std::string noun{};
};

void add_latest(const Statement& s, std::vector<Latest>& out) {
  const std::string words = words_of(s.text);
  for (const char* lead : {"latest ", "most recent ", "newest "}) {
    const size_t at = words.find(lead);
    if (at == std::string::npos) continue;
    const std::vector<std::string> behind =
        split(words.substr(at + std::string_view(lead).size()), ' ');
    const std::vector<std::string> first(
        behind.begin(), behind.begin() + static_cast<long>(std::min<size_t>(behind.size(), 4)));
    const int date = date_in(join(first, " "));
    if (date != 0) out.push_back({s.line, date, first[0]});
  }
}

std::string date_text(int date) {
  const std::string month = fmt::format("{}-{:02}", date / 10000, date / 100 % 100);
  return date % 100 == 0 ? month : fmt::format("{}-{:02}", month, date % 100);
}

// `Generated: DATE` before what the page calls its latest.
void check_generated(const Document& document, const Latest& newest, std::vector<Finding>& out) {
  for (const Statement& s : document.statements) {
    const std::string label = words_of(s.label);
    if (label != "generated" && label != "generated on") continue;
    const int date = date_in(words_of(s.text.substr(s.label.size())));
    if (date == 0) continue;
    const bool wrong = earlier(date, newest.date);
    out.push_back({s.line, wrong ? Kind::kWrong : Kind::kRight, date_text(date),
                   fmt::format("line {} has a latest {} of {}", newest.line, newest.noun,
                               date_text(newest.date))});
  }
}

}  // namespace

std::vector<Finding> check_latest(const Document& document) {
  std::vector<Latest> all;
  for (const Statement& s : document.statements) add_latest(s, all);
  std::map<std::string, Latest> newest;
  Latest newest_of_all;
  for (const Latest& one : all) {
    Latest& best = newest[one.noun];
    if (best.date == 0 || earlier(best.date, one.date)) best = one;
    if (newest_of_all.date == 0 || earlier(newest_of_all.date, one.date)) newest_of_all = one;
  }
  std::vector<Finding> out;
  for (const Latest& one : all) {
    const Latest& best = newest[one.noun];
    if (earlier(one.date, best.date)) {
      out.push_back({one.line, Kind::kWrong, date_text(one.date),
                     fmt::format("called the latest {}, but line {} has one of {}", one.noun,
                                 best.line, date_text(best.date))});
    } else if (earlier(one.date, newest_of_all.date)) {
      out.push_back(
          {one.line, Kind::kNotCheckable, date_text(one.date),
           fmt::format("of the latest {}; line {} has a latest {} of {}", one.noun,
                       newest_of_all.line, newest_of_all.noun, date_text(newest_of_all.date))});
    }
  }
  if (!all.empty()) check_generated(document, newest_of_all, out);
  return out;
}

}  // namespace nsop::audit
