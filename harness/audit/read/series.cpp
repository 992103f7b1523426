#include "harness/audit/read/series.h"

#include <algorithm>

namespace nsop::audit {

std::optional<Quantity> labelled_value(const Statement& statement) {
  if (statement.label.empty()) return {};
  const size_t from = statement.text.find(':') + 1;
  for (Quantity& q : scan(statement.text, header_unit(statement.label))) {
    if (q.begin < from) continue;
    const bool first =
        statement.text.substr(from, q.begin - from).find_first_not_of("~<> ") == std::string::npos;
    const bool derived =
        q.unit.dimension == Dimension::kRatio || q.unit.dimension == Dimension::kPercent;
    if (!first || derived) return {};
    return std::move(q);
  }
  return {};
}

std::string series_label(const Statement& statement) {
  std::string label = words_of(statement.label);
  for (const char* lead : {"avg ", "average ", "mean ", "total "}) {
    if (label.starts_with(lead)) label.erase(0, std::string_view(lead).size());
  }
  return label;
}

Series::Series(const Document& document) {
  for (const Statement& s : document.statements) {
    auto value = labelled_value(s);
    if (!value) continue;
    by_label_[series_label(s)].push_back(entries_.size());
    by_value_.emplace(value->value, entries_.size());
    entries_.push_back({s.line, series_label(s), s.above, s.heading, std::move(*value)});
  }
}

std::vector<std::vector<Entry>> Series::groups() const {
  std::vector<std::vector<Entry>> out;
  for (const auto& [label, all] : by_label_) {
    std::vector<Entry>& group = out.emplace_back();
    for (size_t i = 0; i < std::min(all.size(), kMostEntries); ++i)
      group.push_back(entries_[all[i]]);
  }
  return out;
}

std::vector<Entry> Series::before(const std::string& label, int line) const {
  std::vector<Entry> out;
  const auto found = by_label_.find(label);
  if (found == by_label_.end()) return out;
  const std::vector<size_t>& all = found->second;
  const auto end = std::partition_point(all.begin(), all.end(),
                                        [&](size_t i) { return entries_[i].line < line; });
  const auto count = static_cast<size_t>(end - all.begin());
  for (size_t i = 0; i < count; ++i) {
    if (i < kMostEntries || i + kMostEntries >= count) out.push_back(entries_[all[i]]);
  }
  return out;
}

std::optional<Entry> Series::of_value(const Quantity& quantity, int line) const {
  std::optional<Entry> out;
  size_t seen = 0;
  for (auto it = by_value_.lower_bound(quantity.span.lo * (1 - 1e-9));
       it != by_value_.end() && it->first <= quantity.span.hi * (1 + 1e-9) && seen < kMostEntries;
       ++it, ++seen) {
    const Entry& e = entries_[it->second];
    const bool later = !out || e.line > out->line;
    if (later && e.line < line && e.quantity.unit.dimension == quantity.unit.dimension) out = e;
  }
  return out;
}

std::optional<Entry> Series::under(const std::string& label, const std::string& above) const {
  const auto found = by_label_.find(label);
  if (found == by_label_.end()) return {};
  const auto one = std::find_if(found->second.begin(), found->second.end(),
                                [&](size_t i) { return entries_[i].above == above; });
  return one == found->second.end() ? std::nullopt : std::optional<Entry>(entries_[*one]);
}

}  // namespace nsop::audit
