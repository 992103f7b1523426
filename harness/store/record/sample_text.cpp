#include "harness/store/record/sample_text.h"

#include <fmt/format.h>

#include <charconv>

namespace nsop::store {
namespace {

class SampleReader {
 public:
  explicit SampleReader(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  std::optional<std::vector<Repetition>> read() {
    std::vector<Repetition> repetitions;
    for (const SampleColumn& column : kSampleColumns) {
      const bool is_first = &column == kSampleColumns.data();
      if (!take(is_first ? "{\"" : ",\"") || !take(column.name) || !take("\":[")) return {};
      for (size_t i = 0;; ++i) {
        if (is_first) repetitions.emplace_back();
        if (i == repetitions.size() || !number(repetitions[i].*column.field)) return {};
        if (take("]")) {
          if (i + 1 != repetitions.size()) return {};
          break;
        }
        if (!take(",")) return {};
      }
    }
    if (!take("}") || at_ != end_) return {};
    return repetitions;
  }

 private:
  bool take(std::string_view expected) {
    if (std::string_view(at_, static_cast<size_t>(end_ - at_)).substr(0, expected.size()) !=
        expected) {
      return false;
    }
    at_ += expected.size();
    return true;
  }

  // As it is written: without a sign before 0 and zeros before other digits.
  bool number(int64_t& value) {
    const auto [stop, error] = std::from_chars(at_, end_, value);
    const char* digits = at_ != end_ && *at_ == '-' ? at_ + 1 : at_;
    const bool is_plain = error == std::errc() && (*digits != '0' || stop == at_ + 1);
    at_ = stop;
    return is_plain;
  }

  const char* at_;
  const char* end_;
};

}  // namespace

std::string sample_text(const std::vector<Repetition>& repetitions) {
  std::string text = "{";
  for (const SampleColumn& column : kSampleColumns) {
    if (text.size() > 1) text += ',';
    text.append(1, '"').append(column.name).append("\":[");
    for (const Repetition& r : repetitions) {
      if (&r != repetitions.data()) text += ',';
      const fmt::format_int number(r.*column.field);
      text.append(number.data(), number.size());
    }
    text += ']';
  }
  return text + "}";
}

std::optional<std::vector<Repetition>> read_sample_text(std::string_view text) {
  return SampleReader(text).read();
}

}  // namespace nsop::store
