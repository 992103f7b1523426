#include "harness/audit/checks/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/audit/read/document.h"

namespace nsop::audit {
namespace {

using testing::HasSubstr;

Quantity read(const std::string& text) { return scan(plain(text)).at(0); }

// Judges `figure` (with its words) of `before` and `after`.
Judgement of(const std::string& figure, const std::string& before, const std::string& after) {
  const Quantity q = read(figure);
  return judge(q, sense_around(figure, q.begin, q.end), {read(before), read(after), ""});
}

TEST(Check, SpeedupWithinTheDigitsOfAllThree) {
  EXPECT_EQ(of("2.69x faster", "20.7 s", "7.7 s").kind, Kind::kRight);
  EXPECT_EQ(of("2.67x faster", "20.7 s", "7.7 s").kind, Kind::kRight);  // 20.65 / 7.75 is 2.66
  EXPECT_EQ(of("2.67x faster", "20.707 s", "7.708 s").kind, Kind::kWrong);
  EXPECT_THAT(of("2.67x faster", "20.707 s", "7.708 s").note, HasSubstr("2.69x"));
  EXPECT_EQ(of("1.3x slower", "1.000 ms", "1.300 ms").kind, Kind::kRight);
}

TEST(Check, CutOffIsRounded) {
  EXPECT_EQ(of("2.6x faster", "2.680 s", "1.000 s").kind, Kind::kRounded);
  EXPECT_EQ(of("500x faster", "492.0 s", "1.000 s").kind, Kind::kRounded);  // one digit
  EXPECT_EQ(of("501x faster", "492.0 s", "1.000 s").kind, Kind::kWrong);
  EXPECT_EQ(of("2.8x faster", "2.680 s", "1.000 s").kind, Kind::kWrong);  // rounded away from it
}

TEST(Check, PercentagesAreLessTimeOrMoreSpeed) {
  EXPECT_THAT(of("50 % faster", "1.500 s", "1.000 s").note, HasSubstr("more speed"));
  EXPECT_EQ(of("50 % faster", "1.500 s", "1.000 s").kind, Kind::kRight);
  EXPECT_EQ(of("33.3 % faster", "1.500 s", "1.000 s").kind, Kind::kRight);
  EXPECT_EQ(of("40 % faster", "1.500 s", "1.000 s").kind, Kind::kWrong);
  EXPECT_EQ(of("50 % less time", "1.500 s", "1.000 s").kind, Kind::kWrong);
  EXPECT_EQ(of("-33.3 %", "1.500 s", "1.000 s").kind, Kind::kRight);
  EXPECT_EQ(of("100 % fewer", "3 allocations", "0 allocations").kind, Kind::kRight);
  EXPECT_EQ(of("3x fewer", "3 allocations", "0 allocations").kind, Kind::kNotCheckable);
}

TEST(Check, DirectionIsConfused) {
  const Judgement slower = of("3.9x faster", "1.25 s", "4.88 s");
  EXPECT_EQ(slower.kind, Kind::kDirection);
  EXPECT_THAT(slower.note, HasSubstr("3.9x slower"));
  const Judgement left = of("0.09x slower", "57,723 ns", "631,850 ns");
  EXPECT_EQ(left.kind, Kind::kDirection);
  EXPECT_THAT(left.note, HasSubstr("10.9x slower"));
  EXPECT_EQ(of("+20.0 %", "1.000 s", "0.800 s").kind, Kind::kDirection);
  EXPECT_EQ(of("0.80x", "0.800 s", "1.000 s").kind, Kind::kRight);
}

TEST(Check, RatesAreBetterWhenMore) {
  EXPECT_EQ(of("155x faster", "3.35 eps/s", "520 eps/s").kind, Kind::kRight);
  EXPECT_EQ(of("155x slower", "3.35 eps/s", "520 eps/s").kind, Kind::kDirection);
  EXPECT_EQ(of("+15,420 %", "3.35 eps/s", "520 eps/s").kind, Kind::kRight);
}

TEST(Check, ANumberReadUpToItsCommaIsSaid) {
  const Judgement found = of("58.4 % fewer", "221,280 allocations", "92 allocations");
  EXPECT_EQ(found.kind, Kind::kWrong);
  EXPECT_THAT(found.note, HasSubstr("99.96 %"));
  EXPECT_THAT(found.note, HasSubstr("up to its first comma"));
}

TEST(Check, UnitsOfMemoryMayBeOf1000Or1024) {
  EXPECT_EQ(of("1.00x less", "1 MB", "1,000 kB").kind, Kind::kRight);
  EXPECT_EQ(of("29x less", "1023 MB", "35 MB").kind, Kind::kRight);
  EXPECT_EQ(of("32x less", "1023 MB", "35 MB").kind, Kind::kWrong);
}

TEST(Check, AnIntervalSaysHowFarAnEstimateGoes) {
  EXPECT_EQ(of("58.7x faster [56.8, 60.6]", "354 us [349, 360]", "6.09 us [5.61, 6.37]").kind,
            Kind::kRight);
  EXPECT_EQ(of("58.7x faster", "354 us", "6.09 us").kind, Kind::kWrong);
}

}  // namespace
}  // namespace nsop::audit
