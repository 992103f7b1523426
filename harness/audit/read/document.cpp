#include "harness/audit/read/document.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace nsop::audit {
namespace {

constexpr size_t kLongestLine = 256 << 10;  // bytes
constexpr size_t kMostNested = 200;         // marks of blocks at the beginning of a line
constexpr size_t kMostCells = 200;          // of a row
constexpr size_t kMostOpened = 2000;        // brackets, stars or underscores of one line

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

struct NodeFree {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
};
struct ParserFree {
  void operator()(cmark_parser* parser) const { cmark_parser_free(parser); }
};
struct IterFree {
  void operator()(cmark_iter* iter) const { cmark_iter_free(iter); }
};

// Marks at the beginning of a line that each open a block: quotes and list items.
size_t nesting(std::string_view line) {
  size_t marks = 0;
  for (const char c : line) {
    if (std::string_view(">-*+.)").find(c) != std::string_view::npos) ++marks;
    if (!std::isspace(static_cast<unsigned char>(c)) &&
        !std::isdigit(static_cast<unsigned char>(c)) &&
        std::string_view(">-*+.)").find(c) == std::string_view::npos) {
      break;
    }
  }
  return marks;
}

void refuse_what_is_no_report(std::string_view text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    throw bad_data("the document is UTF-16: save it as UTF-8");
  }
  if (text.find('\0') != std::string_view::npos) {
    throw bad_data("the document has zero bytes: it is no text");
  }
  if (trim(text.substr(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0)).empty())
    throw bad_data("the document is empty");
  size_t line = 1;
  for (size_t at = 0; at <= text.size(); ++line) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view one = text.substr(at, end - at);
    const bool rule = one.find_first_not_of("-*+ \r") == std::string_view::npos;
    if (one.size() > kLongestLine) {
      throw bad_data(
          fmt::format("line {} has {} bytes, more than {}: no report's line is that long", line,
                      one.size(), kLongestLine));
    }
    const auto opened = std::count_if(one.begin(), one.end(), [](char c) {
      return c == '[' || c == '*' || c == '_' || c == '`' || c == '<' || c == '~';
    });
    if ((!rule && nesting(one) > kMostNested) || static_cast<size_t>(opened) > kMostOpened ||
        static_cast<size_t>(std::count(one.begin(), one.end(), '|')) > kMostCells) {
      throw bad_data(fmt::format("line {} is nested deeper than any report: it isn't read", line));
    }
    at = end + 1;
  }
}

// Without escape sequences (ECMA-48: ESC [ ... a final byte), carriage returns and a byte order
// mark.
std::string cleaned(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      if (i + 1 < text.size() && text[i + 1] == '[') {
        for (i += 2; i < text.size() && (text[i] < '@' || text[i] > '~'); ++i) {
        }
      }
      continue;
    }
    if (text[i] == '\r') {
      if (i + 1 == text.size() || text[i + 1] != '\n') out += '\n';
      continue;
    }
    out += text[i];
  }
  return out;
}

bool is_table_part(cmark_node* node, const char* name) {
  return std::string_view(cmark_node_get_type_string(node)) == name;
}

// Text of a block's inline nodes; a line end for each line of its source.
std::string inline_text(cmark_node* block) {
  std::string out;
  const std::unique_ptr<cmark_iter, IterFree> iter(cmark_iter_new(block));
  for (cmark_event_type event = cmark_iter_next(iter.get()); event != CMARK_EVENT_DONE;
       event = cmark_iter_next(iter.get())) {
    cmark_node* node = cmark_iter_get_node(iter.get());
    if (event != CMARK_EVENT_ENTER) continue;
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK) {
      out += '\n';
    } else if (type == CMARK_NODE_CODE) {
      out += fmt::format("`{}`", cmark_node_get_literal(node));
    } else if (type == CMARK_NODE_TEXT) {
      const char* literal = cmark_node_get_literal(node);
      if (literal != nullptr) out += literal;
    }
  }
  return out;
}

// The first line of a block. The lines of a paragraph that end in a table have none of their own:
// the table says that it begins where they do.
int first_line(cmark_node* block) {
  const int line = cmark_node_get_start_line(block);
  cmark_node* next = cmark_node_next(block);
  return line == 0 && next != nullptr ? cmark_node_get_start_line(next) : line;
}

// The line of a table's header: after the lines of the paragraph that it ends.
int header_line(cmark_node* table) {
  const int line = cmark_node_get_start_line(table);
  cmark_node* before = cmark_node_previous(table);
  if (before == nullptr || cmark_node_get_start_line(before) != 0) return line;
  const std::string text = inline_text(before);
  return line + 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

// `Label: ...`, of at most 60 bytes without the marks that end sentences.
std::string label_of(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon > 60 || colon == 0) return "";
  const std::string_view label = text.substr(0, colon);
  if (colon + 1 < text.size() && text[colon + 1] != ' ') return "";
  if (label.find_first_of(";!?|`\n") != std::string_view::npos) return "";
  if (label.find(". ") != std::string_view::npos) return "";
  return trim(label);
}

bool ends_sentence(std::string_view text, size_t at) {
  if (std::string_view(".!?;").find(text[at]) == std::string_view::npos) return false;
  if (at + 2 >= text.size() || (text[at + 1] != ' ' && text[at + 1] != '\n')) return false;
  return text[at] != '.' || !std::islower(static_cast<unsigned char>(text[at + 2]));
}

class Reader {
 public:
  Document take(cmark_node* root) {
    const std::unique_ptr<cmark_iter, IterFree> iter(cmark_iter_new(root));
    for (cmark_event_type event = cmark_iter_next(iter.get()); event != CMARK_EVENT_DONE;
         event = cmark_iter_next(iter.get())) {
      visit(cmark_iter_get_node(iter.get()), event == CMARK_EVENT_ENTER);
    }
    return std::move(document_);
  }

 private:
  void visit(cmark_node* node, bool enter) {
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_LIST) {
      if (enter) {
        lists_.push_back(++lists_seen_);
      } else {
        lists_.pop_back();
      }
    } else if (type == CMARK_NODE_ITEM) {
      if (enter) {
        items_.emplace_back();
      } else {
        items_.pop_back();
      }
    } else if (enter && type == CMARK_NODE_HEADING) {
      heading(node);
    } else if (enter && type == CMARK_NODE_PARAGRAPH) {
      paragraph(first_line(node), inline_text(node));
    } else if (enter && is_table_part(node, "table")) {
      table(node);
    } else if (enter && type == CMARK_NODE_CODE_BLOCK) {
      code(node);
    }
  }

  void code(cmark_node* node) {
    int length = 0, offset = 0;
    char mark = 0;
    const bool fenced = cmark_node_get_fenced(node, &length, &offset, &mark) != 0;
    int line = cmark_node_get_start_line(node) + (fenced ? 1 : 0);
    const char* literal = cmark_node_get_literal(node);
    for (const std::string& one : split(literal == nullptr ? "" : literal, '\n')) {
      if (!trim(one).empty()) document_.code.push_back({line, one});
      ++line;
    }
  }

  void heading(cmark_node* node) {
    const size_t level = static_cast<size_t>(cmark_node_get_heading_level(node));
    headings_.resize(std::min(headings_.size(), level - 1));
    headings_.resize(level - 1);
    headings_.push_back(plain(inline_text(node)));
    document_.statements.push_back({cmark_node_get_start_line(node), headings_.back(), "",
                                    headings_.back(), join(headings_, " / "), "", 0});
  }

  void table(cmark_node* node) {
    Table out{header_line(node), heading_text(), join(headings_, " / "), {}, {}};
    for (cmark_node* row = cmark_node_first_child(node); row != nullptr;
         row = cmark_node_next(row)) {
      Row cells{cmark_node_get_start_line(row), {}};
      for (cmark_node* cell = cmark_node_first_child(row); cell != nullptr;
           cell = cmark_node_next(cell)) {
        cells.cells.push_back(trim(plain(inline_text(cell))));
      }
      if (is_table_part(row, "table_header")) {
        out.header = std::move(cells.cells);
      } else {
        out.rows.push_back(std::move(cells));
      }
    }
    document_.tables.push_back(std::move(out));
  }

  // Lines between bars without a line of dashes: rows of a table that lost its header.
  void paragraph(int line, const std::string& text) {
    Table lost{line, heading_text(), join(headings_, " / "), {}, {}};
    std::string rest;
    int first = line;
    const auto flush = [&] {
      if (!trim(rest).empty()) statements(first, rest);
      rest.clear();
    };
    for (const std::string& one : split(text, '\n')) {
      const std::string row = trim(one);
      if (row.size() > 4 && row.front() == '|' && row.back() == '|') {
        flush();
        Row cells{line, {}};
        for (const std::string& cell : split(plain(row.substr(1, row.size() - 2)), '|')) {
          cells.cells.push_back(trim(cell));
        }
        if (lost.rows.empty()) lost.line = line;
        lost.rows.push_back(std::move(cells));
        first = line + 1;
      } else {
        if (rest.empty()) first = line;
        rest += (rest.empty() ? "" : "\n") + plain(one);
      }
      ++line;
    }
    flush();
    if (!lost.rows.empty()) document_.tables.push_back(std::move(lost));
  }

  // One for each sentence and each line that begins with a label.
  void statements(int line, const std::string& text) {
    size_t begin = 0;
    int at = line;
    for (size_t i = 0; i < text.size(); ++i) {
      const bool labelled =
          text[i] == '\n' && !label_of(std::string_view(text).substr(i + 1)).empty();
      if (labelled || ends_sentence(text, i)) {
        add(at, text.substr(begin, i + (text[i] == '\n' ? 0 : 1) - begin));
        begin = i + 1;
        at = line + (text[i] == '\n' ? 1 : 0);
      }
      line += text[i] == '\n';
    }
    add(at, text.substr(begin));
  }

  void add(int line, std::string text) {
    for (; !text.empty() && std::isspace(static_cast<unsigned char>(text.front()));
         text.erase(0, 1)) {
      line += text.front() == '\n';
    }
    std::replace(text.begin(), text.end(), '\n', ' ');
    text = trim(text);
    if (text.empty()) return;
    std::vector<std::string> within(items_.begin(), items_.end());
    std::erase(within, "");
    Statement out{line,
                  text,
                  label_of(text),
                  heading_text(),
                  join(headings_, " / "),
                  join(within, " / "),
                  lists_.empty() ? 0 : lists_.back()};
    if (!items_.empty() && items_.back().empty()) items_.back() = text;
    document_.statements.push_back(std::move(out));
  }

  std::string heading_text() const { return headings_.empty() ? "" : headings_.back(); }

  Document document_;
  std::vector<std::string> headings_;
  std::vector<std::string> items_;  // how each open list item begins
  std::vector<int> lists_;
  int lists_seen_ = 0;
};

// A no-break space between a digit and three digits separates thousands (ISO 80000-1, 7.3.1).
bool between_thousands(std::string_view before, std::string_view behind) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !before.empty() && is_digit(before.back()) && behind.size() >= 3 &&
         std::all_of(behind.begin(), behind.begin() + 3, is_digit) &&
         (behind.size() == 3 || !is_digit(behind[3]));
}

}  // namespace

std::string plain(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kSame{{
      {"\u00b5", "u"},
      {"\u03bc", "u"},
      {"\u00d7", "x"},
      {"\u2212", "-"},
      {"\u2013", "-"},
      {"\u2011", "-"},
      {"\u2192", "->"},
      {"\u21d2", "->"},
      {"\u27f6", "->"},
      {"\u2248", "~"},
      {"\u00a0", " "},
      {"\u202f", " "},
      {"\u2009", " "},
      {"\u2264", "<"},
      {"\u2265", ">"},
      {"\u2014", " - "},
      {"\u00b1", "+/-"},
  }};
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const auto same = std::find_if(kSame.begin(), kSame.end(), [&](const auto& pair) {
      return text.substr(i).starts_with(pair.first);
    });
    if (static_cast<unsigned char>(text[i]) >= 0x80 && same != kSame.end()) {
      const bool narrow =
          same->second == " " && between_thousands(out, text.substr(i + same->first.size()));
      out += narrow ? "," : same->second;
      i += same->first.size();
    } else {
      out += text[i++];
    }
  }
  return out;
}

Document read_document(std::string text) {
  if (text.size() > kMostBytes) {
    throw bad_data(fmt::format("the document has {} bytes, more than {}", text.size(), kMostBytes));
  }
  refuse_what_is_no_report(text);
  text = cleaned(text);
  cmark_gfm_core_extensions_ensure_registered();
  const std::unique_ptr<cmark_parser, ParserFree> parser(cmark_parser_new(CMARK_OPT_VALIDATE_UTF8));
  cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension("table"));
  cmark_parser_feed(parser.get(), text.data(), text.size());
  const std::unique_ptr<cmark_node, NodeFree> root(cmark_parser_finish(parser.get()));
  return Reader().take(root.get());
}

}  // namespace nsop::audit
