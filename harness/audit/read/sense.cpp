#include "harness/audit/read/sense.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace nsop::audit {
namespace {

struct Word {
  std::string_view begins;
  Sense sense;
};
constexpr std::array<Word, 31> kWords{{
    {"faster", Sense::kBetter},   {"speedup", Sense::kBetter}, {"speed-up", Sense::kBetter},
    {"quicker", Sense::kBetter},  {"improve", Sense::kBetter}, {"better", Sense::kBetter},
    {"gain", Sense::kBetter},     {"slower", Sense::kWorse},   {"slowdown", Sense::kWorse},
    {"regress", Sense::kWorse},   {"worse", Sense::kWorse},    {"less", Sense::kLess},
    {"fewer", Sense::kLess},      {"smaller", Sense::kLess},   {"lower", Sense::kLess},
    {"reduc", Sense::kLess},      {"decreas", Sense::kLess},   {"drop", Sense::kLess},
    {"saved", Sense::kLess},      {"saving", Sense::kLess},    {"shorter", Sense::kLess},
    {"more", Sense::kMore},       {"larger", Sense::kMore},    {"bigger", Sense::kMore},
    {"higher", Sense::kMore},     {"increase", Sense::kMore},  {"longer", Sense::kMore},
    {"greater", Sense::kMore},    {"growth", Sense::kMore},    {"overhead", Sense::kMore},
    {"speed up", Sense::kBetter},
}};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

}  // namespace

Sense sense_of(std::string_view text) {
  const std::string low = lower(text);
  size_t first = std::string::npos;
  Sense sense = Sense::kNone;
  for (const Word& word : kWords) {
    for (size_t at = low.find(word.begins); at != std::string::npos;
         at = low.find(word.begins, at + 1)) {
      if (at > 0 && std::isalpha(static_cast<unsigned char>(low[at - 1])) != 0) continue;
      if (at < first) {
        first = at;
        sense = word.sense;
      }
      break;
    }
  }
  return sense;
}

Sense sense_around(std::string_view text, size_t begin, size_t end) {
  const std::string_view behind = text.substr(std::min(end, text.size()));
  size_t stop = std::min<size_t>(behind.find_first_of(",;:()|/"), 32);
  // Not into the next figure: its words are its own.
  for (size_t i = 0; i < std::min(stop, behind.size()); ++i) {
    if (std::isdigit(static_cast<unsigned char>(behind[i])) != 0 && i > 0 && behind[i - 1] == ' ')
      stop = i;
  }
  const Sense after = sense_of(behind.substr(0, stop));
  if (after != Sense::kNone) return after;
  const size_t from = begin > 24 ? begin - 24 : 0;
  std::string_view before = text.substr(from, begin - from);
  const size_t clause = before.find_last_of(",;()|0123456789");
  if (clause != std::string_view::npos) before.remove_prefix(clause + 1);
  return sense_of(before);
}

}  // namespace nsop::audit
