#include "harness/audit/read/columns.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "harness/core/text.h"

namespace nsop::audit {
namespace {

std::string without_brackets(const std::string& header) {
  const size_t open = header.find_first_of("([");
  std::string name = trim(open == std::string::npos || open == 0 ? header : header.substr(0, open));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

Metric metric_of(const std::string& header, Dimension dimension) {
  const std::string words = words_of(header);
  if (words.find("alloc") != std::string::npos) return Metric::kAllocs;
  if (dimension == Dimension::kBytes || has_word(words, "memory") || has_word(words, "bytes") ||
      has_word(words, "heap")) {
    return Metric::kBytes;
  }
  if (dimension == Dimension::kRate || words.find("throughput") != std::string::npos)
    return Metric::kRate;
  return Metric::kTime;
}

bool is_key_header(const std::string& name) {
  for (const char* word :
       {"size", "n", "shape", "threads", "batch", "iterations", "samples", "runs", "seed",
        "version", "case", "row", "operation", "op", "layer", "elements"}) {
    if (name == word) return true;
  }
  return false;
}

bool is_remark(const std::string& name) {
  for (const char* word : {"status", "note", "winner", "verdict", "remark", "comment", "best",
                           "backend", "notes", "remarks"}) {
    if (has_word(name, word)) return true;
  }
  return false;
}

Sense header_sense(const std::string& name) {
  if (name.find("speedup") != std::string::npos || name.find("speed-up") != std::string::npos) {
    return Sense::kSpeedup;
  }
  return sense_of(name);
}

// Which dimension most cells with a quantity have; `text` counts those without one.
Dimension most_common(const Table& table, size_t c, const Unit& unit, size_t& with, size_t& text) {
  std::array<size_t, 6> counts{};
  with = text = 0;
  for (const Row& row : table.rows) {
    if (c >= row.cells.size() || row.cells[c].empty()) continue;
    const auto q = cell_quantity(row.cells[c], unit);
    if (q) {
      ++with;
      ++counts[static_cast<size_t>(q->unit.dimension)];
    } else {
      text += row.cells[c] != "-" && !row.cells[c].starts_with("N/A") &&
              !row.cells[c].starts_with("n/a");
    }
  }
  return static_cast<Dimension>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

// The headers; where some are empty and the first row holds names only, one heading stands over
// several columns: `Before Time (ns)` of `Time (ns)` over `Before`.
std::vector<std::string> headers_of(const Table& table) {
  std::vector<std::string> out = table.header;
  if (out.empty() || table.rows.empty()) return out;
  const std::vector<std::string>& names = table.rows[0].cells;
  bool over = false;
  for (size_t c = 0; c < std::min(out.size(), names.size()); ++c) {
    if (cell_quantity(names[c])) return out;
    over |= c > 0 && out[c].empty() && !names[c].empty();
  }
  std::string heading;
  for (size_t c = 0; over && c < std::min(out.size(), names.size()); ++c) {
    if (!out[c].empty()) heading = out[c];
    if (!names[c].empty()) out[c] = trim(names[c] + " " + heading);
  }
  return out;
}

}  // namespace

std::string words_of(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0 || u >= 0x80) {
      out += static_cast<char>(std::tolower(u));
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return trim(out);
}

bool has_word(std::string_view text, std::string_view word) {
  const std::string words = " " + words_of(text) + " ";
  return words.find(" " + std::string(word) + " ") != std::string::npos;
}

bool says_before(std::string_view text) {
  for (const char* word :
       {"before", "baseline", "base", "old", "original", "previous", "prev", "was"}) {
    if (has_word(text, word)) return true;
  }
  return false;
}

bool says_after(std::string_view text) {
  for (const char* word :
       {"after", "new", "now", "current", "optimized", "optimised", "head", "candidate"}) {
    if (has_word(text, word)) return true;
  }
  return false;
}

std::vector<Column> columns_of(const Table& table) {
  std::vector<Column> out;
  const std::vector<std::string> headers = headers_of(table);
  size_t width = table.header.size();
  if (width == 0) {
    for (const Row& row : table.rows) width = std::max(width, row.cells.size());
  }
  for (size_t c = 0; c < width; ++c) {
    Column column;
    if (c < headers.size()) column.header = headers[c];
    column.name = without_brackets(column.header);
    column.unit = header_unit(column.header);
    // One heading over two columns.
    if (c > 1 && column.header.empty() && out.back().role == Role::kMeasure)
      column.unit = out.back().unit;
    size_t with = 0, text = 0;
    column.dimension = most_common(table, c, column.unit, with, text);
    const bool figures =
        column.dimension == Dimension::kRatio || column.dimension == Dimension::kPercent;
    const bool counts = with == 0 || column.dimension == Dimension::kCount;
    if (c == 0 || (is_key_header(column.name) && counts)) {
      column.role = Role::kKey;
    } else if (is_remark(column.name)) {
      column.role = Role::kOther;
    } else if (with == 0 || (with < text && !figures)) {
      column.role = with == 0 && text > 0 && c < 3 ? Role::kKey : Role::kOther;
    } else if (figures) {
      const std::string words = " " + words_of(column.header);
      const bool share = column.dimension == Dimension::kPercent &&
                         (has_word(words, "share") || words.find(" of ") != std::string::npos ||
                          has_word(words, "fraction") || words == " " || words == " percent");
      column.role = share ? Role::kShare : Role::kDerived;
    } else {
      column.role = Role::kMeasure;
    }
    column.side = says_before(column.name)  ? Side::kBefore
                  : says_after(column.name) ? Side::kAfter
                                            : Side::kNone;
    if (column.role == Role::kDerived) column.sense = header_sense(column.name);
    column.metric = metric_of(column.header, column.dimension);
    column.against_previous = column.role == Role::kDerived &&
                              (has_word(column.name, "prev") || has_word(column.name, "previous") ||
                               has_word(column.name, "prior") || has_word(column.name, "last"));
    out.push_back(std::move(column));
  }
  return out;
}

}  // namespace nsop::audit
