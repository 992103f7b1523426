#include "harness/foreign/import/json_rows.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>

#include "harness/core/error.h"
#include "harness/foreign/import/json_repair.h"

namespace nsop::foreign {
namespace {

// The repaired text for the parser, which takes a pair of iterators.
class Bytes {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the names that std::iterator_traits reads
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  // NOLINTEND(readability-identifier-naming)

  Bytes() = default;  // the end
  explicit Bytes(JsonRepair& repair) : repair_(&repair) { ++*this; }
  reference operator*() const { return c_; }
  Bytes& operator++() {
    const int c = repair_->get();
    if (c == TextSource::kEnd) {
      repair_ = nullptr;
    } else {
      c_ = static_cast<char>(c);
    }
    return *this;
  }
  Bytes operator++(int) {
    Bytes before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Bytes& other) const { return repair_ == other.repair_; }

 private:
  JsonRepair* repair_ = nullptr;
  char c_ = 0;
};

bool matches(const Path& path, const Path& pattern) {
  if (path.size() != pattern.size()) return false;
  for (size_t i = 0; i < path.size(); ++i) {
    if (pattern[i] != "*" && pattern[i] != path[i]) return false;
  }
  return true;
}

// Takes the parser's events (https://json.nlohmann.me/features/parsing/sax_interface/); the names
// are its own. NOLINTBEGIN(readability-identifier-naming)
class Handler {
 public:
  Handler(const std::string& where, const std::vector<Path>& rows, const OnRow& on_row)
      : where_(where), rows_(rows), on_row_(on_row) {}

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(int64_t value) { return add(value); }
  bool number_unsigned(uint64_t value) { return add(value); }
  bool number_float(double value, const std::string& /*text*/) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Value::binary_t& /*value*/) { return false; }
  bool start_object(size_t /*size*/) { return open(Value::object()); }
  bool start_array(size_t /*size*/) { return open(Value::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    key_ = std::move(name);
    return true;
  }
  bool parse_error(size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& error) {
    position_ = position;
    // 406: a number that no double holds.
    problem_ = error.id == 406 ? "a number is out of range" : "not JSON";
    return false;
  }

  size_t position() const { return position_; }
  const std::string& problem() const { return problem_; }
  Value& rest() { return rest_; }

 private:
  // The place of the next value, and whether it is a row.
  bool enter() {
    if (!open_.empty()) path_.push_back(open_.back()->is_array() ? "[]" : key_);
    if (in_row_) return false;
    for (const Path& pattern : rows_) {
      if (matches(path_, pattern)) return true;
    }
    return false;
  }
  void leave() {
    if (!path_.empty()) path_.pop_back();
  }

  Value* put(Value&& value) {
    int64_t& count = in_row_ ? row_values_ : rest_values_;
    if (++count > kMostRowValues) {
      throw bad_data(fmt::format("{}: more than {} values {}", where_, kMostRowValues,
                                 in_row_ ? "in one row" : "outside of rows"));
    }
    if (open_.empty() || open_.back() == nullptr) return nullptr;
    Value& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    const auto [at, is_new] = parent.emplace(path_.back(), std::move(value));
    if (!is_new) {
      throw bad_data(
          fmt::format("{}: key '{}' is given twice", where_, path_.back().substr(0, 40)));
    }
    return &*at;
  }

  bool add(Value value) {
    if (enter()) {
      on_row_(path_, value, rest_);
    } else if (open_.empty()) {
      rest_ = std::move(value);
    } else {
      put(std::move(value));
    }
    leave();
    return true;
  }

  bool open(Value value) {
    const bool is_row = enter();
    if (is_row) {
      in_row_ = true;
      row_values_ = 0;
      row_ = std::move(value);
      row_depth_ = open_.size();
      open_.push_back(&row_);
    } else if (open_.empty()) {
      rest_ = std::move(value);
      open_.push_back(&rest_);
    } else {
      open_.push_back(put(std::move(value)));
    }
    return true;
  }

  bool close() {
    open_.pop_back();
    if (in_row_ && open_.size() == row_depth_) {
      in_row_ = false;
      on_row_(path_, row_, rest_);
      row_ = nullptr;
    }
    leave();
    return true;
  }

  const std::string& where_;
  const std::vector<Path>& rows_;
  const OnRow& on_row_;
  Path path_;
  std::string key_;
  Value rest_, row_;
  std::vector<Value*> open_;  // what the next value belongs to, at the end
  bool in_row_ = false;
  size_t row_depth_ = 0, position_ = 0;
  int64_t row_values_ = 0, rest_values_ = 0;
  std::string problem_;
};
// NOLINTEND(readability-identifier-naming)

// Gathers the paths of a text, which may be cut off.
class Paths {
 public:
  void add(const Path& path) {
    std::string text;
    for (const std::string& key : path) text += (text.empty() ? "" : ".") + key;
    found_.insert(text);
  }
  void add_below(const Path& path, const Value& value, int levels) {
    add(path);
    if (levels == 0) return;
    Path below = path;
    below.emplace_back();
    if (value.is_object()) {
      for (const auto& [key, one] : value.items()) {
        below.back() = key;
        add_below(below, one, levels - 1);
      }
    }
    if (value.is_array() && !value.empty()) {
      below.back() = "[]";
      add_below(below, value.front(), levels - 1);
    }
  }
  std::vector<std::string> all() const { return {found_.begin(), found_.end()}; }

 private:
  std::set<std::string> found_;
};

}  // namespace

JsonRest read_json_rows(TextSource& text, const std::string& where, const std::vector<Path>& rows,
                        const OnRow& on_row, JsonOptions options) {
  Handler handler(where, rows, on_row);
  JsonRepair repair(text, options);
  JsonRest result;
  try {
    if (!Value::sax_parse(Bytes(repair), Bytes(), &handler)) {
      if (!repair.ended() || handler.problem() != "not JSON") {
        throw bad_data(
            fmt::format("{}: {} at byte {}", where, handler.problem(), handler.position()));
      }
      result.truncated = true;
    }
  } catch (const Error& error) {
    const std::string message = error.what();
    if (message.starts_with(where)) throw;
    throw bad_data(fmt::format("{}: {}", where, message));
  }
  result.value = std::move(handler.rest());
  return result;
}

std::vector<std::string> json_paths(const std::string& head) {
  std::istringstream in(head);
  TextSource text(in);
  Paths paths;
  const JsonOptions options{.bare_quotes = true};
  constexpr int kLevels = 4;
  try {
    const JsonRest rest = read_json_rows(
        text, "the beginning", {}, [](const Path&, Value&, const Value&) {}, options);
    paths.add_below({}, rest.value, kLevels);
  } catch (const Error&) {
    return {};
  }
  return paths.all();
}

const Value& value_at(const Value& object, const char* key) {
  static const Value none;
  if (!object.is_object()) return none;
  const auto at = object.find(key);
  return at == object.end() ? none : *at;
}

std::optional<double> number_at(const Value& object, const char* key) {
  const Value& value = value_at(object, key);
  if (!value.is_number()) return std::nullopt;
  const auto number = value.get<double>();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<int64_t> integer_at(const Value& object, const char* key) {
  const Value& value = value_at(object, key);
  constexpr double kMostExact = 9007199254740992.0;  // 2^53
  const auto number = number_at(object, key);
  if (!number || std::floor(*number) != *number || std::abs(*number) > kMostExact) {
    return std::nullopt;
  }
  return value.is_number_float() ? static_cast<int64_t>(*number) : value.get<int64_t>();
}

std::string text_at(const Value& object, const char* key) {
  const Value& value = value_at(object, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::string plain_text(const Value& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, Value::error_handler_t::replace);
}

}  // namespace nsop::foreign
