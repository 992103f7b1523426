// Values that a page gives the same label again and again: the log of a project's versions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/audit/read/page.h"

namespace nsop::audit {

struct Entry {
  int line = 0;
  std::string label{};  // words, without `avg` and the like
  std::string above{};  // the headings that it stands under
  std::string heading{};
  Quantity quantity{};
};

inline constexpr size_t kMostEntries = 100;

class Series {
 public:
  explicit Series(const Document& document);

  // The entries of each label: the first kMostEntries, by line.
  std::vector<std::vector<Entry>> groups() const;
  // Of that label, before the line: the first and the last kMostEntries.
  std::vector<Entry> before(const std::string& label, int line) const;
  // The entry whose printed value is that of the quantity, before the line; the last one.
  std::optional<Entry> of_value(const Quantity& quantity, int line) const;
  // The entry of the label under those headings.
  std::optional<Entry> under(const std::string& label, const std::string& above) const;

 private:
  std::vector<Entry> entries_;                           // by line
  std::map<std::string, std::vector<size_t>> by_label_;  // indices of entries
  std::multimap<double, size_t> by_value_;
};

// The value of a labelled statement: the first quantity behind its label, no ratio or percentage.
std::optional<Quantity> labelled_value(const Statement& statement);
std::string series_label(const Statement& statement);

}  // namespace nsop::audit
