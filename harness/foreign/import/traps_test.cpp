// What files of any format may have wrong: each trap on every format.
#include <gmock/gmock.h>

#include <algorithm>

#include "harness/foreign/testing/samples_support.h"

namespace nsop::foreign::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string utf16(const std::string& ascii, bool little, bool mark) {
  std::string bytes;
  const auto unit = [&](char high, char low) {
    bytes += little ? low : high;
    bytes += little ? high : low;
  };
  if (mark) unit('\xfe', '\xff');
  for (const char c : ascii) unit('\0', c);
  return bytes;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

TEST(Traps, EveryFormatHasASample) {
  std::vector<std::string> names;
  for (const SampleFile& one : sample_files()) names.emplace_back(one.format);
  for (const Format& format : all_formats()) {
    EXPECT_NE(std::find(names.begin(), names.end(), format.name), names.end()) << format.name;
  }
}

TEST(Traps, FormatsAreDetectedAndTakeEachOthersFilesForNone) {
  for (const SampleFile& one : sample_files()) {
    ForeignOptions detected = options_of(one);
    detected.format.clear();
    EXPECT_STREQ(test::read(one.text, detected).format->name, one.format);
    for (const SampleFile& other : sample_files()) {
      if (std::string(other.format) == one.format) continue;
      ForeignOptions wrong = options_of(other);
      try {
        EXPECT_THAT(times_of(test::read(one.text, wrong).file), IsEmpty())
            << one.format << " as " << other.format;
      } catch (const Error& error) {
        const bool said = error.code() == ExitCode::kBadData || error.code() == ExitCode::kUsage;
        EXPECT_TRUE(said) << error.what();
      }
    }
  }
}

// What is left of a file that was cut off anywhere is something that was measured, or nothing.
TEST(Traps, ATruncatedFileIsRefusedAndSalvageInventsNoNumber) {
  for (const SampleFile& one : sample_files()) {
    ForeignOptions options = options_of(one);
    const std::set<double> whole = times_of(test::read(one.text, options).file);
    ASSERT_FALSE(whole.empty()) << one.format;
    size_t salvaged = 0;
    for (size_t size = 0; size < one.text.find_last_not_of(" \n") + 1; ++size) {
      const std::string cut = one.text.substr(0, size);
      options.salvage = false;
      // Between lines, and where all rows are there, nothing is missing.
      const bool whole_lines = cut.ends_with('\n') || one.text[size] == '\n';
      const std::string why = [&] {
        try {
          return times_of(test::read(cut, options).file) == whole ? std::string("complete") : "";
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ExitCode::kBadData) << one.format << ' ' << size;
          return std::string(error.what());
        }
      }();
      EXPECT_TRUE(whole_lines || !why.empty()) << one.format << ' ' << size;
      options.salvage = true;
      try {
        for (const double time : times_of(test::read(cut, options).file)) {
          EXPECT_TRUE(whole.contains(time)) << one.format << ' ' << size << ": " << time;
          ++salvaged;
        }
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::kBadData) << one.format << ' ' << size;
      }
    }
    EXPECT_GT(salvaged, 0U) << one.format;
  }
}

TEST(Traps, OneNameTwiceIsRefusedInEveryFormat) {
  size_t tried = 0;
  for (const SampleFile& one : sample_files()) {
    if (one.twin.empty()) continue;
    ++tried;
    const std::string twice = replaced(one.text, one.before_twin, one.before_twin + one.twin);
    EXPECT_THAT(refusal(twice, options_of(one)), HasSubstr("twice")) << one.format;
  }
  EXPECT_EQ(tried, all_formats().size() - 1);  // Go repeats lines on purpose
}

TEST(Traps, EveryEncodingSaysTheSame) {
  for (const SampleFile& one : sample_files()) {
    const ForeignOptions options = options_of(one);
    const auto expected = lines_of(test::read(one.text, options).file);
    EXPECT_EQ(lines_of(test::read("\xef\xbb\xbf" + one.text, options).file), expected);
    for (const bool little : {true, false}) {
      for (const bool mark : {true, false}) {
        EXPECT_EQ(lines_of(test::read(utf16(one.text, little, mark), options).file), expected)
            << one.format << little << mark;
      }
    }
    std::string crlf;
    for (const char c : one.text) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
    EXPECT_EQ(lines_of(test::read(crlf, options).file), expected) << one.format;
  }
}

TEST(Traps, DetectionSeesThroughEncodings) {
  for (const SampleFile& one : sample_files()) {
    ForeignOptions options = options_of(one);
    options.format.clear();
    EXPECT_STREQ(test::read(utf16(one.text, true, true), options).format->name, one.format);
    EXPECT_STREQ(test::read("\xef\xbb\xbf" + one.text, options).format->name, one.format);
  }
}

TEST(Traps, NestingIsBoundedInEveryFormat) {
  std::string deep;
  for (int i = 0; i < 500'000; ++i) deep += "{\"a\":[";
  for (const SampleFile& one : sample_files()) {
    if (one.text.find('{') == std::string::npos) continue;  // of JSON; Catch2's test has XML's
    if (std::string(one.format) == "criterion") continue;   // lines; those of others aren't read
    EXPECT_THAT(refusal(deep, options_of(one)), HasSubstr("nested more than 64 deep"))
        << one.format;
  }
  EXPECT_THAT(
      refusal("{\"reason\":\"benchmark-complete\",\"id\":" + deep + "\n", {.format = "criterion"}),
      HasSubstr("nested more than 64 deep"));
}

TEST(Traps, ATimeThatIsNoNumberIsNoneInAnyFormat) {
  const std::pair<const char*, const char*> times[] = {
      {"google-benchmark", "12345.5"}, {"go", "12345"},       {"pytest-benchmark", "0.125"},
      {"criterion", "12340"},          {"jmh", "456.25"},     {"hyperfine", "1.015625"},
      {"benchmark-dotnet", "4321.5"},  {"catch2", "275.5"},   {"nanobench", "0.125"},
      {"action-data", "1234"},         {"bencher", "5432.5"}, {"csv", "1234"},
      {"asv", "0.0009765625"}};
  for (const auto& [format, time] : times) {
    for (const SampleFile& one : sample_files()) {
      if (std::string(one.format) != format) continue;
      const size_t whole = times_of(test::read(one.text, options_of(one)).file).size();
      for (const char* instead : {"NaN", "-Infinity", "0", "-5.5", "1e300"}) {
        const std::string text = replaced(one.text, time, instead);
        size_t left = 0;
        try {
          const std::set<double> found = times_of(test::read(text, options_of(one)).file);
          EXPECT_TRUE(std::all_of(found.begin(), found.end(), [](double ns) { return ns > 100; }));
          left = found.size();
        } catch (const Error& error) {
          EXPECT_THAT(error.what(), HasSubstr("nothing to import")) << format << instead;
        }
        EXPECT_EQ(left, whole - 1) << format << ' ' << instead;
      }
    }
  }
}

}  // namespace
}  // namespace nsop::foreign::test
