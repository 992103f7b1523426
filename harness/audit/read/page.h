// A document with what its tables hold: the rows of a case, wherever they stand.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/audit/read/columns.h"

namespace nsop::audit {

struct Place {
  size_t table = 0, row = 0;
};

// A measured cell.
struct Measured {
  Place place{};
  size_t column = 0;
  int line = 0;
  Quantity quantity{};
};

inline constexpr size_t kMostAlike = 100;

class Page {
 public:
  explicit Page(const Document& document);

  const Document& document() const { return document_; }
  const Table& table(size_t t) const { return document_.tables[t]; }
  const std::vector<Column>& columns(size_t t) const { return columns_[t]; }
  const Row& row(Place place) const { return table(place.table).rows[place.row]; }

  // The words of its key cells; `conv2d backward`.
  const std::string& key(Place place) const { return keys_[place.table][place.row]; }

  // Rows of that key, in the order of the page: the first kMostAlike.
  std::vector<Place> named(const std::string& key) const;

  std::optional<Quantity> quantity(Place place, size_t column) const;
  // Measured quantities of a row.
  std::vector<Measured> measured(Place place) const;
  // Measured cells of the page that the quantity is a rounding of: the first kMostAlike.
  std::vector<Measured> alike(const Quantity& quantity) const;

 private:
  const Document& document_;
  std::vector<std::vector<Column>> columns_;
  std::vector<std::vector<std::string>> keys_;
  std::multimap<std::string, Place> by_key_;
  std::vector<Measured> measured_;  // all of the page, by value
};

// The cell's value is one that the quantity's digits allow.
bool rounds_to(const Quantity& cell, const Quantity& quantity);

}  // namespace nsop::audit
