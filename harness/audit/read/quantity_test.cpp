#include "harness/audit/read/quantity.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "harness/audit/read/document.h"

namespace nsop::audit {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

Quantity only(const std::string& text) {
  const std::vector<Quantity> all = scan(plain(text));
  EXPECT_EQ(all.size(), 1u) << text;
  return all.empty() ? Quantity{} : all[0];
}

std::vector<std::string> texts(const std::string& text) {
  std::vector<std::string> out;
  for (const Quantity& q : scan(plain(text))) out.push_back(q.text);
  return out;
}

TEST(Quantity, HasTheUnitThatIsPrinted) {
  EXPECT_DOUBLE_EQ(only("1.5 ns").value, 1.5e-9);
  EXPECT_DOUBLE_EQ(only("3 \u00b5s").value, 3e-6);
  EXPECT_DOUBLE_EQ(only("3 \u03bcs").value, 3e-6);
  EXPECT_DOUBLE_EQ(only("3.8ms/op").value, 3.8e-3);
  EXPECT_DOUBLE_EQ(only("1,234.5 s").value, 1234.5);
  EXPECT_DOUBLE_EQ(only("23 MB").value, 23e6);
  EXPECT_DOUBLE_EQ(only("2 KiB").value, 2048);
  EXPECT_DOUBLE_EQ(only("250K iterations").value, 250e3);
  EXPECT_DOUBLE_EQ(only("1M").value, 1e6);
  EXPECT_DOUBLE_EQ(only("\u22123.7 %").value, -3.7);
  EXPECT_DOUBLE_EQ(only("1.2e-3 s").value, 1.2e-3);
  EXPECT_EQ(only("2.7x faster").unit.dimension, Dimension::kRatio);
  EXPECT_EQ(only("2.7\u00d7").unit.dimension, Dimension::kRatio);
  EXPECT_EQ(only("12 GFLOP/s").unit.dimension, Dimension::kRate);
  EXPECT_EQ(only("12 GFLOP/s").unit.of, "flop");
  EXPECT_DOUBLE_EQ(only("12 GB/s").value, 12e9);
  EXPECT_EQ(only("520 eps/sec").unit.of, "ep");
  EXPECT_EQ(only("60 allocations").unit.of, "allocation");
  EXPECT_EQ(only("11 allocs").unit.of, "allocation");
}

TEST(Quantity, LeavesOpenWhatItsDigitsDo) {
  EXPECT_THAT(only("1.5 ms").span.lo, DoubleNear(1.45e-3, 1e-12));
  EXPECT_THAT(only("1.5 ms").span.hi, DoubleNear(1.55e-3, 1e-12));
  EXPECT_EQ(only("221,280").span.lo, 221280);  // a whole count is what it says
  EXPECT_EQ(only("221,280").span.hi, 221280);
  EXPECT_EQ(only("43,295 B").span.hi, 43295);
  EXPECT_THAT(only("250K").span.lo, DoubleNear(249.5e3, 1e-6));
  EXPECT_THAT(wide(only("23 MB")).hi, DoubleNear(23.5 * 1024 * 1024, 1e-3));
  EXPECT_THAT(wide(only("23 MiB")).hi, DoubleNear(23.5 * 1024 * 1024, 1e-3));
}

TEST(Quantity, RangesAndIntervals) {
  const Quantity range = only("2-2.7x faster");
  EXPECT_TRUE(range.is_range);
  EXPECT_DOUBLE_EQ(range.span.lo, 1.5);
  EXPECT_DOUBLE_EQ(range.span.hi, 2.75);
  const Quantity with = only("58.7x faster [56.8, 60.6] better");
  ASSERT_TRUE(with.interval);
  EXPECT_DOUBLE_EQ(with.interval->lo, 56.8);
  EXPECT_DOUBLE_EQ(with.interval->hi, 60.6);
  const Quantity time = only("354 \u00b5s [349, 360]");
  ASSERT_TRUE(time.interval);
  EXPECT_THAT(time.interval->lo, DoubleNear(349e-6, 1e-12));
  const Quantity mixed = only("94.1 % more time [2.06x slower, 82.6 % more time]");
  ASSERT_TRUE(mixed.interval);
  EXPECT_DOUBLE_EQ(mixed.interval->hi, mixed.span.hi);
}

TEST(Quantity, WhatIsNoQuantity) {
  for (const char* text : {"v0.3.1", "Conv2D", "2024-11-17", "3x3", "1x1x32x32", "[8, 64, 32, 32]",
                           "SSE2", "AVX-512", "2.6.3", "12:35", "1m30s", "1.2\u00d710^6",
                           "`k=3 n=100`", "k=3", "i7-8750H", "#12", "int16", "4th", "7z"}) {
    EXPECT_THAT(texts(text), ElementsAre()) << text;
  }
  EXPECT_THAT(texts("from v1.2 at 3x3: 5 ms, not `7 ms`"), ElementsAre("5 ms"));
}

TEST(Quantity, SeparatorsAndNamesOfThousands) {
  for (const char* text : {"1,234,567", "1'234'567", "1_234_567", "1\u202f234\u00a0567"})
    EXPECT_DOUBLE_EQ(only(text).value, 1234567) << text;
  EXPECT_DOUBLE_EQ(cell_quantity("1 234 567")->value, 1234567);
  EXPECT_DOUBLE_EQ(cell_quantity("~1 234.5 ms (slow)")->value, 1.2345);
  EXPECT_DOUBLE_EQ(cell_quantity("1 2345")->value, 1);
  EXPECT_THAT(texts("in 3 100 ms"), ElementsAre("3", "100 ms"));  // prose may list
  EXPECT_DOUBLE_EQ(only("1.2 k").value, 1200);
  EXPECT_DOUBLE_EQ(only("1.2 million rows").value, 1.2e6);
  EXPECT_EQ(only("1.2 million rows").unit.of, "row");
  EXPECT_FALSE(cell_quantity("3/4"));
}

TEST(Quantity, DeviationsBelongToTheirNumber) {
  EXPECT_DOUBLE_EQ(only("12.3 \u00b1 0.4 ms").value, 12.3e-3);
  EXPECT_DOUBLE_EQ(only("12.3 ms \u00b1 0.4 ms").value, 12.3e-3);
  EXPECT_DOUBLE_EQ(only("12.3 ms \u00b1 2 %").value, 12.3e-3);
  EXPECT_DOUBLE_EQ(only("12.3 \u00b1 0.4").value, 12.3);
  EXPECT_THAT(texts("12.3 ms \u00b1 0.4 \u2192 5 ms"), ElementsAre("12.3 ms", "5 ms"));
}

TEST(Quantity, BoundsBeforeANumber) {
  EXPECT_GT(only(">20x").span.hi, 1e50);
  EXPECT_DOUBLE_EQ(only(">20x").span.lo, 19.5);
  EXPECT_GT(only("more than 20x").span.hi, 1e50);
  EXPECT_GT(only("\u2265 20x").span.hi, 1e50);
  EXPECT_DOUBLE_EQ(only("up to 20x").span.lo, 0);
  EXPECT_DOUBLE_EQ(only("up to 20x").span.hi, 20.5);
  EXPECT_DOUBLE_EQ(only("about 20x").span.hi, 22.55);
  EXPECT_DOUBLE_EQ(only("\u2192 20x").span.hi, 20.5);
  EXPECT_DOUBLE_EQ(only("handover 20x").span.hi, 20.5);
}

TEST(Quantity, OfACellIsWhatItBeginsWith) {
  EXPECT_TRUE(cell_quantity("~5 ms (slow)"));
  EXPECT_TRUE(cell_quantity("<1"));
  EXPECT_FALSE(cell_quantity("about 5 ms"));
  EXPECT_FALSE(cell_quantity("N/A (not implemented)"));
  EXPECT_FALSE(cell_quantity("-"));
  EXPECT_DOUBLE_EQ(cell_quantity("5,502", header_unit("Duration (ns/op)"))->value, 5502e-9);
  EXPECT_DOUBLE_EQ(cell_quantity("3", header_unit("Memory [KiB]"))->value, 3072);
  EXPECT_EQ(header_unit("Allocations").of, "allocation");
  EXPECT_EQ(header_unit("Episodes/sec").dimension, Dimension::kRate);
  EXPECT_EQ(header_unit("Status (2024)").dimension, Dimension::kCount);
}

RC_GTEST_PROP(QuantityProperty, ReadsBackWhatIsPrinted, ()) {
  const auto whole = *rc::gen::inRange<int64_t>(0, 4'000'000'000);
  const auto decimals = *rc::gen::inRange(0, 4);
  const auto unit = *rc::gen::element<std::string>("ns", "us", "ms", "s");
  const double scale = unit == "ns" ? 1e-9 : unit == "us" ? 1e-6 : unit == "ms" ? 1e-3 : 1;
  const double value = static_cast<double>(whole) / std::pow(10.0, decimals);
  const std::vector<Quantity> all =
      scan(fmt::format("it took {:.{}f} {} here", value, decimals, unit));
  RC_ASSERT(all.size() == 1u);
  RC_ASSERT(std::abs(all[0].value - value * scale) <= 1e-9 * value * scale);
  RC_ASSERT(all[0].span.lo <= value * scale && value * scale <= all[0].span.hi);
}

RC_GTEST_PROP(QuantityProperty, AnyTextIsReadInOrder, (const std::string& noise)) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "1", "2.5", ",", "[", "]", "x", " ", "%", "-", "ms", "`", "K", "\xc2", "e", "."));
  std::string text = noise;
  for (const std::string& piece : pieces) text += piece;
  size_t last = 0;
  for (const Quantity& q : scan(text)) {
    RC_ASSERT(q.begin >= last && q.end > q.begin && q.end <= text.size());
    RC_ASSERT(q.span.lo <= q.span.hi);
    last = q.end;
  }
}

}  // namespace
}  // namespace nsop::audit
