// JSON as benchmark tools write it, read as a stream: the rows one by one, the rest as a whole.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/foreign/import/text_source.h"

namespace nsop::foreign {

// Keys in their byte order.
using Value = nlohmann::json;

// Keys from the top down; of an element of an array `[]`. In a pattern `*` is any key.
using Path = std::vector<std::string>;

struct JsonOptions {
  // A quotation mark inside a string that nothing escapes (nanobench) ends the string only before
  // `,`, `:`, `}`, `]` and the end.
  bool bare_quotes = false;
};

// What is left when the rows are taken out.
struct JsonRest {
  Value value;
  bool truncated = false;  // the text ended before the JSON did; complete rows were given out
};

// Calls on_row(path, row, rest so far) for every value whose path matches one of `rows`, as soon as
// it is complete. Reads beyond RFC 8259: control characters in strings; NaN, Infinity and
// -Infinity, which become texts of that name; integers that a locale grouped (`1,234,567` in an
// object). Throws Error (bad data) with `where` for everything else that is no JSON, for more than
// 64 levels, more than kMostRowValues values in a row or outside of rows, and a key that is there
// twice.
constexpr int64_t kMostRowValues = 4'000'000;
using OnRow = std::function<void(const Path& path, Value& row, const Value& rest)>;
JsonRest read_json_rows(TextSource& text, const std::string& where, const std::vector<Path>& rows,
                        const OnRow& on_row, JsonOptions options = {});

// The paths that the beginning of a JSON text has, three levels deep: for telling formats apart.
// Empty: it is no JSON.
std::vector<std::string> json_paths(const std::string& head);

// ---- fields of rows; nullopt: missing, of another type or no finite number
std::optional<double> number_at(const Value& object, const char* key);
std::optional<int64_t> integer_at(const Value& object, const char* key);  // no fraction
std::string text_at(const Value& object, const char* key);                // "": there is none
const Value& value_at(const Value& object, const char* key);              // null: there is none
// A value as a text: of a string the string, else its JSON.
std::string plain_text(const Value& value);

}  // namespace nsop::foreign
