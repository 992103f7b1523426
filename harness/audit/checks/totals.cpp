// No header: check_columns() of tables.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/audit/checks/tables.h"

namespace nsop::audit {
namespace {

// A column that says in another unit what an earlier one says: `Duration (ns/op)`, `Duration (us)`.
void check_units(const Page& page, size_t t, std::vector<Finding>& out) {
  const std::vector<Column>& columns = page.columns(t);
  for (size_t b = 1; b < columns.size(); ++b) {
    for (size_t a = 0; a < b; ++a) {
      if (columns[a].role != Role::kMeasure || columns[b].role != Role::kMeasure) continue;
      if (columns[a].name.empty() || columns[a].name != columns[b].name) continue;
      if (columns[a].header == columns[b].header) continue;
      for (size_t r = 0; r < page.table(t).rows.size(); ++r) {
        const auto first = page.quantity({t, r}, a), second = page.quantity({t, r}, b);
        if (!first || !second || !same_kind(*first, *second)) continue;
        const bool coarser = second->span.hi - second->span.lo >= first->span.hi - first->span.lo;
        Quantity fine = coarser ? *first : *second;
        const Quantity& coarse = coarser ? *second : *first;
        Finding f{page.table(t).rows[r].line, Kind::kWrong, coarse.text,
                  fmt::format("{} in column '{}'", shown(fine), columns[coarser ? a : b].header)};
        const double step = std::pow(10.0, -coarse.decimals) * coarse.unit.scale;
        if (meet(wide(coarse), wide(fine))) {
          f.kind = Kind::kRight;
        } else if (fine.value >= coarse.value && fine.value < coarse.value + step) {
          f.kind = Kind::kRounded;
        } else {
          f.note += fmt::format(" is {:.{}f} in this unit", fine.value / coarse.unit.scale,
                                coarse.decimals);
        }
        out.push_back(std::move(f));
      }
      break;
    }
  }
}

enum class Aggregate { kNone, kTotal, kMean };

Aggregate named_aggregate(const std::string& cell) {
  const std::string words = words_of(cell);
  if (words == "total" || words == "sum" || words == "totals") return Aggregate::kTotal;
  if (words == "mean" || words == "average" || words == "avg" || words == "geometric mean")
    return Aggregate::kMean;
  return Aggregate::kNone;
}

// Of a row at the end of a table whose name stands once in it and whose other keys are empty: an
// operation may be called `sum`, too.
Aggregate aggregate_of(const Page& page, Place place) {
  const Table& table = page.table(place.table);
  const Row& row = page.row(place);
  const Aggregate out = row.cells.empty() ? Aggregate::kNone : named_aggregate(row.cells[0]);
  if (out == Aggregate::kNone) return out;
  for (size_t c = 1; c < std::min(row.cells.size(), page.columns(place.table).size()); ++c) {
    const bool key = page.columns(place.table)[c].role == Role::kKey;
    if (key && !words_of(row.cells[c]).empty()) return Aggregate::kNone;
  }
  for (size_t r = 0; r < table.rows.size(); ++r) {
    if (r == place.row || table.rows[r].cells.empty()) continue;
    const bool again = table.rows[r].cells[0] == row.cells[0];
    const bool goes_on =
        r > place.row && named_aggregate(table.rows[r].cells[0]) == Aggregate::kNone;
    if (again || goes_on) return Aggregate::kNone;
  }
  return out;
}

struct Means {
  Span arithmetic{}, geometric{}, harmonic{};
};

Means means_of(const std::vector<Quantity>& values) {
  const double n = static_cast<double>(values.size());
  Means out;
  for (double Span::*end : {&Span::lo, &Span::hi}) {
    double sum = 0, logs = 0, inverses = 0;
    for (const Quantity& q : values) {
      sum += q.span.*end;
      logs += std::log(q.span.*end);
      inverses += 1 / (q.span.*end);
    }
    out.arithmetic.*end = sum / n;
    out.geometric.*end = std::exp(logs / n);
    out.harmonic.*end = n / inverses;
  }
  return out;
}

Finding judged_mean(int line, const Quantity& figure, const std::vector<Quantity>& values) {
  const Means means = means_of(values);
  const bool positive =
      std::all_of(values.begin(), values.end(), [](const Quantity& q) { return q.span.lo > 0; });
  Finding out{line, agrees(figure, means.arithmetic), figure.text,
              fmt::format("the mean of {} rows", values.size())};
  if (figure.unit.scale != 1 && out.kind != Kind::kRight) {
    out.kind = meet(figure.span, means.arithmetic) ? Kind::kRight : Kind::kWrong;
  }
  if (out.kind == Kind::kWrong && positive && meet(figure.span, means.geometric)) {
    out.kind = Kind::kRight;
    out.note = fmt::format("the geometric mean of {} rows", values.size());
  } else if (out.kind == Kind::kWrong && positive && meet(figure.span, means.harmonic)) {
    out.kind = Kind::kRight;
    out.note = fmt::format("the harmonic mean of {} rows", values.size());
  } else if (out.kind == Kind::kWrong) {
    out.note +=
        fmt::format(" is {:.{}f}", means.arithmetic.mid() / figure.unit.scale, figure.decimals + 1);
  }
  return out;
}

void check_aggregates(const Page& page, size_t t, std::vector<Finding>& out) {
  const Table& table = page.table(t);
  for (size_t c = 1; c < page.columns(t).size(); ++c) {
    const Role role = page.columns(t)[c].role;
    if (role != Role::kMeasure && role != Role::kDerived && role != Role::kShare) continue;
    std::vector<Quantity> values;
    for (size_t r = 0; r < table.rows.size(); ++r) {
      const auto q = page.quantity({t, r}, c);
      const Aggregate aggregate = aggregate_of(page, {t, r});
      if (!q) continue;
      if (aggregate == Aggregate::kNone) {
        values.push_back(*q);
        continue;
      }
      const bool alike = std::all_of(values.begin(), values.end(),
                                     [&](const Quantity& v) { return same_kind(v, *q); });
      if (values.size() < 2 || !alike) continue;
      if (aggregate == Aggregate::kMean) {
        out.push_back(judged_mean(table.rows[r].line, *q, values));
      } else if (q->unit.dimension != Dimension::kRatio) {
        Span sum{0, 0};
        for (const Quantity& v : values) sum = {sum.lo + v.span.lo, sum.hi + v.span.hi};
        const bool right = meet(q->span, sum);
        if (!right && role == Role::kDerived) continue;  // a change of totals, not a sum
        out.push_back({table.rows[r].line, right ? Kind::kRight : Kind::kWrong, q->text,
                       fmt::format("the sum of {} rows is {:.{}f}", values.size(),
                                   sum.mid() / q->unit.scale, q->decimals)});
      }
    }
  }
}

// The parts of a column as percentages of its sum, or of its row `Total`.
std::vector<std::optional<Span>> parts_of(const Page& page, size_t t, size_t c) {
  std::vector<std::optional<Span>> out;
  Span sum{0, 0};
  std::optional<Span> total;
  for (size_t r = 0; r < page.table(t).rows.size(); ++r) {
    const auto q = page.quantity({t, r}, c);
    out.push_back(q ? std::optional<Span>(q->span) : std::nullopt);
    if (!q) continue;
    if (aggregate_of(page, {t, r}) == Aggregate::kTotal) {
      total = q->span;
    } else {
      sum = {sum.lo + q->span.lo, sum.hi + q->span.hi};
    }
  }
  const Span whole = total ? *total : sum;
  for (auto& part : out) {
    if (part && whole.lo > 0) part = Span{part->lo / whole.hi * 100, part->hi / whole.lo * 100};
  }
  return out;
}

void check_shares(const Page& page, size_t t, size_t c, std::vector<Finding>& out) {
  const Table& table = page.table(t);
  size_t figures = 0, most = 0, from = 0;
  for (size_t r = 0; r < table.rows.size(); ++r) figures += page.quantity({t, r}, c).has_value();
  if (figures == 0) return;
  for (size_t m = 0; m < page.columns(t).size(); ++m) {
    if (page.columns(t)[m].role != Role::kMeasure) continue;
    const auto parts = parts_of(page, t, m);
    size_t right = 0;
    for (size_t r = 0; r < table.rows.size(); ++r) {
      const auto q = page.quantity({t, r}, c);
      right += q && parts[r] && agrees(*q, *parts[r]) != Kind::kWrong;
    }
    if (right > most) {
      most = right;
      from = m;
    }
  }
  if (most < 2 || most * 2 <= figures) {
    out.push_back(
        {table.line, Kind::kShareWithoutParts, table.header.size() > c ? table.header[c] : "",
         fmt::format("{} shares of something that no column of the table holds", figures)});
    return;
  }
  const auto parts = parts_of(page, t, from);
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const auto q = page.quantity({t, r}, c);
    if (!q || !parts[r]) continue;
    const Kind kind = agrees(*q, *parts[r]);
    std::string note = fmt::format("of column '{}'", page.columns(t)[from].header);
    if (kind == Kind::kWrong) note += " it is " + in_place_of(*q, parts[r]->mid());
    out.push_back({table.rows[r].line, kind, q->text, std::move(note)});
  }
}

}  // namespace

std::vector<Finding> check_columns(const Page& page) {
  std::vector<Finding> out;
  for (size_t t = 0; t < page.document().tables.size(); ++t) {
    if (page.table(t).header.empty()) {
      out.push_back(
          {page.table(t).line, Kind::kNotCheckable, "table",
           "its header and the line of dashes are missing: it shows as text, and what its "
           "columns are can't be known"});
    }
    check_units(page, t, out);
    check_aggregates(page, t, out);
    for (size_t c = 0; c < page.columns(t).size(); ++c) {
      if (page.columns(t)[c].role == Role::kShare) check_shares(page, t, c, out);
    }
  }
  return out;
}

}  // namespace nsop::audit
