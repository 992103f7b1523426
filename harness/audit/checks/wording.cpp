#include "harness/audit/checks/wording.h"

#include <algorithm>

#include "harness/audit/read/columns.h"
#include "harness/core/text.h"

namespace nsop::audit {

// Goals and expectations say what nobody measured.
bool is_expectation(const Statement& s) {
  for (const char* word : {"expected", "expect", "target", "goal", "goals", "targets", "within",
                           "threshold", "margin", "limit", "wider"}) {
    if (has_word(s.text, word) || has_word(s.heading, word)) return true;
  }
  return false;
}

// The page's case that a statement is about: its label, or that of the item it lies in.
std::vector<std::string> subjects_of(const Statement& s) {
  std::vector<std::string> out;
  if (!s.label.empty()) out.push_back(words_of(s.label));
  size_t end = s.within.size();
  while (end > 0) {
    const size_t slash = s.within.rfind(" / ", end - 1);
    const size_t begin = slash == std::string::npos ? 0 : slash + 3;
    const std::string part = s.within.substr(begin, end - begin);
    const size_t colon = part.find(':');
    if (colon != std::string::npos) out.push_back(words_of(part.substr(0, colon)));
    if (slash == std::string::npos) break;
    end = slash;
  }
  return out;
}

// What a figure says it is against: `vs baseline`, `than the previous version`; else empty.
std::string reference_of(const std::string& text, size_t from) {
  const size_t stop = std::min(text.find_first_of(",;()", from), text.size());
  const std::string behind = text.substr(from, stop - from);
  for (const char* word : {"vs ", "versus ", "than ", "over ", "compared to ", "compared with "}) {
    const size_t at = behind.find(word);
    if (at != std::string::npos && (at == 0 || behind[at - 1] == ' ')) {
      return words_of(behind.substr(at + std::string_view(word).size()));
    }
  }
  return "";
}

bool contains_words(const std::string& key, const std::string& subject) {
  size_t found = 0;
  const std::vector<std::string> words = split(subject, ' ');
  for (const std::string& word : words) found += has_word(key, word);
  return found == words.size() && key != subject;
}

// Two counts of threads say nothing of a speed, nor two sizes of one.
bool may_mean(const Statement& s, const Quantity& q, Sense sense, const PairAt& pair) {
  const Dimension dimension = pair.pair.before.unit.dimension;
  const size_t stop = std::min(s.text.find_first_of(",;:()", q.end), s.text.size());
  const std::string about = s.text.substr(q.end, stop - q.end);
  const bool of_time =
      has_word(about, "time") || has_word(about, "duration") || has_word(about, "latency");
  const bool of_memory = has_word(about, "memory") || has_word(about, "bytes");
  const bool of_allocs = has_word(about, "allocations") || has_word(about, "allocs");
  if (dimension == Dimension::kCount) {
    const std::string& noun =
        pair.pair.before.unit.of.empty() ? pair.pair.after.unit.of : pair.pair.before.unit.of;
    if (of_time || of_memory) return false;
    return noun == "allocation" || of_allocs || sense == Sense::kLess || sense == Sense::kMore;
  }
  if (dimension == Dimension::kTime) return !of_memory && !of_allocs;
  if (dimension == Dimension::kBytes) return !of_time && !of_allocs && sense != Sense::kWorse;
  return !of_memory && !of_allocs;
}

bool is_share(const Statement& s, const Quantity& q) {
  const std::string_view behind = std::string_view(s.text).substr(q.end);
  return q.unit.dimension == Dimension::kPercent &&
         (behind.starts_with(" of ") || behind.starts_with("+ of "));
}

bool contains_reference(const std::string& above, const std::string& reference) {
  for (const std::string& word : split(reference, ' ')) {
    if (word.size() > 3 && has_word(above, word)) return true;
  }
  return false;
}

}  // namespace nsop::audit
