// Plain text tables for a terminal.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace nsop::cli {

struct Column {
  std::string title;
  bool right = false;  // alignment
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells);  // as many as columns (assert)
  void print(std::ostream& out) const;
  size_t size() const { return rows_.size(); }

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// How many terminal columns a UTF-8 text takes: control characters count 0, wide East Asian ones 2.
size_t display_width(const std::string& text);

}  // namespace nsop::cli
