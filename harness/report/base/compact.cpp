#include "harness/report/base/compact.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

namespace nsop::report {
namespace {

constexpr std::array<const char*, 3> kTextFields{"interval_text", "verdict", "note"};
constexpr int kBoundDigits = 4;         // an interval's ends are no surer than that
constexpr int kPlotDigits = 4;          // finer than a plot can show
constexpr size_t kShortest = 3;         // a shorter text is no longer than its number
constexpr double kExactInteger = 1e15;  // below, a double holds every integer
const std::string kDoubt = " ?";

std::string command(const CellPlace& place, const std::string& variant) {
  return "nsop run '" + place.case_text + "' --variant " + variant + " --threads " +
         place.threads.dump();
}

// The variant of a command of the row; empty if it is another text.
std::string variant_of(const std::string& text, const CellPlace& place) {
  const std::string start = command(place, "");
  const size_t option = start.rfind(" --threads ");
  const size_t tail = start.size() - option;
  if (text.size() <= start.size() || text.compare(0, option, start, 0, option) != 0) return {};
  const std::string variant = text.substr(option, text.size() - start.size());
  return text.compare(text.size() - tail, tail, start, option, tail) == 0 ? variant : "";
}

// `4,194,304` as a number; null for any other text.
Json grouped_integer(const std::string& text) {
  std::string digits;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool comma = (text.size() - i) % 4 == 0 && i > 0;
    if (comma ? text[i] != ',' : text[i] < '0' || text[i] > '9') return nullptr;
    if (!comma) digits += text[i];
  }
  const bool plain = !digits.empty() && digits.size() <= 15 && (digits == "0" || digits[0] != '0');
  return plain ? Json(std::atoll(digits.c_str())) : Json(nullptr);
}

// `GB/s` of `12.3 GB/s ?`.
std::string unit_of(const std::string& text) {
  const std::string sure = text.ends_with(kDoubt) ? text.substr(0, text.size() - 2) : text;
  const size_t space = sure.rfind(' ');
  return space == std::string::npos ? "" : sure.substr(space + 1);
}

bool is_counted(const std::string& kind) { return kind == "count" || kind == "bytes"; }

Json unpacked_text(const std::string& text, const std::string& kind) {
  const Json number = is_counted(kind) ? grouped_integer(text) : Json(nullptr);
  if (!number.is_null()) return {{"kind", kind}, {"value", number}, {"text", text}};
  if (kind == "text" || kind == "code") return {{"kind", kind}, {"value", text}, {"text", text}};
  return {{"kind", "missing"}, {"value", nullptr}, {"text", text}};
}

Json code(const std::string& text) { return unpacked_text(text, "code"); }

bool is_its_text(const std::string& kind) { return kind == "text" || kind == "code"; }

Json unpacked_fields(const Json& packed, const std::string& kind) {
  const std::string text = packed[0];
  if (is_its_text(kind) && packed[1].is_null()) return unpacked_text(text, "missing");
  Json out{{"kind", kind}, {"value", packed[1]}, {"text", text}};
  if (packed.size() > 3 && !packed[2].is_null()) out["interval"] = {packed[2], packed[3]};
  for (size_t i = 4; i < packed.size(); ++i) {
    if (!packed[i].is_null()) out[kTextFields.at(i - 4)] = packed[i];
  }
  if (kind == "rate") out["unit"] = unit_of(text);
  if (text.ends_with(kDoubt)) out["doubt"] = true;
  return out;
}

Json packed_fields(const Json& cell) {
  Json out{cell["text"], cell["value"], nullptr, nullptr};
  if (cell.contains("interval")) {
    out[2] = cell["interval"][0];
    out[3] = cell["interval"][1];
  }
  for (const char* key : kTextFields) {
    out.push_back(cell.value(key, Json(nullptr)));
  }
  while (out.size() > 2 && out.back().is_null()) out.erase(out.size() - 1);
  return out;
}

// Equal but for the order of keys, and 12 for 12.0.
bool same_cell(const Json& a, const Json& b) { return nlohmann::json(a) == nlohmann::json(b); }

// Texts that occur more than once, in the order in which they first occur: measuring again leaves
// their numbers as they are.
class Texts {
 public:
  void count(const Json& text) {
    if (!text.is_string() || text.get_ref<const std::string&>().size() < kShortest) return;
    Entry& entry = entries_[text];
    if (entry.times++ == 0) order_.push_back(text);
  }
  void close() {
    for (const std::string& text : order_) {
      Entry& entry = entries_[text];
      if (entry.times > 1) entry.number = static_cast<int>(table_.size());
      if (entry.times > 1) table_.push_back(text);
    }
  }
  // Its number in the table, or the text itself.
  Json reference(const Json& text) const {
    if (!text.is_string()) return text;
    const auto found = entries_.find(text.get_ref<const std::string&>());
    const bool known = found != entries_.end() && found->second.number >= 0;
    return known ? Json(found->second.number) : text;
  }
  const Json& table() const { return table_; }

 private:
  struct Entry {
    int times = 0, number = -1;
  };
  std::map<std::string, Entry> entries_;
  std::vector<std::string> order_;
  Json table_ = Json::array();
};

// The number of a value in a table of different ones.
int number_in(Json& table, std::map<std::string, int>& known, const Json& value) {
  const auto [at, is_new] = known.try_emplace(
      value.dump(-1, ' ', false, Json::error_handler_t::replace), static_cast<int>(table.size()));
  if (is_new) table.push_back(value);
  return at->second;
}

std::string most_frequent_kind(const Json& rows, size_t column) {
  std::map<std::string, int> times;
  for (const Json& row : rows) {
    const std::string kind = row["cells"][column]["kind"];
    if (kind != "missing") ++times[kind];
  }
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto most = std::max_element(times.begin(), times.end(), less);
  return most == times.end() ? "text" : most->first;
}

// A command's variant, or why there is no value; a number's text hardly ever occurs again.
bool starts_with_reference(const Json& cell) {
  return cell.is_array() && (cell.size() == 1 || cell[1].is_null());
}

class Packer {
 public:
  Json packed(Json report) {
    report["schema"] = "nsop.report/2";
    Json sections = Json::array();
    for (const Json& section : report["sections"]) sections.push_back(packed_section(section));
    count_texts(sections);
    texts_.close();
    for (Json& section : sections) {
      for (Json& table : section["tables"]) refer(table);
    }
    for (Json& note : notes_) {
      for (Json& text : note) text = texts_.reference(text);
    }
    report.erase("sections");
    report["texts"] = texts_.table();
    report["notes"] = notes_;
    report["columns"] = columns_;
    report["sections"] = std::move(sections);
    return report;
  }

 private:
  Json packed_section(const Json& section) {
    Json out = section;
    out["plots"] = rounded(section["plots"], kPlotDigits);
    for (Json& table : out["tables"]) {
      std::vector<std::string> kinds;
      for (size_t i = 0; i < table["columns"].size(); ++i) {
        kinds.push_back(most_frequent_kind(table["rows"], i));
        Json& column = table["columns"][i];
        column["kind"] = kinds.back();
        column = number_in(columns_, known_columns_, column);
      }
      for (Json& row : table["rows"]) row = packed_row(row, kinds);
    }
    return out;
  }

  Json packed_row(const Json& row, const std::vector<std::string>& kinds) {
    Json cells = Json::array(), notes = Json::array();
    for (size_t i = 0; i < kinds.size(); ++i) {
      cells.push_back(packed_cell(row["cells"][i], {kinds[i], row["case"], row["threads"]}));
    }
    for (const Json& note : row["notes"]) {
      const Json parts{note["kind"], note["who"], note["text"]};
      notes.push_back(number_in(notes_, known_notes_, parts));
    }
    Json out{row["label"], row["case"], row["threads"], std::move(cells)};
    if (!notes.empty()) out.push_back(std::move(notes));
    return out;
  }

  void count_texts(const Json& sections) {
    for (const Json& section : sections) {
      for (const Json& table : section["tables"]) {
        for (const Json& row : table["rows"]) count_row(row);
      }
    }
    for (const Json& note : notes_) {
      for (const Json& text : note) texts_.count(text);
    }
  }

  void count_row(const Json& row) {
    texts_.count(row[0]);
    texts_.count(row[1]);
    for (const Json& cell : row[3]) {
      if (!cell.is_array()) texts_.count(cell);
      if (starts_with_reference(cell)) texts_.count(cell[0]);
      for (size_t i = 5; cell.is_array() && i < cell.size(); ++i) texts_.count(cell[i]);
    }
  }

  // Numbers in place of the texts that were counted.
  void refer(Json& table) const {
    for (Json& row : table["rows"]) {
      row[0] = texts_.reference(row[0]);
      row[1] = texts_.reference(row[1]);
      for (Json& cell : row[3]) {
        if (!cell.is_array()) cell = texts_.reference(cell);
        if (starts_with_reference(cell)) cell[0] = texts_.reference(cell[0]);
        for (size_t i = 5; cell.is_array() && i < cell.size(); ++i) {
          cell[i] = texts_.reference(cell[i]);
        }
      }
    }
  }

  Texts texts_;
  Json notes_ = Json::array(), columns_ = Json::array();
  std::map<std::string, int> known_notes_, known_columns_;
};

void write_lines(const Json& value, int levels, std::string& out) {
  const bool broken = levels > 0 && value.is_structured() && !value.empty();
  if (!broken) {
    out += value.dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  out += value.is_object() ? "{\n" : "[\n";
  bool first = true;
  for (const auto& [key, element] : value.items()) {
    if (!first) out += ",\n";
    first = false;
    if (value.is_object())
      out += Json(key).dump(-1, ' ', false, Json::error_handler_t::replace) + ":";
    write_lines(element, levels - 1, out);
  }
  out += value.is_object() ? "\n}" : "\n]";
}

// The nearest number of so many digits that isn't above (below) it.
Json rounded_to_one_side(const Json& value, bool up) {
  Json out = rounded(value, kBoundDigits);
  if (!value.is_number_float() || !out.is_number() || (up ? out >= value : out <= value))
    return out;
  const double bound = out;
  const double unit = std::pow(10, std::floor(std::log10(std::abs(bound))) - kBoundDigits + 1);
  return rounded(Json(up ? bound + unit : bound - unit), kBoundDigits);
}

// It holds whatever the interval holds. One of a single value stays one, as its cell says the
// value.
Json rounded_interval(const Json& interval) {
  if (!interval.is_array() || interval.size() != 2) return rounded(interval, kBoundDigits);
  if (interval[0] == interval[1]) return rounded(interval);
  return {rounded_to_one_side(interval[0], false), rounded_to_one_side(interval[1], true)};
}

}  // namespace

Json rounded(const Json& value, int digits) {
  if (value.is_number_float()) {
    const double number = value;
    if (!std::isfinite(number)) return nullptr;  // what JSON would write
    if (std::abs(number) < kExactInteger && number == std::trunc(number)) {
      return static_cast<int64_t>(number);
    }
    return std::strtod(fmt::format("{:.{}g}", number, digits).c_str(), nullptr);
  }
  if (!value.is_structured()) return value;
  Json out = value;
  for (Json& element : out) element = rounded(element, digits);
  return out;
}

Json rounded_cell(const Json& cell) {
  Json out = rounded(cell);
  if (out.contains("interval")) out["interval"] = rounded_interval(cell["interval"]);
  if (out["kind"] == "percent") out["value"] = rounded(out["value"], kBoundDigits);
  return out;
}

Json unpacked_cell(const Json& packed, const CellPlace& place) {
  if (packed.is_object()) return packed;
  if (packed.is_null()) return code(place.case_text);
  if (packed.is_string()) return unpacked_text(packed, place.kind);
  if (packed.size() == 1) return code(command(place, packed[0]));
  return unpacked_fields(packed, place.kind);
}

Json packed_cell(const Json& cell, const CellPlace& place) {
  const Json exact = rounded_cell(cell);
  std::vector<Json> forms;
  if (exact["kind"] == "code") {
    forms.emplace_back(nullptr);
    const std::string variant = variant_of(exact["text"], place);
    if (!variant.empty()) forms.push_back(Json::array({variant}));
  }
  forms.push_back(exact["text"]);
  forms.push_back(packed_fields(exact));
  for (const Json& form : forms) {
    if (same_cell(unpacked_cell(form, place), exact)) return form;
  }
  return exact;
}

Json compacted(const Json& report) { return Packer().packed(report); }

std::string lines_of(const Json& value, int levels) {
  std::string out;
  write_lines(value, levels, out);
  return out + "\n";
}

}  // namespace nsop::report
