#include "harness/audit/checks/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/audit/checks/wording.h"
#include "harness/audit/read/series.h"
#include "harness/core/text.h"

namespace nsop::audit {
namespace {

constexpr size_t kNear = 100;  // bytes between a figure and the pair that it is derived from

bool is_figure(const Quantity& q) {
  return q.unit.dimension == Dimension::kRatio || q.unit.dimension == Dimension::kPercent;
}

struct Referred {
  int line = 0;
  std::string reference{};
  Entry entry{};
};

class Claims {
 public:
  explicit Claims(const Page& page) : page_(page), series_(page.document()) {}

  std::vector<Finding> take() {
    for (const Statement& s : page_.document().statements) statement(s);
    return std::move(out_);
  }

 private:
  void statement(const Statement& s) {
    const std::vector<Quantity> all = scan(s.text);
    const std::vector<PairAt> pairs = pairs_of(s.text, all);
    remember_baseline(s, all);
    bool claimed = false;
    std::string inherited;
    for (const Quantity& q : all) {
      if (!is_figure(q)) continue;
      const Sense sense = sense_around(s.text, q.begin, q.end);
      const bool signed_percent = q.is_signed && q.unit.dimension == Dimension::kPercent;
      if (is_share(s, q) || (sense == Sense::kNone && !signed_percent)) {
        if (is_share(s, q)) share(s, q, all);
        continue;
      }
      claimed = true;
      const std::string own = reference_of(s.text, q.end);
      if (!own.empty()) inherited = own;
      claim(s, q, sense, pairs, own, inherited);
    }
    if (!claimed) comparison(s, pairs);
  }

  void add(const Statement& s, const Quantity& q, Kind kind, std::string note) {
    out_.push_back({s.line, kind, q.text, std::move(note)});
  }
  void add(const Statement& s, const Quantity& q, const Judgement& judgement) {
    add(s, q, judgement.kind, judgement.note);
  }

  void claim(const Statement& s, const Quantity& q, Sense sense, const std::vector<PairAt>& pairs,
             const std::string& own, const std::string& inherited) {
    if (is_expectation(s)) {
      add(s, q, Kind::kNotCheckable, "a goal or an expectation, not a measurement");
    } else if (const PairAt* pair = nearest(s, q, sense, pairs)) {
      against_pair(s, q, sense, *pair, own);
    } else if (!against_baseline_item(s, q, sense) && !against_series(s, q, sense, inherited) &&
               !repeated(s, q)) {
      add(s, q, Kind::kNotCheckable, "the page has no two figures that it follows from");
    }
  }

  // ---- the pair beside it

  const PairAt* nearest(const Statement& s, const Quantity& q, Sense sense,
                        const std::vector<PairAt>& pairs) const {
    const PairAt* best = nullptr;
    size_t least = kNear + 1;
    for (const PairAt& pair : pairs) {
      const size_t apart = q.end <= pair.begin   ? pair.begin - q.end
                           : q.begin >= pair.end ? q.begin - pair.end
                                                 : 0;
      if (apart < least && may_mean(s, q, sense, pair)) {
        least = apart;
        best = &pair;
      }
    }
    return best;
  }

  void against_pair(const Statement& s, const Quantity& q, Sense sense, const PairAt& at,
                    const std::string& own) {
    const Judgement found = judge(q, sense, at.pair);
    if (unlike_rows(s, q, sense, at.pair)) return;
    if (switched_baseline(s, q, at.pair, own)) return;
    if (const auto exact = with_rows_digits(s, at.pair)) {
      add(s, q, judge(q, sense, *exact));
      return;
    }
    add(s, q, found);
  }

  // The same pair with the digits of the rows that the statement names.
  std::optional<Pair> with_rows_digits(const Statement& s, const Pair& pair) const {
    for (const std::string& subject : subjects_of(s)) {
      const auto before = row_value(subject, pair.before), after = row_value(subject, pair.after);
      if (before && after) {
        return Pair{before->quantity, after->quantity,
                    fmt::format("lines {} and {}", before->line, after->line)};
      }
    }
    return {};
  }

  std::optional<Measured> row_value(const std::string& subject, const Quantity& q) const {
    for (const Place& place : page_.named(subject)) {
      for (const Measured& m : page_.measured(place)) {
        if (rounds_to(m.quantity, q)) return m;
      }
    }
    return {};
  }

  // The value that the statement gives its case stands in a row of another case.
  bool unlike_rows(const Statement& s, const Quantity& q, Sense sense, const Pair& pair) {
    if (pair.after.unit.dimension == Dimension::kCount)
      return false;  // small counts are alike by chance
    for (const std::string& subject : subjects_of(s)) {
      const std::vector<Place> rows = page_.named(subject);
      if (rows.empty()) continue;
      if (row_value(subject, pair.after)) return false;
      for (const Measured& m : page_.alike(pair.after)) {
        if (!contains_words(page_.key(m.place), subject)) continue;
        std::string note = fmt::format("{} is the row '{}' (line {}), not '{}'", shown(pair.after),
                                       page_.key(m.place), m.line, subject);
        for (const Place& place : page_.named(page_.key(m.place))) {
          if (place.table == m.place.table) continue;
          for (const Measured& other : page_.measured(place)) {
            if (!same_kind(other.quantity, m.quantity) ||
                other.quantity.value * 1.5 > m.quantity.value)
              continue;
            note += fmt::format("; that row has {} in line {}: {:.1f}x less", shown(other.quantity),
                                other.line, m.quantity.value / other.quantity.value);
            break;
          }
        }
        add(s, q, Kind::kUnlikeCases, std::move(note));
        like_for_like(s, q, sense, pair, subject, m);
        return true;
      }
    }
    return false;
  }

  // What the named case itself says, in the table that the other case's value came from.
  void like_for_like(const Statement& s, const Quantity& q, Sense sense, const Pair& pair,
                     const std::string& subject, const Measured& other) {
    const bool less_is_better = pair.before.unit.dimension != Dimension::kRate;
    if (!less_is_better || (sense != Sense::kBetter && sense != Sense::kLess)) return;
    for (const Place& place : page_.named(subject)) {
      const auto own =
          place.table == other.place.table ? page_.quantity(place, other.column) : std::nullopt;
      if (!own || !same_kind(*own, pair.before) || own->span.lo <= pair.before.span.hi) continue;
      add(s, q, Kind::kDirection,
          fmt::format("'{}' itself has {} in line {}: from {} that is {:.2f}x more, not less",
                      subject, shown(*own), page_.row(place).line, shown(pair.before),
                      own->value / pair.before.value));
      return;
    }
  }

  // An item of a list without a reference of its own, whose neighbour compares with another
  // version.
  bool switched_baseline(const Statement& s, const Quantity& q, const Pair& pair,
                         const std::string& own) {
    if (s.list == 0) return false;
    const auto entry = series_.of_value(pair.before, s.line);
    if (!entry) return false;
    if (!own.empty()) {
      referred_[s.list].push_back({s.line, own, *entry});
      return false;
    }
    for (const Referred& other : referred_[s.list]) {
      const bool moves = has_word(other.reference, "previous") ||
                         has_word(other.reference, "prior") || has_word(other.reference, "last");
      if (!moves || other.entry.above == entry->above) continue;
      const auto like = series_.under(entry->label, other.entry.above);
      if (!like || !same_kind(like->quantity, pair.after) ||
          meet(like->quantity.span, pair.before.span))
        continue;
      const double ratio = like->quantity.value / pair.after.value;
      add(s, q, Kind::kUnlikeCases,
          fmt::format("{} is of '{}' (line {}), but '{}' in line {} is '{}', which has {} (line "
                      "{}): {:.1f}x",
                      shown(pair.before), entry->heading, entry->line, other.reference, other.line,
                      other.entry.heading, shown(like->quantity), like->line,
                      ratio >= 1 ? ratio : 1 / ratio));
      return true;
    }
    return false;
  }

  // ---- the item that is called the baseline

  void remember_baseline(const Statement& s, const std::vector<Quantity>& all) {
    if (s.list == 0 || !has_word(s.text, "baseline")) return;
    for (const Quantity& q : all) {
      if (is_figure(q)) return;
    }
    for (const Quantity& q : all) {
      if (q.unit.dimension == Dimension::kCount) continue;
      baselines_[s.list] = {s.line, q};
      return;
    }
  }

  bool against_baseline_item(const Statement& s, const Quantity& q, Sense sense) {
    const auto found = s.list == 0 ? baselines_.end() : baselines_.find(s.list);
    if (found == baselines_.end()) return false;
    for (const Quantity& own : scan(s.text)) {
      if (own.begin > q.begin || is_figure(own) || !same_kind(own, found->second.quantity))
        continue;
      Pair pair{found->second.quantity, own,
                fmt::format("lines {} and {}", found->second.line, s.line)};
      const auto before = only_row(pair.before), after = only_row(pair.after);
      if (before && after) {
        pair = {before->quantity, after->quantity,
                fmt::format("lines {} and {}", before->line, after->line)};
      }
      add(s, q, judge(q, sense, pair));
      return true;
    }
    return false;
  }

  // The one row of the page that has a value which rounds to this one, with most digits.
  std::optional<Measured> only_row(const Quantity& q) const {
    std::optional<Measured> out;
    for (const Measured& m : page_.alike(q)) {
      const bool same_row =
          !out || (out->place.table == m.place.table && out->place.row == m.place.row);
      if (!same_row) return {};
      const auto width = [](const Quantity& of) { return of.span.hi - of.span.lo; };
      if (!out || width(m.quantity) < width(out->quantity)) out = m;
    }
    return out;
  }

  // ---- what the label said earlier

  bool against_series(const Statement& s, const Quantity& q, Sense sense,
                      const std::string& reference) {
    const auto value = labelled_value(s);
    if (!value || value->begin > q.begin) return false;
    std::vector<Entry> named, others;
    for (Entry& e : series_.before(series_label(s), s.line)) {
      if (!same_kind(e.quantity, *value)) continue;
      const bool meant = !reference.empty() && contains_reference(e.above, reference);
      (meant ? named : others).push_back(std::move(e));
    }
    if (named.empty() && others.empty()) return false;
    const bool has_named = !named.empty();
    const std::vector<Entry>& first = has_named ? named : others;
    std::optional<Judgement> wrong;
    for (auto e = first.rbegin(); e != first.rend(); ++e) {
      const Judgement found =
          judge(q, sense, {e->quantity, *value, fmt::format("lines {} and {}", e->line, s.line)});
      if (found.kind == Kind::kRight || found.kind == Kind::kRounded) {
        add(s, q, found);
        return true;
      }
      if (!wrong) wrong = found;
    }
    for (auto e = others.rbegin(); has_named && e != others.rend(); ++e) {
      const Judgement found =
          judge(q, sense, {e->quantity, *value, fmt::format("lines {} and {}", e->line, s.line)});
      if (found.kind == Kind::kRight || found.kind == Kind::kRounded) {
        add(s, q, Kind::kUnlikeCases,
            fmt::format("{}: right, but not against '{}'", found.note, reference));
        return true;
      }
      wrong->note += fmt::format("; {}", found.note);
      break;
    }
    add(s, q, *wrong);
    return true;
  }

  // ---- a figure of a table, said again

  bool repeated(const Statement& s, const Quantity& q) {
    for (const std::string& subject : subjects_of(s)) {
      for (const Place& place : page_.named(subject)) {
        for (size_t c = 0; c < page_.columns(place.table).size(); ++c) {
          const auto cell = page_.quantity(place, c);
          if (!cell || !same_kind(*cell, q) || cell->text != q.text) continue;
          add(s, q, Kind::kRight, fmt::format("as in line {}", page_.row(place).line));
          return true;
        }
      }
    }
    return false;
  }

  // ---- shares, and comparisons without a figure

  void share(const Statement& s, const Quantity& q, const std::vector<Quantity>& all) {
    if (is_expectation(s)) return;
    for (size_t i = 0; i + 1 < all.size(); ++i) {
      const std::string between = s.text.substr(all[i].end, all[i + 1].begin - all[i].end);
      if (is_figure(all[i]) || is_figure(all[i + 1]) || all[i + 1].value <= 0) continue;
      if (!has_word(between, "of") && trim(between) != "/") continue;
      const double value = all[i].value / all[i + 1].value * 100;
      const Kind kind = agrees(q, {value, value});
      if (kind == Kind::kWrong) continue;
      add(s, q, kind, fmt::format("{} of {}", shown(all[i]), shown(all[i + 1])));
      return;
    }
    add(s, q, Kind::kShareWithoutParts, "no two counts beside it give this share");
  }

  // `less memory (1.1 KB vs 0.4-1.3 KB)`.
  void comparison(const Statement& s, const std::vector<PairAt>& pairs) {
    for (const PairAt& at : pairs) {
      if (!at.versus || is_expectation(s)) continue;
      const size_t from = at.begin > 50 ? at.begin - 50 : 0;
      std::string before = s.text.substr(from, at.begin - from);
      const size_t clause = before.find_last_of(",;:)");
      if (clause != std::string::npos) before.erase(0, clause + 1);
      const Sense sense = sense_of(before);
      const Quantity &own = at.pair.after, &other = at.pair.before;
      const bool count = own.unit.dimension == Dimension::kCount;
      if (sense == Sense::kNone || (count && sense != Sense::kLess && sense != Sense::kMore))
        continue;
      const bool rate = own.unit.dimension == Dimension::kRate;
      const bool less =
          sense == Sense::kLess || (rate ? sense == Sense::kWorse : sense == Sense::kBetter);
      const bool holds = less ? own.span.hi <= other.span.lo : own.span.lo >= other.span.hi;
      const bool fails = less ? own.span.lo > other.span.lo : own.span.hi < other.span.hi;
      if (holds) {
        add(s, own, Kind::kRight, fmt::format("against {}", shown(other)));
      } else if (fails && (other.is_range || !meet(own.span, other.span))) {
        add(s, own, Kind::kDirection,
            fmt::format("{} isn't {} than {}{}", shown(own), less ? "less" : "more",
                        other.is_range ? "all of " : "", shown(other)));
      }
    }
  }

  struct Baseline {
    int line = 0;
    Quantity quantity{};
  };

  const Page& page_;
  Series series_;
  std::vector<Finding> out_;
  std::map<int, std::vector<Referred>> referred_;
  std::map<int, Baseline> baselines_;
};

}  // namespace

std::vector<Finding> check_claims(const Page& page) { return Claims(page).take(); }

}  // namespace nsop::audit
