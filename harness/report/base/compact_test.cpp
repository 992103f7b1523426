#include "harness/report/base/compact.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "harness/report/base/cells.h"
#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

const CellPlace kPlace{"time", "relu n=8", 2};

nlohmann::json plain(const Json& json) { return json; }  // no order of keys

Json cell(const char* kind, const Json& value, const std::string& text) {
  return {{"kind", kind}, {"value", value}, {"text", text}};
}

TEST(PackedCell, IsItsTextWhereThatSaysAll) {
  EXPECT_EQ(packed_cell(text_cell("ReLU"), {"text", "", 1}), "ReLU");
  EXPECT_EQ(packed_cell(missing_cell("n/a"), kPlace), "n/a");
  EXPECT_EQ(packed_cell(missing_cell("n/a"), {"text", "", 1}), Json({"n/a", nullptr}));
  EXPECT_EQ(packed_cell(cell("count", 4194304.0, "4,194,304"), {"count", "", 1}), "4,194,304");
}

TEST(PackedCell, LeavesOutWhatTheRowSays) {
  EXPECT_TRUE(packed_cell(code_cell("relu n=8"), kPlace).is_null());
  EXPECT_EQ(packed_cell(code_cell("nsop run 'relu n=8' --variant hwy@AVX2 --threads 2"), kPlace),
            Json::array({"hwy@AVX2"}));
  const Json other = code_cell("nsop run 'relu n=8' --variant hwy@AVX2 --threads 3");
  EXPECT_EQ(packed_cell(other, {"code", "relu n=8", 2}), other["text"]);
}

TEST(PackedCell, OfANumberIsAnArray) {
  Json ratio = cell("ratio", 2.123456789, "2.12x faster");
  EXPECT_EQ(packed_cell(ratio, {"ratio", "", 1}), Json({"2.12x faster", 2.1235}));
  ratio["verdict"] = "better";
  EXPECT_EQ(packed_cell(ratio, {"ratio", "", 1}),
            Json({"2.12x faster", 2.1235, nullptr, nullptr, nullptr, "better"}));
  Json rate = cell("rate", 1.5, "1.50 GB/s ?");
  rate["unit"] = "GB/s";
  rate["doubt"] = true;
  EXPECT_EQ(packed_cell(rate, {"rate", "", 1}), Json({"1.50 GB/s ?", 1.5}));
}

TEST(PackedCell, ThatNoShortFormSaysStaysAnObject) {
  for (Json odd :
       {cell("count", 4194305, "4,194,304"), cell("text", "a", "b"), cell("count", 4, "04")}) {
    odd["strong"] = true;
    EXPECT_EQ(plain(packed_cell(odd, kPlace)), plain(odd));
  }
  EXPECT_TRUE(packed_cell(missing_cell("12"), {"count", "", 1}).is_object());
}

Json any_cell() {
  const auto kind = *rc::gen::element<std::string>("text", "code", "time", "count", "rate", "ratio",
                                                   "percent", "missing", "bytes");
  const auto text = *rc::gen::element<std::string>(
      "12", "1,234", "n/a", "relu n=8", "12 ns ?", "1.5 GB/s", "", "? ", "0", "007",
      "nsop run 'relu n=8' --variant x --threads 2", "nsop run 'relu n=8' --variant  --threads 2");
  Json out = cell(kind.c_str(), nullptr, text);
  const int value = *rc::gen::inRange(0, 4);
  if (value == 1) out["value"] = text;
  if (value == 2) out["value"] = *rc::gen::arbitrary<double>();
  if (value == 3) out["value"] = *rc::gen::element(12, 1234, 0, 7);
  const auto maybe = [] { return *rc::gen::arbitrary<bool>(); };
  if (maybe()) out["interval"] = {*rc::gen::arbitrary<double>(), 2.5};
  if (maybe()) out["interval_text"] = "[1, 2]";
  if (maybe()) out["verdict"] = "better";
  if (maybe()) out["note"] = "a note";
  if (maybe()) out["doubt"] = true;
  if (maybe()) out["unit"] = "GB/s";
  if (maybe()) out["strong"] = true;
  return out;
}

TEST(PackedCell, StandsForTheSameCell) {
  EXPECT_TRUE(rc::check("unpacked(packed(cell)) is the rounded cell", [] {
    const Json one = any_cell();
    const auto kind = *rc::gen::element<std::string>("text", "code", "time", "count", "rate");
    const CellPlace place{kind, "relu n=8", 2};
    RC_ASSERT(plain(unpacked_cell(packed_cell(one, place), place)) == plain(rounded_cell(one)));
  }));
}

TEST(Rounded, KeepsFiveDigitsAndWholeNumbers) {
  EXPECT_EQ(rounded(1.23456789), 1.2346);
  EXPECT_EQ(rounded(Json{{"a", {123456789.0, 1e300, -0.000012345678}}}),
            Json({{"a", {123456789, 1e300, -1.2346e-05}}}));
  EXPECT_EQ(rounded(1.23456789, 4), 1.235);
  EXPECT_TRUE(rounded(std::numeric_limits<double>::infinity()).is_null());
}

TEST(Rounded, AnIntervalHoldsWhatItHeld) {
  Json one = cell("ratio", 0.01555549, "64.3x slower");
  one["interval"] = {0.01555549, 0.0155555};
  EXPECT_EQ(rounded_cell(one)["interval"], Json({0.01555, 0.01556}));
  one["interval"] = {0.01555549, 0.01555549};
  EXPECT_EQ(rounded_cell(one)["interval"], Json({0.015555, 0.015555}));
  one["interval"] = {-1.00006, 99999.7};
  EXPECT_EQ(rounded_cell(one)["interval"], Json({-1.001, 100000}));
  one["interval"] = {-0.0, 3.0};
  EXPECT_EQ(rounded_cell(one)["interval"], Json({0, 3}));
  one["interval"] = {nullptr, 2.5};
  EXPECT_EQ(rounded_cell(one)["interval"], Json({nullptr, 2.5}));
  EXPECT_TRUE(rc::check("of any two numbers", [&] {
    const auto a = *rc::gen::arbitrary<double>(), b = *rc::gen::arbitrary<double>();
    one["interval"] = {std::min(a, b), std::max(a, b)};
    const Json out = rounded_cell(one)["interval"];
    RC_ASSERT(out[0] <= Json(std::min(a, b)));
    RC_ASSERT(out[1] >= Json(std::max(a, b)));
  }));
}

TEST(Compacted, WritesWhatRepeatsOnce) {
  const Json report = build_report(peers_suite(), peers_run().data(), std::nullopt);
  const Json file = compacted(report);
  EXPECT_EQ(file["schema"], "nsop.report/2");
  const Json& table = report["sections"][0]["tables"][0];
  const Json& packed = file["sections"][0]["tables"][0];
  ASSERT_EQ(packed["rows"].size(), table["rows"].size());
  for (size_t i = 0; i < table["columns"].size(); ++i) {
    const Json& column = file["columns"][packed["columns"][i].get<size_t>()];
    EXPECT_EQ(column["label"], table["columns"][i]["label"]);
  }
  std::vector<std::string> texts = file["texts"];
  std::sort(texts.begin(), texts.end());
  EXPECT_EQ(std::unique(texts.begin(), texts.end()), texts.end());
  EXPECT_LT(lines_of(file, 6).size(), report.dump().size() / 2);
}

TEST(LinesOf, HasALineForEachElementDownToALevel) {
  EXPECT_EQ(lines_of({{"a", {1, {2}}}, {"b", Json::array()}}, 2),
            "{\n\"a\":[\n1,\n[2]\n],\n\"b\":[]\n}\n");
  EXPECT_EQ(lines_of(Json::array({"\xff"}), 1), "[\n\"\xef\xbf\xbd\"\n]\n");
}

}  // namespace
}  // namespace nsop::report
