// A Markdown document as what an audit reads: tables and statements, each with its lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nsop::audit {

struct Row {
  int line = 0;
  std::vector<std::string> cells;  // without markup; code keeps its backticks
};

struct Table {
  int line = 0;                     // of its header, or of its first row
  std::string heading;              // the nearest one above
  std::string above;                // all headings above, outermost first
  std::vector<std::string> header;  // empty: the rows are a paragraph whose lines look like rows
  std::vector<Row> rows;
};

// A sentence or a labelled line of a paragraph, a list item or a heading.
struct Statement {
  int line = 0;
  std::string text;     // without markup; code keeps its backticks
  std::string label;    // `Label:` at its beginning, without the colon; else empty
  std::string heading;  // the nearest one above
  std::string above;    // all headings above, outermost first
  std::string within;   // the beginning of the list items that it lies in; else empty
  int list = 0;         // which list it is an item of; 0: of none
};

// A line of a code block.
struct CodeLine {
  int line = 0;
  std::string text;
};

struct Document {
  std::vector<Table> tables;
  std::vector<Statement> statements;
  std::vector<CodeLine> code;
};

inline constexpr size_t kMostBytes = 8 << 20;  // of a document

// Reads GitHub's Markdown (https://github.github.com/gfm/) in UTF-8. Escape sequences of terminals
// are taken out. Throws Error (bad data) for another encoding, a text of bytes, an empty one, one
// of more than kMostBytes, and lines too long or nested too deep to be a report.
Document read_document(std::string text);

// Characters that mean the same are written alike: micro signs as `u`, times as `x`, minus and
// dashes as `-`, arrows as `->`, about as `~`; no-break spaces as spaces, between thousands as `,`.
std::string plain(std::string_view text);

}  // namespace nsop::audit
