#include "harness/store/record/sample_text.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "harness/core/io/json.h"

namespace nsop::store {
namespace {

std::vector<Repetition> any_repetitions() {
  return *rc::gen::nonEmpty(rc::gen::container<std::vector<Repetition>>(
      rc::gen::apply([](int64_t a, int64_t b, int64_t c,
                        int64_t d) { return Repetition{a, b, c, d, a & 1, b & 7, c & 1}; },
                     rc::gen::arbitrary<int64_t>(), rc::gen::arbitrary<int64_t>(),
                     rc::gen::arbitrary<int64_t>(), rc::gen::arbitrary<int64_t>())));
}

bool are_same(const std::vector<Repetition>& a, const std::vector<Repetition>& b) {
  return sample_text(a) == sample_text(b) && a.size() == b.size();
}

TEST(SampleText, IsWhatAJsonWriterWrites) {
  rc::check([] {
    const std::vector<Repetition> repetitions = any_repetitions();
    Json columns = Json::object();
    for (const Repetition& one : repetitions) {
      const Json fields = to_json(one);
      for (const auto& [key, value] : fields.items()) columns[key].push_back(value);
    }
    RC_ASSERT(sample_text(repetitions) == columns.dump());
    const auto read = read_sample_text(sample_text(repetitions));
    RC_ASSERT(read.has_value());
    RC_ASSERT(are_same(*read, repetitions));
  });
}

TEST(SampleText, AByteThatDiffersIsReadAsItIsOrNotAtAll) {
  rc::check([] {
    std::string text = sample_text(any_repetitions());
    const auto at = *rc::gen::inRange<size_t>(0, text.size());
    if (*rc::gen::arbitrary<bool>()) {
      text[at] = *rc::gen::elementOf(std::string("0123456789-,[]{}\": \n.eE"));
    } else {
      text.erase(at, 1);
    }
    const auto read = read_sample_text(text);
    if (read) RC_ASSERT(sample_text(*read) == text);
  });
}

TEST(SampleText, OtherTextsAreLeftToTheParser) {
  for (const char* text : {"", "{", "{}", "[]", R"({"iterations":[]})", R"({"iterations":[1]})",
                           R"({"iterations":[99999999999999999999],"wall_ns":[1]})"}) {
    EXPECT_FALSE(read_sample_text(text)) << text;
  }
}

}  // namespace
}  // namespace nsop::store
