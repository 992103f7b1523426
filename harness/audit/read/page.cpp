#include "harness/audit/read/page.h"

#include <algorithm>

namespace nsop::audit {

Page::Page(const Document& document) : document_(document) {
  for (size_t t = 0; t < document.tables.size(); ++t) {
    columns_.push_back(columns_of(document.tables[t]));
    std::vector<std::string>& keys = keys_.emplace_back();
    for (size_t r = 0; r < document.tables[t].rows.size(); ++r) {
      const Row& one = document.tables[t].rows[r];
      std::string key;
      for (size_t c = 0; c < std::min(columns_[t].size(), one.cells.size()); ++c) {
        if (columns_[t][c].role == Role::kKey) key += one.cells[c] + " ";
      }
      keys.push_back(words_of(key));
      by_key_.emplace(keys.back(), Place{t, r});
      for (Measured& m : measured({t, r})) measured_.push_back(std::move(m));
    }
  }
  std::stable_sort(measured_.begin(), measured_.end(), [](const Measured& a, const Measured& b) {
    return a.quantity.value < b.quantity.value;
  });
}

std::vector<Place> Page::named(const std::string& key) const {
  std::vector<Place> out;
  if (key.empty()) return out;
  const auto [first, last] = by_key_.equal_range(key);
  for (auto it = first; it != last && out.size() < kMostAlike; ++it) out.push_back(it->second);
  return out;
}

std::optional<Quantity> Page::quantity(Place place, size_t column) const {
  const Row& one = row(place);
  if (column >= one.cells.size() || column >= columns(place.table).size()) return {};
  return cell_quantity(one.cells[column], columns(place.table)[column].unit);
}

std::vector<Measured> Page::measured(Place place) const {
  std::vector<Measured> out;
  for (size_t c = 0; c < columns(place.table).size(); ++c) {
    if (columns(place.table)[c].role != Role::kMeasure) continue;
    if (auto q = quantity(place, c)) out.push_back({place, c, row(place).line, std::move(*q)});
  }
  return out;
}

std::vector<Measured> Page::alike(const Quantity& quantity) const {
  std::vector<Measured> out;
  const auto first =
      std::lower_bound(measured_.begin(), measured_.end(), quantity.span.lo * (1 - 1e-9),
                       [](const Measured& m, double value) { return m.quantity.value < value; });
  for (auto it = first;
       it != measured_.end() && it->quantity.value <= wide(quantity).hi * (1 + 1e-9); ++it) {
    if (rounds_to(it->quantity, quantity)) out.push_back(*it);
    if (out.size() == kMostAlike) break;
  }
  return out;
}

bool rounds_to(const Quantity& cell, const Quantity& quantity) {
  return same_kind(cell, quantity) && meet({cell.value, cell.value}, wide(quantity));
}

}  // namespace nsop::audit
