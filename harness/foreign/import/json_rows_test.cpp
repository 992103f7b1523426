#include "harness/foreign/import/json_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "harness/foreign/testing/foreign_support.h"

namespace nsop::foreign {
namespace {

struct ReadRows {
  std::vector<Value> rows;
  JsonRest rest;
};

ReadRows rows_of(const std::string& text, JsonOptions options = {}) {
  std::istringstream in(text);
  TextSource source(in);
  ReadRows read;
  read.rest = read_json_rows(
      source, "x", {{"rows", "[]"}},
      [&](const Path&, Value& row, const Value&) { read.rows.push_back(row); }, options);
  return read;
}

std::string refused(const std::string& text) {
  try {
    rows_of(text);
    return {};
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadData);
    return error.what();
  }
}

TEST(JsonRows, AreTakenOutOfTheDocument) {
  const ReadRows read = rows_of(R"({"a":{"b":[1,2]},"rows":[{"x":1},3,[4]],"c":null})");
  EXPECT_EQ(read.rows, (std::vector<Value>{{{"x", 1}}, 3, Value::array({4})}));
  EXPECT_EQ(read.rest.value, Value::parse(R"({"a":{"b":[1,2]},"rows":[],"c":null})"));
  EXPECT_FALSE(read.rest.truncated);
}

TEST(JsonRows, WhatToolsWriteBeyondJsonIsRead) {
  EXPECT_EQ(rows_of(R"({"rows":[NaN,-nan,Infinity,-Infinity,inf,true,null]})").rows,
            (std::vector<Value>{"NaN", "NaN", "Infinity", "-Infinity", "Infinity", true, nullptr}));
  EXPECT_EQ(rows_of("{\"rows\":[\"a\tb\nc\x01\"]}").rows, (std::vector<Value>{"a\tb\nc\x01"}));
  EXPECT_EQ(rows_of(R"({"rows":[{"n":1,234,567,"m":-1.5e3}]})").rows,
            (std::vector<Value>{{{"n", 1234567}, {"m", -1500.0}}}));
  EXPECT_EQ(rows_of(R"({"rows":[[1,234]]})").rows, (std::vector<Value>{Value::array({1, 234})}));
  EXPECT_EQ(rows_of("{\"rows\":[\"\xff\"]}").rows, (std::vector<Value>{"\xef\xbf\xbd"}));
  EXPECT_EQ(rows_of(R"({"rows":[{"n":"a "b" c","m":1}]})", {.bare_quotes = true}).rows.size(), 1U);
}

TEST(JsonRows, OfEveryEncodingAreTheSame) {
  const std::string plain =
      "{\"rows\":[\"gr\xc3\xb6\xc3\x9f"
      "e \xf0\x9f\x9a\x80\"]}\r\n";
  const std::vector<Value> expected = {
      "gr\xc3\xb6\xc3\x9f"
      "e \xf0\x9f\x9a\x80"};
  EXPECT_EQ(rows_of("\xef\xbb\xbf" + plain).rows, expected);
  for (const bool little : {true, false}) {
    for (const bool mark : {true, false}) {
      std::u16string units = u"{\"rows\":[\"gr\u00f6\u00dfe \U0001f680\"]}\r\n";
      if (mark) units.insert(0, 1, u'\ufeff');
      std::string bytes;
      for (const char16_t unit : units) {
        const char low = static_cast<char>(unit & 0xff), high = static_cast<char>(unit >> 8);
        bytes += little ? low : high;
        bytes += little ? high : low;
      }
      EXPECT_EQ(rows_of(bytes).rows, expected) << little << mark;
    }
  }
}

TEST(JsonRows, ATruncatedTextGivesItsCompleteRows) {
  const std::string text = R"({"rows":[{"x":1},{"x":22},{"x":"a"}],"y":NaN})";
  for (size_t size = 0; size < text.size(); ++size) {
    const ReadRows read = rows_of(text.substr(0, size));
    EXPECT_TRUE(read.rest.truncated) << size;
    EXPECT_EQ(read.rows.size(), (size >= 16) + (size >= 25) + (size >= 35)) << size;
  }
}

TEST(JsonRows, DepthAndSenseAreBounded) {
  EXPECT_THAT(refused(std::string(1'000'000, '[')), testing::HasSubstr("nested more than 64 deep"));
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += "{\"a\":";
  EXPECT_THAT(refused(objects), testing::HasSubstr("nested more than 64 deep"));
  EXPECT_THAT(refused(R"({"rows":[{"a":1,"a":2}]})"), testing::HasSubstr("'a' is given twice"));
  EXPECT_THAT(refused(R"({"rows":[1e999]})"), testing::HasSubstr("out of range"));
  EXPECT_THAT(refused(R"({"rows":[1 2]})"), testing::HasSubstr("not JSON at byte"));
  EXPECT_THAT(refused("{} {}"), testing::HasSubstr("not JSON at byte"));
}

TEST(JsonRows, NumbersAreTakenExactlyOrNotAtAll) {
  const Value row = Value::parse(R"({"a":1.5,"b":"2","c":3.0,"d":1e300,"e":-7})");
  EXPECT_EQ(number_at(row, "a"), 1.5);
  EXPECT_EQ(number_at(row, "b"), std::nullopt);
  EXPECT_EQ(integer_at(row, "a"), std::nullopt);
  EXPECT_EQ(integer_at(row, "c"), 3);
  EXPECT_EQ(integer_at(row, "d"), std::nullopt);
  EXPECT_EQ(integer_at(row, "e"), -7);
}

RC_GTEST_PROP(JsonRows, AnyBytesAreReadOrRefused, (const std::string& bytes)) {
  try {
    rows_of(bytes);
  } catch (const Error& error) {
    RC_ASSERT(error.code() == ExitCode::kBadData);
  }
}

RC_GTEST_PROP(JsonRows, ValidJsonIsWhatItIs,
              (const std::map<std::string, std::vector<double>>& m)) {
  Value value = Value::object();
  for (const auto& [key, list] : m) {
    const std::string clean =
        Value::parse(Value(key).dump(-1, ' ', true, Value::error_handler_t::replace));
    value[clean + "_"] = list;
  }
  RC_ASSERT(rows_of(value.dump(1)).rest.value == Value::parse(value.dump()));
}

}  // namespace
}  // namespace nsop::foreign
