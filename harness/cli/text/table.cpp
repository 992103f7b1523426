#include "harness/cli/text/table.h"

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "harness/core/text.h"

namespace nsop::cli {
namespace {

size_t width_of(uint32_t c) {
  if (c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x300 && c < 0x370)) return 0;
  const bool wide = (c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) ||
                    (c >= 0xac00 && c < 0xd7a4) || (c >= 0xf900 && c < 0xfb00) ||
                    (c >= 0xff00 && c < 0xff61) || (c >= 0x1f300 && c < 0x1faff);
  return wide ? 2 : 1;
}

}  // namespace

size_t display_width(const std::string& text) {
  size_t width = 0;
  for (size_t at = 0; at < text.size();) width += width_of(next_character(text, at));
  return width;
}

void Table::add(std::vector<std::string> cells) {
  assert(cells.size() == columns_.size());
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

void Table::print(std::ostream& out) const {
  std::vector<size_t> widths;
  for (size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(display_width(columns_[c].title));
    for (const auto& row : rows_) widths[c] = std::max(widths[c], display_width(row[c]));
  }
  const auto line = [&](const auto& cell_of) {
    std::string text;
    for (size_t c = 0; c < columns_.size(); ++c) {
      const std::string& cell = cell_of(c);
      const std::string pad(widths[c] - display_width(cell), ' ');
      text += (c == 0 ? "" : "  ") + (columns_[c].right ? pad + cell : cell + pad);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << '\n';
  };
  line([&](size_t c) -> const std::string& { return columns_[c].title; });
  for (const auto& row : rows_) line([&](size_t c) -> const std::string& { return row[c]; });
}

}  // namespace nsop::cli
