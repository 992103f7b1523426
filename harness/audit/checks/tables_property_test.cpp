// No header: properties of tables.h. A table of true figures accuses nobody; one wrong figure in it
// is found.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "harness/audit/testing/audit_support.h"

namespace nsop::audit {
namespace {

struct Line {
  int before = 0, after = 0;  // tenths of a microsecond
};

std::vector<Line> lines() {
  const auto count = *rc::gen::inRange<size_t>(1, 12);
  std::vector<Line> out;
  for (size_t i = 0; i < count; ++i)
    out.push_back({*rc::gen::inRange(1000, 900000), *rc::gen::inRange(1000, 900000)});
  return out;
}

std::string ratio_text(double ratio) {
  return ratio >= 1 ? fmt::format("{:.2f}x faster", ratio)
                    : fmt::format("{:.2f}x slower", 1 / ratio);
}

// Times in `unit`, with the speedup of `figures`.
std::string table_of(const std::vector<Line>& all, const std::vector<double>& ratios) {
  std::string out = "|Case|Before|After|Speedup|Time|\n|---|---:|---:|---:|---:|\n";
  for (size_t i = 0; i < all.size(); ++i) {
    out += fmt::format("|case {}|{:.1f} \u00b5s|{:.1f} \u00b5s|{}|{:+.1f} %|\n", i,
                       all[i].before / 10.0, all[i].after / 10.0, ratio_text(ratios[i]),
                       (1.0 * all[i].after / all[i].before - 1) * 100);
  }
  return out;
}

std::vector<double> true_ratios(const std::vector<Line>& all) {
  std::vector<double> out;
  for (const Line& one : all) out.push_back(1.0 * one.before / one.after);
  return out;
}

RC_GTEST_PROP(TablesProperty, ATrueTableAccusesNobody, ()) {
  const std::vector<Line> all = lines();
  size_t right = 0;
  for (const Finding& f : audit(table_of(all, true_ratios(all)))) {
    RC_ASSERT(!accuses(f.kind));
    right += f.kind == Kind::kRight;
  }
  RC_ASSERT(right == 2 * all.size());
}

RC_GTEST_PROP(TablesProperty, AWrongFigureIsFoundAndNoOther, ()) {
  const std::vector<Line> all = lines();
  std::vector<double> ratios = true_ratios(all);
  const auto which = *rc::gen::inRange<size_t>(0, all.size());
  const double factor = *rc::gen::element(0.3, 0.7, 1.3, 3.0);
  const double planted = ratios[which] * factor;
  // In the other direction it says the same of two times that are nearly one.
  RC_PRE(std::abs(std::log(planted) + std::log(ratios[which])) > 0.05);
  ratios[which] = planted;
  std::vector<int> accused;
  for (const Finding& f : audit(table_of(all, ratios))) {
    if (accuses(f.kind)) accused.push_back(f.line);
  }
  RC_ASSERT(accused == std::vector<int>{static_cast<int>(which) + 3});
}

RC_GTEST_PROP(TablesProperty, SharesAndTotals, ()) {
  const auto parts = *rc::gen::container<std::vector<int>>(8, rc::gen::inRange(100, 10000));
  int sum = 0;
  for (const int part : parts) sum += part;
  const bool wrong = *rc::gen::arbitrary<bool>();
  std::string page = "|Part|Time|Share|\n|---|---:|---:|\n";
  for (const int part : parts)
    page += fmt::format("|p|{} ms|{:.1f} %|\n", part, 100.0 * part / sum);
  page += fmt::format("|Total|{} ms||\n", sum + (wrong ? sum / 10 : 0));
  size_t found = 0;
  for (const Finding& f : audit(page)) found += f.kind == Kind::kWrong && f.line == 11;
  RC_ASSERT(found == (wrong ? 1u : 0u));
}

}  // namespace
}  // namespace nsop::audit
