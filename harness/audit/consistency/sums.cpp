// No header: check_sums(), check_products() and check_rates() of consistency.h.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/audit/consistency/consistency.h"
#include "harness/audit/read/series.h"
#include "harness/core/text.h"

namespace nsop::audit {
namespace {

bool whole(const Quantity& q) {
  return q.unit.dimension == Dimension::kCount && q.decimals == 0 && !q.is_range &&
         q.unit.scale == 1;
}

// Words only between two counts of one list: `31 faster, 1 the same`.
bool goes_on(std::string_view between) {
  const size_t comma = between.find(',');
  return between.size() < 40 && comma != std::string_view::npos && comma + 2 == between.size() &&
         between.back() == ' ' && between.find_first_of(":;().[") == std::string_view::npos;
}

Finding sum_of(const Statement& s, const std::vector<Quantity>& all, size_t first, size_t last) {
  double sum = 0;
  for (size_t i = first; i < last; ++i) sum += all[i].value;
  const bool right = sum == all[last].value;
  return {s.line, right ? Kind::kRight : Kind::kWrong, all[last].text,
          fmt::format("its {} parts come to {}", last - first, sum)};
}

void add_sums(const Statement& s, std::vector<Finding>& out) {
  const std::vector<Quantity> all = scan(s.text);
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    size_t last = i;
    while (last + 1 < all.size() && whole(all[last]) && whole(all[last + 1]) &&
           goes_on(std::string_view(s.text).substr(all[last].end,
                                                   all[last + 1].begin - all[last].end))) {
      ++last;
    }
    if (last == i) continue;
    const bool has_whole = last + 1 < all.size() && whole(all[last]) && whole(all[last + 1]);
    if (has_whole) {
      const std::string between = s.text.substr(all[last].end, all[last + 1].begin - all[last].end);
      const bool parts =
          std::all_of(all.begin() + static_cast<long>(i), all.begin() + static_cast<long>(last) + 1,
                      [&](const Quantity& q) { return q.value <= all[last + 1].value; });
      if (parts && between.size() < 40 && between.ends_with(" of ") &&
          between.find_first_of(",:;().[") == std::string::npos) {
        out.push_back(sum_of(s, all, i, last + 1));
      }
    }
    i = last;
  }
}

// `A / B = C` and `A x B = C`; anything in brackets behind a figure doesn't count.
void add_equations(const Statement& s, std::vector<Finding>& out) {
  const std::vector<Quantity> all = scan(s.text);
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    const auto between = [&](size_t k) {
      std::string text = s.text.substr(all[k].end, all[k + 1].begin - all[k].end);
      for (size_t open = text.find('('); open != std::string::npos; open = text.find('(')) {
        const size_t close = text.find(')', open);
        if (close == std::string::npos) break;
        text.erase(open, close - open + 1);
      }
      return trim(text);
    };
    const auto operation = [&](std::string text) {
      while (!text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0 &&
             text != "x")
        text.erase(0, 1);
      return trim(text);
    };
    const std::string op = operation(between(i));
    const bool twice =
        same_kind(all[i], all[i + 1]) && all[i].unit.dimension != Dimension::kCount && op == "=";
    if (twice) {
      const bool right = meet(wide(all[i]), wide(all[i + 1]));
      out.push_back({s.line, right ? Kind::kRight : Kind::kWrong, all[i + 1].text,
                     "is said to be " + all[i].text});
    }
    if (i + 2 >= all.size()) break;
    const std::string equals = operation(between(i + 1));
    const bool plain = all[i].unit.dimension == Dimension::kCount &&
                       all[i + 1].unit.dimension == Dimension::kCount &&
                       all[i + 2].unit.dimension == Dimension::kCount;
    if (!plain || (equals != "=" && equals != "= ~") || all[i + 1].span.lo <= 0 ||
        all[i].span.lo <= 0)
      continue;
    Span value;
    if (op == "/") {
      value = quotient(all[i].span, all[i + 1].span);
    } else if (op == "*" || op == "x") {
      value = {all[i].span.lo * all[i + 1].span.lo, all[i].span.hi * all[i + 1].span.hi};
    } else {
      continue;
    }
    const bool right = meet(value, all[i + 2].span);
    out.push_back(
        {s.line, right ? Kind::kRight : Kind::kWrong, all[i + 2].text,
         fmt::format("{} {} {} is {:.6g}", all[i].text, op, all[i + 1].text, value.mid())});
  }
}

struct Counted {
  int line = 0;
  Quantity quantity{};
};

// `3-4 cycles per iteration`: a rate of one noun per another.
std::string per_noun(const Statement& s, const Quantity& q) {
  const size_t at = s.text.find(" per ", q.end);
  if (at == std::string::npos || at > q.end + 20 || q.unit.of.empty()) return "";
  const std::string between = s.text.substr(q.end, at - q.end);
  if (words_of(between).find(' ') != std::string::npos) return "";
  size_t stop = at + 5;
  while (stop < s.text.size() && std::isalpha(static_cast<unsigned char>(s.text[stop])) != 0)
    ++stop;
  const std::vector<Quantity> noun = scan("1 " + s.text.substr(at + 5, stop - at - 5));
  return noun.empty() ? "" : noun[0].unit.of;
}

// Counts and rates of a list that lead to a count in it.
class List {
 public:
  void read(const Statement& s, std::vector<Finding>& out) {
    for (const Quantity& q : scan(s.text)) {
      if (q.unit.dimension != Dimension::kCount || q.unit.of.empty() || q.value <= 0) continue;
      const std::string per = per_noun(s, q);
      if (!per.empty()) {
        rates_[q.unit.of] = {per, {s.line, q}};
        continue;
      }
      const auto rate = rates_.find(q.unit.of);
      const auto count = rate == rates_.end() ? counts_.end() : counts_.find(rate->second.first);
      if (count != counts_.end() && rate->second.second.line != s.line) {
        const Span &a = count->second.quantity.span, &b = rate->second.second.quantity.span;
        const Span product{a.lo * b.lo, a.hi * b.hi};
        const bool right = meet(product, q.span);
        out.push_back({s.line, right ? Kind::kRight : Kind::kWrong, q.text,
                       fmt::format("{} (line {}) x {} (line {}) is {:.4g} to {:.4g}",
                                   count->second.quantity.text, count->second.line,
                                   rate->second.second.quantity.text, rate->second.second.line,
                                   product.lo, product.hi)});
      }
      counts_[q.unit.of] = {s.line, q};
    }
  }

 private:
  std::map<std::string, Counted> counts_;
  std::map<std::string, std::pair<std::string, Counted>> rates_;
};

struct Rated {
  const Statement* statement;
  Quantity quantity;
  std::string unit;
};

// `Steps/sec` and `Training/step`: the noun that a label's value is per, or of.
std::string noun_of(const std::string& text) {
  const std::vector<Quantity> found = scan("1 " + text);
  return found.empty() ? "" : found[0].unit.of;
}

}  // namespace

std::vector<Finding> check_sums(const Document& document) {
  std::vector<Finding> out;
  for (const Statement& s : document.statements) {
    add_sums(s, out);
    add_equations(s, out);
  }
  return out;
}

std::vector<Finding> check_products(const Document& document) {
  std::vector<Finding> out;
  std::map<int, List> lists;
  for (const Statement& s : document.statements) {
    if (s.list != 0) lists[s.list].read(s, out);
  }
  return out;
}

std::vector<Finding> check_rates(const Document& document) {
  std::vector<Finding> out;
  std::map<std::string, std::map<std::string, Rated>> rates, times;  // by headings, by noun
  for (const Statement& s : document.statements) {
    const auto value = labelled_value(s);
    if (!value || s.above.empty()) continue;
    if (value->unit.dimension == Dimension::kRate && !value->unit.of.empty()) {
      rates[s.above].insert_or_assign(value->unit.of, Rated{&s, *value, value->unit.of});
    }
    const size_t slash = s.label.rfind('/');
    if (value->unit.dimension == Dimension::kTime && slash != std::string::npos) {
      const std::string noun = noun_of(s.label.substr(slash + 1));
      times[s.above].insert_or_assign(noun, Rated{&s, *value, noun});
    }
    const size_t behind = s.text.find(" for ", value->end);
    if (value->unit.dimension != Dimension::kTime || behind == std::string::npos) continue;
    const std::vector<Quantity> counts = scan(std::string_view(s.text).substr(behind + 5));
    if (counts.empty() || counts[0].begin != 0 || counts[0].unit.dimension != Dimension::kCount)
      continue;
    const auto rate = rates[s.above].find(counts[0].unit.of);
    if (rate == rates[s.above].end() || value->span.lo <= 0) continue;
    const Span expected = quotient(counts[0].span, value->span);
    const bool right = meet(expected, rate->second.quantity.span);
    out.push_back({rate->second.statement->line, right ? Kind::kRight : Kind::kWrong,
                   rate->second.quantity.text,
                   fmt::format("{} in {} (line {}) is {:.4g} per second",
                               counts[0].text + " " + counts[0].unit.of, value->text, s.line,
                               expected.mid())});
  }
  for (const auto& [above, by_noun] : times) {
    for (const auto& [noun, time] : by_noun) {
      const auto rate = rates[above].find(noun);
      if (noun.empty() || rate == rates[above].end() || rate->second.quantity.span.lo <= 0)
        continue;
      const double whole_time = 1 / rate->second.quantity.span.lo;
      if (time.quantity.span.lo <= whole_time) continue;
      out.push_back(
          {time.statement->line, Kind::kUnlikeCases, time.quantity.text,
           fmt::format("{} per second (line {}) leave {:.3g} ms for all of one {}: '{}' means two "
                       "things",
                       rate->second.quantity.text + " " + noun + "s", rate->second.statement->line,
                       whole_time * 1e3, noun, noun)});
    }
  }
  return out;
}

}  // namespace nsop::audit
