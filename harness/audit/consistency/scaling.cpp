// No header: check_scaling() of consistency.h.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/audit/checks/check.h"
#include "harness/audit/consistency/consistency.h"
#include "harness/core/text.h"

namespace nsop::audit {
namespace {

constexpr size_t kFewestSizes = 3, kMostSizes = 200;
constexpr size_t kMostAbove = 10;  // tables above a statement
constexpr double kFlat = 1.1;      // a time per element that rises by less doesn't rise

// The first two headings above: a section with its parts.
std::string section_of(const std::string& above) {
  const std::vector<std::string> all = split(above, '/');
  return all.size() < 2 ? trim(above) : trim(all[0]) + "/" + trim(all[1]);
}

// The nearest table above the statement in its section that `fits`, of the last kMostAbove.
template <typename Fits>
std::optional<size_t> table_above(const Page& page, const Statement& s, Fits fits) {
  const std::vector<Table>& all = page.document().tables;
  const auto end = std::partition_point(all.begin(), all.end(),
                                        [&](const Table& table) { return table.line < s.line; });
  const auto count = static_cast<size_t>(end - all.begin());
  for (size_t back = 1; back <= std::min(count, kMostAbove); ++back) {
    const size_t t = count - back;
    if (section_of(all[t].above) != section_of(s.above)) break;
    if (fits(t)) return t;
  }
  return {};
}

std::optional<size_t> row_of(const Page& page, size_t t, const std::string& key) {
  for (const Place& place : page.named(key)) {
    if (place.table == t) return place.row;
  }
  return {};
}

// `100K -> 1M: 10x elements, 194x time`: two rows of a table of sizes.
void check_growth(const Page& page, const Statement& s, std::vector<Finding>& out) {
  const size_t arrow = s.label.find("->");
  if (arrow == std::string::npos) return;
  const std::string from = words_of(s.label.substr(0, arrow)),
                    to = words_of(s.label.substr(arrow + 2));
  const auto has_both = [&](size_t t) { return row_of(page, t, from) && row_of(page, t, to); };
  const auto t = from.empty() || to.empty() ? std::nullopt : table_above(page, s, has_both);
  if (!t) return;
  const Place first{*t, *row_of(page, *t, from)}, last{*t, *row_of(page, *t, to)};
  for (const Quantity& q : scan(s.text)) {
    const std::string behind = words_of(s.text.substr(q.end, 16));
    if (q.unit.dimension != Dimension::kRatio || !(behind + " ").starts_with("time ")) continue;
    std::string values;
    Finding found{s.line, Kind::kWrong, q.text, ""};
    for (const Measured& m : page.measured(last)) {
      const auto before = page.quantity(first, m.column);
      if (m.quantity.unit.dimension != Dimension::kTime || !before || before->span.lo <= 0 ||
          !same_kind(*before, m.quantity))
        continue;
      const Span growth = quotient(m.quantity.span, before->span);
      const Kind kind = agrees(q, growth);
      if (kind < found.kind) {
        found.kind = kind;
        found.note = fmt::format("{} -> {}, lines {} and {}", shown(*before), shown(m.quantity),
                                 page.row(first).line, page.row(last).line);
      }
      values += (values.empty() ? "" : ", ") + in_place_of(q, growth.mid());
    }
    if (values.empty()) continue;
    if (found.kind == Kind::kWrong)
      found.note =
          fmt::format("lines {} and {} give {}", page.row(first).line, page.row(last).line, values);
    out.push_back(std::move(found));
  }
}

// Time per element of a column, by rows of rising size; empty where it is no such table.
std::vector<double> per_element(const Page& page, size_t t, size_t c) {
  std::vector<double> out;
  double before = 0;
  if (page.table(t).rows.size() > kMostSizes) return out;
  for (size_t r = 0; r < page.table(t).rows.size(); ++r) {
    const std::vector<std::string>& cells = page.table(t).rows[r].cells;
    const auto size = cells.empty() ? std::nullopt : cell_quantity(cells[0]);
    const auto time = page.quantity({t, r}, c);
    const bool rises = size && size->unit.dimension == Dimension::kCount && size->value > before;
    if (!rises || !time || time->unit.dimension != Dimension::kTime) return {};
    before = size->value;
    out.push_back(time->value / size->value);
  }
  return out;
}

std::string in_ns(const std::vector<double>& all) {
  std::string out;
  for (const double s : all) out += fmt::format("{}{:.3g}", out.empty() ? "" : ", ", s * 1e9);
  return out;
}

// `degrades as size increases` above which a table of sizes has a time per element that doesn't
// rise: what changes is something else.
void check_degradation(const Page& page, const Statement& s, std::vector<Finding>& out) {
  const std::string words = words_of(s.text);
  const bool size = has_word(words, "size") || has_word(words, "sizes");
  if (!size || (" " + words).find(" degrad") == std::string::npos) return;
  std::vector<std::pair<std::string, std::vector<double>>> times;
  const auto has_sizes = [&](size_t t) {
    times.clear();
    for (size_t c = 1; c < page.columns(t).size(); ++c) {
      std::vector<double> all = per_element(page, t, c);
      if (all.size() < kFewestSizes) continue;
      const std::string& header = page.columns(t)[c].header;
      times.emplace_back(header.empty() ? fmt::format("column {}", c + 1) : header, std::move(all));
    }
    return !times.empty();
  };
  const auto t = table_above(page, s, has_sizes);
  if (!t) return;
  has_sizes(*t);
  const std::vector<double>& own = times[0].second;
  if (own.back() > kFlat * *std::min_element(own.begin(), own.end())) return;
  std::string note = "the time per element in line " + std::to_string(page.table(*t).line) +
                     " and below doesn't rise: ";
  for (const auto& [header, all] : times)
    note += fmt::format("{}{} ns ({})", &all == &own ? "" : "; ", in_ns(all), header);
  out.push_back({s.line, Kind::kNotCheckable, "degrades", std::move(note)});
}

// `(Scalar!)` behind the quantity of a cell.
std::string mark_of(const std::string& cell, const Quantity& q) {
  const std::string behind = trim(std::string_view(cell).substr(q.end));
  if (q.interval || behind.size() < 3 || behind.front() != '(' || behind.back() != ')') return "";
  const std::string inside = behind.substr(1, behind.size() - 2);
  return scan(inside).empty() && !has_word(inside, "baseline") ? inside : "";
}

// A column of which few cells say of what they are.
void check_marks(const Page& page, size_t t, std::vector<Finding>& out) {
  for (size_t c = 0; c < page.columns(t).size(); ++c) {
    if (page.columns(t)[c].role != Role::kMeasure) continue;
    size_t cells = 0;
    std::vector<Finding> marked;
    for (size_t r = 0; r < page.table(t).rows.size(); ++r) {
      const auto q = page.quantity({t, r}, c);
      if (!q) continue;
      ++cells;
      const std::string mark = mark_of(page.table(t).rows[r].cells[c], *q);
      if (mark.empty()) continue;
      marked.push_back({page.table(t).rows[r].line, Kind::kNotCheckable, q->text,
                        fmt::format("marked '{}', unlike the other rows: the column may mix "
                                    "cases",
                                    mark)});
    }
    if (marked.size() * 2 >= cells) continue;
    std::move(marked.begin(), marked.end(), std::back_inserter(out));
  }
}

}  // namespace

std::vector<Finding> check_scaling(const Page& page) {
  std::vector<Finding> out;
  for (const Statement& s : page.document().statements) {
    check_growth(page, s, out);
    check_degradation(page, s, out);
  }
  for (size_t t = 0; t < page.document().tables.size(); ++t) check_marks(page, t, out);
  return out;
}

}  // namespace nsop::audit
