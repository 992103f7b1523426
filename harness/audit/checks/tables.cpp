#include "harness/audit/checks/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace nsop::audit {
namespace {

struct Candidate {
  Pair pair;
  bool certain = false;  // nothing else can be meant
};

bool measures(const Column& column, Metric metric) {
  if (column.role != Role::kMeasure || column.metric != metric) return false;
  return metric != Metric::kTime || column.dimension == Dimension::kTime ||
         column.dimension == Dimension::kCount;
}

// What a figure is of: what its header says or, where no column has that, the one metric that the
// columns have.
Metric metric_meant(const std::vector<Column>& columns, Metric said) {
  std::set<Metric> all;
  for (const Column& column : columns) {
    if (column.role == Role::kMeasure) all.insert(column.metric);
  }
  return all.size() == 1 ? *all.begin() : said;
}

// The two quantities of a cell `a -> b`.
std::optional<Pair> arrow_of(const std::string& cell, const Unit& unit) {
  const size_t arrow = cell.find("->");
  if (arrow == std::string::npos) return {};
  const auto after = cell_quantity(std::string_view(cell).substr(arrow + 2), unit);
  auto before = cell_quantity(std::string_view(cell).substr(0, arrow), unit);
  if (!after) return {};
  if (!before || !same_kind(*before, *after)) {  // `2x (from 28 -> 14)`
    const std::vector<Quantity> all = scan(std::string_view(cell).substr(0, arrow), unit);
    if (all.empty() || !same_kind(all.back(), *after)) return {};
    before = all.back();
  }
  return Pair{*before, *after, "in the cell"};
}

// A row that others are compared with: its figure is 1.00x, or called the baseline.
struct Base {
  size_t row = 0;
  bool called = false;
};

std::vector<Base> bases_of(const Page& page, size_t t, size_t c) {
  std::vector<Base> out;
  for (size_t r = 0; r < page.table(t).rows.size(); ++r) {
    const std::vector<std::string>& cells = page.table(t).rows[r].cells;
    if (c >= cells.size()) continue;
    const bool called = has_word(cells[c], "baseline");
    const auto q = page.quantity({t, r}, c);
    // `>1.00x` is the bound of a figure, no base.
    const bool one = q && q->unit.dimension == Dimension::kRatio && q->value == 1 &&
                     q->decimals > 0 && q->span.lo > 0 && q->span.hi < 2;
    if (called || one) out.push_back({r, called});
  }
  // Where some are called so, the others are as fast as they.
  const bool any = std::any_of(out.begin(), out.end(), [](const Base& b) { return b.called; });
  if (any) std::erase_if(out, [](const Base& b) { return !b.called; });
  return out;
}

class FigureCell {
 public:
  FigureCell(const Page& page, Place place, size_t column, const std::vector<Base>& bases)
      : page_(page),
        place_(place),
        columns_(page.columns(place.table)),
        figure_(columns_[column]),
        metric_(metric_meant(columns_, figure_.metric)),
        at_(column),
        bases_(bases) {}

  std::vector<Candidate> candidates() const {
    std::vector<Candidate> out;
    own_cell(out);
    named_columns(out);
    if (out.empty()) before_and_after(out);
    if (out.empty() && !figure_.against_previous) {
      earlier_table(out);
      baseline_row(out);
    }
    const bool known =
        std::any_of(out.begin(), out.end(), [](const Candidate& c) { return c.certain; });
    if (!known) only_two(out);
    return out;
  }

 private:
  void add(std::vector<Candidate>& out, std::optional<Quantity> before,
           std::optional<Quantity> after, std::string from, bool certain) const {
    if (!before || !after || !same_kind(*before, *after)) return;
    if (before->unit.dimension == Dimension::kRatio ||
        before->unit.dimension == Dimension::kPercent)
      return;
    out.push_back({{std::move(*before), std::move(*after), std::move(from)}, certain});
  }

  void own_cell(std::vector<Candidate>& out) const {
    if (auto pair = arrow_of(page_.row(place_).cells[at_], {})) {
      add(out, pair->before, pair->after, pair->from, true);
    }
  }

  // `A vs B`: of the columns whose headers begin so.
  void named_columns(std::vector<Candidate>& out) const {
    const size_t vs = figure_.name.find(" vs ");
    if (vs == std::string::npos) return;
    std::string first = words_of(figure_.name.substr(0, vs));
    const std::string second = words_of(figure_.name.substr(vs + 4));
    for (const char* lead : {"speedup ", "ratio ", "change "}) {
      if (first.starts_with(lead)) first.erase(0, std::string(lead).size());
    }
    std::optional<size_t> a, b;
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].role != Role::kMeasure) continue;
      const std::string name = words_of(columns_[c].name);
      // `By the kernel: hwy vs before` names hwy at the end of what stands before `vs`.
      if (name == first || (" " + first).ends_with(" " + name)) a = c;
      if (name == second) b = c;
    }
    if (!a) a = only_column(first);
    if (!b) b = only_column(second);
    if (!b) return;
    if (!a) {  // `Speedup vs B`: of the only other column of that kind
      for (size_t c = 0; c < columns_.size(); ++c) {
        if (c != *b && columns_[c].role == Role::kMeasure &&
            columns_[c].dimension == columns_[*b].dimension) {
          if (a) return;
          a = c;
        }
      }
    }
    if (a) add(out, page_.quantity(place_, *b), page_.quantity(place_, *a), "", true);
  }

  // The one column of the figure's metric whose header begins so: `NumPy time`.
  std::optional<size_t> only_column(const std::string& name) const {
    std::optional<size_t> out;
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (!measures(columns_[c], metric_)) continue;
      if (!words_of(columns_[c].name).starts_with(name + " ")) continue;
      if (out) return {};
      out = c;
    }
    return out;
  }

  void before_and_after(std::vector<Candidate>& out) const {
    std::optional<size_t> before, after;
    size_t befores = 0, afters = 0, alike = 0;
    for (const Column& column : columns_) alike += measures(column, metric_);
    for (size_t c = 0; c < columns_.size(); ++c) {
      const Column& column = columns_[c];
      if (column.role != Role::kMeasure) continue;
      if (!measures(column, metric_)) continue;
      if (auto pair =
              arrow_of(page_.row(place_).cells.at(std::min(c, page_.row(place_).cells.size() - 1)),
                       column.unit)) {
        add(out, pair->before, pair->after, "",
            (figure_.metric != Metric::kTime || alike == 1) && !figure_.against_previous &&
                !against_other());
      }
      if (column.side == Side::kBefore && befores++ == 0) before = c;
      if (column.side == Side::kAfter && afters++ == 0) after = c;
    }
    if (!before || !after) return;
    add(out, page_.quantity(place_, *before), page_.quantity(place_, *after), "",
        befores == 1 && afters == 1 && !figure_.against_previous && !against_other());
  }

  // `Ours against it`, `vs Dense`: of something that isn't what was there before.
  bool against_other() const {
    for (const char* word : {" vs ", " against ", " over ", " than ", " of "}) {
      const size_t at = (" " + figure_.name + " ").find(word);
      if (at != std::string::npos)
        return !says_before(figure_.name.substr(std::min(at, figure_.name.size())));
    }
    return false;
  }

  std::optional<size_t> metric_column(size_t t, const std::string& name) const {
    for (size_t c = 0; c < page_.columns(t).size(); ++c) {
      const Column& column = page_.columns(t)[c];
      if (measures(column, metric_) && (name.empty() || column.name == name)) return c;
    }
    return {};
  }

  void earlier_table(std::vector<Candidate>& out) const {
    const auto own = metric_column(place_.table, "");
    if (!own || page_.table(place_.table).header.empty()) return;
    const auto after = page_.quantity(place_, *own);
    std::vector<Candidate> plain, called;
    for (const Place& other : page_.named(page_.key(place_))) {
      if (other.table >= place_.table) continue;
      const auto column = metric_column(other.table, columns_[*own].name);
      if (!column) continue;
      const bool before = says_before(page_.table(other.table).heading);
      add(before ? called : plain, page_.quantity(other, *column), after,
          fmt::format("lines {} and {}", page_.row(other).line, page_.row(place_).line), before);
    }
    out.insert(out.end(), called.rbegin(), called.rend());
    out.insert(out.end(), plain.rbegin(), plain.rend());
  }

  void baseline_row(std::vector<Candidate>& out) const {
    const auto own = metric_column(place_.table, "");
    if (!own) return;
    const Table& table = page_.table(place_.table);
    const auto behind =
        std::upper_bound(bases_.begin(), bases_.end(), Base{place_.row, false},
                         [](const Base& x, const Base& y) { return x.row < y.row; });
    // The last one above, or the first below.
    const auto nearest = behind == bases_.begin() ? behind : behind - 1;
    if (nearest == bases_.end() || nearest->row == place_.row) return;
    const size_t base = nearest->row;
    const bool called = nearest->called;
    size_t metrics = 0;
    for (const Column& column : columns_)
      metrics += measures(column, metric_) && column.name != columns_[*own].name;
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (!measures(columns_[c], metric_)) continue;
      add(out, page_.quantity({place_.table, base}, c), page_.quantity(place_, c),
          fmt::format("lines {} and {}", table.rows[base].line, page_.row(place_).line),
          called && metrics == 0);
    }
  }

  void only_two(std::vector<Candidate>& out) const {
    std::vector<std::pair<size_t, Quantity>> found;
    size_t derived = 0;
    for (size_t c = 0; c < columns_.size(); ++c) {
      derived += columns_[c].role == Role::kDerived;
      if (!measures(columns_[c], metric_)) continue;
      const bool twice = std::any_of(found.begin(), found.end(), [&](const auto& f) {
        return columns_[f.first].name == columns_[c].name && !columns_[c].name.empty();
      });
      const auto q = page_.quantity(place_, c);
      if (q && !twice) found.emplace_back(c, *q);
    }
    const bool lost_header = page_.table(place_.table).header.empty();
    const bool certain = !figure_.against_previous && derived == 1 && found.size() == 2 &&
                         (figure_.sense == Sense::kSpeedup || lost_header);
    for (size_t i = 0; i < found.size() && found.size() <= 6; ++i) {
      for (size_t j = i + 1; j < found.size(); ++j) {
        add(out, found[j].second, found[i].second, "", certain);
        add(out, found[i].second, found[j].second, "", false);
      }
    }
  }

  const Page& page_;
  Place place_;
  const std::vector<Column>& columns_;
  const Column& figure_;
  Metric metric_;
  size_t at_;
  const std::vector<Base>& bases_;
};

// A ratio with an interval of its own was estimated from pairs of samples: the quotient of two
// medians need not lie in it. Beyond twice that it isn't an estimate of the same thing.
bool may_be_paired(const Quantity& figure, const Candidate& candidate) {
  if (!figure.interval || candidate.pair.after.value <= 0 || candidate.pair.before.value <= 0)
    return false;
  const double quotient = candidate.pair.before.value / candidate.pair.after.value;
  const double ratio = figure.unit.dimension == Dimension::kRatio ? figure.value
                       : figure.value < 100                       ? 1 / (1 - figure.value / 100)
                                                                  : 1 + figure.value / 100;
  const double off = std::max({quotient / ratio, ratio / quotient});
  const double inverse = std::max({quotient * ratio, 1 / (quotient * ratio)});
  return std::min(off, inverse) < 2;
}

Finding judged(const Page& page, Place place, size_t column, const Quantity& figure,
               const std::vector<Base>& bases) {
  const Column& of = page.columns(place.table)[column];
  const std::string& cell = page.row(place).cells[column];
  Sense sense = sense_around(cell, figure.begin, figure.end);
  if (sense == Sense::kNone) sense = of.sense;
  Finding out{page.row(place).line, Kind::kNotCheckable, figure.text, ""};
  const std::vector<Candidate> candidates = FigureCell(page, place, column, bases).candidates();
  std::optional<Judgement> accusing;
  for (const Candidate& candidate : candidates) {
    const Judgement found = judge(figure, sense, candidate.pair);
    if (found.kind == Kind::kRight || found.kind == Kind::kRounded) {
      out.kind = found.kind;
      out.note = found.note;
      return out;
    }
    if (found.kind != Kind::kNotCheckable && candidate.certain && !accusing) {
      if (may_be_paired(figure, candidate)) {
        out.note = "an estimate with its own interval; the quotient of the two medians differs: " +
                   found.note;
        return out;
      }
      accusing = found;
    }
  }
  if (accusing) {
    out.kind = accusing->kind;
    out.note = accusing->note;
    return out;
  }
  out.note = of.against_previous ? "what it compares with isn't on the page"
             : candidates.empty()
                 ? "no figures beside it that it could be derived from"
                 : "none of the figures beside it gives it, and no header says which it compares";
  return out;
}

// `0.0 %`, `1.00x (baseline)`: the row that others are compared with.
bool is_baseline(const std::string& cell, const Quantity& figure) {
  return has_word(cell, "baseline") && figure.unit.dimension == Dimension::kRatio &&
         figure.value == 1;
}

}  // namespace

std::vector<Finding> check_derived(const Page& page) {
  std::vector<Finding> out;
  for (size_t t = 0; t < page.document().tables.size(); ++t) {
    for (size_t c = 0; c < page.columns(t).size(); ++c) {
      if (page.columns(t)[c].role != Role::kDerived) continue;
      const std::vector<Base> bases = bases_of(page, t, c);
      for (size_t r = 0; r < page.table(t).rows.size(); ++r) {
        const Place place{t, r};
        const auto figure = page.quantity(place, c);
        if (!figure || (figure->unit.dimension != Dimension::kRatio &&
                        figure->unit.dimension != Dimension::kPercent))
          continue;
        if (is_baseline(page.row(place).cells[c], *figure)) continue;
        out.push_back(judged(page, place, c, *figure, bases));
      }
    }
  }
  return out;
}

}  // namespace nsop::audit
