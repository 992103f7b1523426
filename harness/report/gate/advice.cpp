#include "harness/report/gate/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "harness/core/text.h"
#include "harness/report/base/format.h"
#include "harness/report/gate/rows.h"

namespace nsop::report {
namespace {

constexpr size_t kMostAdvised = 5, kMostDrawn = 20;
constexpr int kHalf = 20;  // columns on each side of zero

// So many days after a day like `2026-01-31`; the same text when it is no day.
std::string days_after(const std::string& day, int days) {
  int year = 0;
  unsigned month = 0, of_month = 0;
  if (std::sscanf(day.c_str(), "%4d-%2u-%2u", &year, &month, &of_month) != 3) return day;
  using namespace std::chrono;
  const year_month_day from{std::chrono::year{year}, std::chrono::month{month},
                            std::chrono::day{of_month}};
  if (!from.ok()) return day;
  const year_month_day to{sys_days{from} + std::chrono::days{days}};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(to.year()),
                     static_cast<unsigned>(to.month()), static_cast<unsigned>(to.day()));
}

std::string declaration_of(const judge::GateRowResult& row, const std::string& expires) {
  std::string text =
      fmt::format("[[change]]\ncase = \"{}\"\nvariant = \"{}\"\ndirection = \"worse\"\n",
                  row.row.key.case_text, row.row.key.variant);
  if (is_timed(row)) {
    const double most = std::ceil(100 * (row.first.decision.change().hi - 1));
    if (most > 0) text += fmt::format("at_most_percent = {:.0f}\n", most);
  }
  return text + fmt::format("expires = \"{}\"\nreason = \"why this is meant\"\n", expires);
}

std::string command_of(const GateRecord& gate, const judge::GateRowResult& row) {
  const auto side = [](const judge::GateSide& arm) {
    return shell_word(arm.commit.empty() ? arm.label : arm.commit.substr(0, 12));
  };
  return fmt::format("nsop gate --base {} --head {} {}", side(gate.plan.base), side(gate.plan.head),
                     shell_word(row.row.key.case_text));
}

// The smallest round scale that holds all intervals, as a share.
double scale_of(const GateRows& rows) {
  double most = 0;
  for (const judge::GateRowResult* row : rows) {
    const stats::GateDecision& d = row->first.decision;
    most = std::max({most, std::abs(d.change().lo - 1), std::abs(d.change().hi - 1)});
  }
  for (const double scale : {0.02, 0.05, 0.1, 0.2, 0.5, 1.0}) {
    if (most <= scale) return scale;
  }
  return 1;
}

int column_of(double ratio, double scale) {
  const double at = std::round((ratio - 1) / scale * kHalf);
  return kHalf + static_cast<int>(std::clamp(at, -1.0 * kHalf, 1.0 * kHalf));
}

std::string line_of(const judge::GateRowResult& row, double scale) {
  const stats::GateDecision& d = row.first.decision;
  std::vector<std::string> drawn(2 * kHalf + 1, " ");
  drawn[kHalf] = "│";
  const int lo = column_of(d.change().lo, scale), hi = column_of(d.change().hi, scale);
  for (int i = lo; i <= hi; ++i) drawn[static_cast<size_t>(i)] = i == kHalf ? "┼" : "─";
  drawn[static_cast<size_t>(lo)] = "├";
  drawn[static_cast<size_t>(hi)] = "┤";
  drawn[static_cast<size_t>(column_of(d.change().ratio, scale))] = "●";
  return join(drawn, "") + "  " + change_with_interval(d) + "  " + gate_row_name(row);
}

}  // namespace

Json advice_json(const GateRecord& gate) {
  const GateRows worse = rows_of(gate, GateGroup::kWorse);
  if (worse.empty()) return nullptr;
  constexpr int kDays = 90;
  const std::string expires = days_after(gate.run.started_utc.substr(0, 10), kDays);
  std::vector<std::string> declarations;
  Json commands = Json::array();
  for (size_t i = 0; i < std::min(worse.size(), kMostAdvised); ++i) {
    const bool measured =
        failure_of(*worse[i]).empty() && worse[i]->row.kind != judge::RowKind::kLost;
    if (measured) declarations.push_back(declaration_of(*worse[i], expires));
    commands.push_back(command_of(gate, *worse[i]));
  }
  return {{"who",
           "Who proposes this change mends it, or declares what is meant; who reviews it decides "
           "whether the reason holds: the declaration is part of the change."},
          {"declare", join(declarations, "\n")},
          {"reproduce", commands},
          {"left_out", worse.size() - std::min(worse.size(), kMostAdvised)}};
}

Json forest_json(const GateRecord& gate) {
  GateRows rows;
  for (const GateGroup group :
       {GateGroup::kWorse, GateGroup::kDeclared, GateGroup::kBetter, GateGroup::kInconclusive}) {
    for (const judge::GateRowResult* row : rows_of(gate, group)) {
      if (is_timed(*row) && rows.size() < kMostDrawn) rows.push_back(row);
    }
  }
  Json lines = Json::array();
  if (rows.empty()) return lines;
  const double scale = scale_of(rows);
  const std::string left = change_text(-scale), right = change_text(scale);
  const std::string gap(2 * kHalf + 1 - left.size() - right.size(), ' ');
  lines.push_back(left + gap + right + "  change of the time");
  for (const judge::GateRowResult* row : rows) lines.push_back(line_of(*row, scale));
  return lines;
}

}  // namespace nsop::report
