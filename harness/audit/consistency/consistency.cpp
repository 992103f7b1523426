#include "harness/audit/consistency/consistency.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "harness/audit/checks/check.h"
#include "harness/audit/read/configs.h"
#include "harness/core/text.h"

namespace nsop::audit {
namespace {

// The factors of `[8, 64, 32, 32]` and `8x64x32x32`, of three or more.
std::vector<std::string> shapes_in(const std::string& text) {
  std::vector<std::string> out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) continue;
    size_t end = i;
    std::string shape;
    size_t factors = 1;
    while (end < text.size()) {
      const bool is_digit = std::isdigit(static_cast<unsigned char>(text[end])) != 0;
      if (is_digit) {
        shape += text[end++];
        continue;
      }
      size_t next = end + 1;
      if (text[end] == ',') {
        while (next < text.size() && text[next] == ' ') ++next;
      }
      const bool joins = (text[end] == 'x' || text[end] == ',') && next < text.size() &&
                         std::isdigit(static_cast<unsigned char>(text[next])) != 0;
      if (!joins) break;
      shape += 'x';
      ++factors;
      end = next;
    }
    if (factors >= 3) out.push_back(shape);
    i = end;
  }
  return out;
}

// `A time / B time` behind a label; the two names.
std::optional<std::pair<std::string, std::string>> times_divided(const std::string& text) {
  const size_t slash = text.find(" / ");
  if (slash == std::string::npos) return {};
  const std::string first = words_of(text.substr(0, slash)),
                    second = words_of(text.substr(slash + 3));
  if (!first.ends_with(" time") || !second.ends_with(" time")) return {};
  return std::pair(first.substr(0, first.size() - 5), second.substr(0, second.size() - 5));
}

bool says_fixed(std::string_view cell) {
  for (const char* word : {"fixed", "restored", "resolved"}) {
    if (has_word(cell, word)) return true;
  }
  return false;
}

// The cell of a row that calls it fixed, and says no more; none: no cell does.
const std::string* fixed_cell(const Page& page, Place place) {
  const Row& row = page.row(place);
  const std::vector<Column>& columns = page.columns(place.table);
  for (size_t c = 0; c < std::min(row.cells.size(), columns.size()); ++c) {
    const std::string& cell = row.cells[c];
    if (columns[c].role == Role::kOther && says_fixed(cell) && scan(cell).empty()) return &cell;
  }
  return nullptr;
}

std::optional<Measured> first_time(const Page& page, Place place) {
  for (Measured& m : page.measured(place)) {
    if (m.quantity.unit.dimension == Dimension::kTime) return std::move(m);
  }
  return {};
}

// If each other table that has the row has less time for it.
std::optional<Finding> slower_than_elsewhere(const Page& page, Place place,
                                             const std::string& said) {
  const auto own = first_time(page, place);
  if (!own) return {};
  std::optional<Measured> best;
  for (const Place& other : page.named(page.key(place))) {
    const auto time = other.table == place.table ? std::nullopt : first_time(page, other);
    if (!time) continue;
    if (time->quantity.span.hi >= own->quantity.span.lo) return {};
    if (!best || time->quantity.value < best->quantity.value) best = time;
  }
  if (!best) return {};
  return Finding{
      own->line, Kind::kDirection, said,
      fmt::format("{} here, {} in line {} for the same row: {:.2f}x slower", shown(own->quantity),
                  shown(best->quantity), best->line, own->quantity.value / best->quantity.value)};
}

}  // namespace

std::vector<Finding> check_definitions(const Document& document) {
  std::map<std::string, std::pair<std::pair<std::string, std::string>, int>> defined;
  std::vector<Finding> out;
  for (const Statement& s : document.statements) {
    if (s.label.empty()) continue;
    const std::string behind = s.text.substr(s.text.find(':') + 1);
    if (const auto names = times_divided(behind)) defined[words_of(s.label)] = {*names, s.line};
  }
  for (const Statement& s : document.statements) {
    const size_t sign = s.label.find_first_of("<>");
    if (sign == std::string::npos) continue;
    const auto found = defined.find(words_of(s.label.substr(0, sign)));
    const std::string limit = trim(s.label.substr(sign + 1));
    if (found == defined.end() || (limit != "1" && limit != "1.0" && limit != "1.00")) continue;
    const std::string reading = words_of(s.text.substr(s.text.find(':') + 1));
    const auto& [names, line] = found->second;
    // Above 1 the first takes more time.
    const std::string& faster = s.label[sign] == '>' ? names.second : names.first;
    const std::string& slower = s.label[sign] == '>' ? names.first : names.second;
    const bool right =
        reading.starts_with(faster + " is faster") || reading.starts_with(slower + " is slower");
    const bool wrong =
        reading.starts_with(slower + " is faster") || reading.starts_with(faster + " is slower");
    if (!right && !wrong) continue;
    out.push_back({s.line, right ? Kind::kRight : Kind::kDirection, trim(s.label),
                   fmt::format("line {} divides the time of {} by that of {}: here {} is faster",
                               line, names.first, names.second, faster)});
  }
  return out;
}

std::vector<Finding> check_shapes(const Document& document) {
  struct Input {
    int line = 0;
    std::string shape{};
  };
  std::map<std::string, Input> inputs;  // by heading
  std::vector<Finding> out;
  for (const Statement& s : document.statements) {
    const std::vector<std::string> shapes = shapes_in(s.text);
    if (words_of(s.label) == "input" && shapes.size() == 1 && !s.heading.empty()) {
      if (inputs.size() < kMostConfigs)
        inputs.emplace(words_of(s.heading), Input{s.line, shapes[0]});
      continue;
    }
    if (shapes.size() != 1 || !has_word(s.text, "tensors")) continue;
    for (const auto& [name, input] : inputs) {
      if (!has_word(s.text, name) || input.shape == shapes[0]) continue;
      out.push_back(
          {s.line, Kind::kUnlikeCases, shapes[0],
           fmt::format("line {} gives {} as input of '{}': which of the two was measured?",
                       input.line, input.shape, name)});
    }
  }
  return out;
}

std::vector<Finding> check_fixed(const Page& page) {
  std::vector<Finding> out;
  for (size_t t = 0; t < page.document().tables.size(); ++t) {
    for (size_t r = 0; r < page.table(t).rows.size(); ++r) {
      const std::string* said = fixed_cell(page, {t, r});
      if (said == nullptr) continue;
      if (auto found = slower_than_elsewhere(page, {t, r}, *said)) out.push_back(std::move(*found));
    }
  }
  return out;
}

std::vector<Finding> check_consistency(const Page& page) {
  std::vector<Finding> out;
  const Document& document = page.document();
  for (std::vector<Finding> found :
       {check_sums(document), check_products(document), check_latest(document),
        check_definitions(document), check_rates(document), check_shapes(document),
        check_steps(document), check_fixed(page), check_work(page), check_scaling(page)}) {
    std::move(found.begin(), found.end(), std::back_inserter(out));
  }
  return out;
}

}  // namespace nsop::audit
