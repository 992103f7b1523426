#include "harness/core/suite/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "harness/core/case.h"
#include "harness/core/text.h"

namespace nsop {
namespace {

constexpr int kMostParts = 100;

// Of the key or the table's name that a line begins with; keys of inline tables are further on.
size_t key_length(const std::string& line) {
  return line.find('{') != std::string::npos ? line.size() : std::min(line.find('='), line.size());
}

}  // namespace

toml::table parse_toml(const std::string& text, const std::string& path) {
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    const auto parts =
        std::count(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(key_length(line)), '.');
    if (parts < kMostParts) continue;
    throw usage_error(fmt::format("{}:{}: a key of more than {} parts", path, number, kMostParts));
  }
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    throw usage_error(
        fmt::format("{}:{}: not TOML: {}", path, error.source().begin.line, error.description()));
  }
}

Error toml_error(const std::string& path, const toml::node& node, const std::string& message) {
  return usage_error(fmt::format("{}:{}: {}", path, node.source().begin.line, message));
}

TomlReader::TomlReader(const toml::table& table, std::string name, std::string path)
    : table_(table), name_(std::move(name)), path_(std::move(path)) {}

std::string TomlReader::text(const char* key, bool required) {
  const toml::node* node = find(key, required);
  if (node == nullptr) return {};
  const auto value = node->value_exact<std::string>();
  if (!value || value->empty()) throw wrong(*node, key, "text");
  return *value;
}

std::vector<std::string> TomlReader::texts(const char* key) {
  std::vector<std::string> values;
  each(key, "a list of texts", [&](const toml::node& item) {
    const auto value = item.value_exact<std::string>();
    if (!value) throw wrong(item, key, "a list of texts");
    values.push_back(*value);
  });
  return values;
}

std::vector<std::string> TomlReader::text_or_texts(const char* key) {
  const toml::node* node = table_.get(key);
  return node != nullptr && node->is_string() ? std::vector{text(key)} : texts(key);
}

std::vector<int> TomlReader::counts(const char* key, const std::vector<int>& absent) {
  std::vector<int> values;
  each(key, "a list of positive integers", [&](const toml::node& item) {
    const auto value = item.value_exact<int64_t>();
    if (!value || *value < 1 || *value > 4096) {
      throw wrong(item, key, "a list of positive integers");
    }
    values.push_back(static_cast<int>(*value));
  });
  return values.empty() ? absent : values;
}

int TomlReader::integer(const char* key, int least, int most, int absent) {
  const toml::node* node = find(key, false);
  if (node == nullptr) return absent;
  const auto value = node->value_exact<int64_t>();
  if (!value || *value < least || *value > most) {
    const std::string expected = fmt::format("a number from {} to {}", least, most);
    throw wrong(*node, key, expected.c_str());
  }
  return static_cast<int>(*value);
}

std::vector<int> TomlReader::integers(const char* key, int least, int most,
                                      const std::vector<int>& absent) {
  const toml::node* node = find(key, false);
  if (node == nullptr) return absent;
  if (!node->is_array()) return {integer(key, least, most, 0)};
  const std::string expected = fmt::format("numbers from {} to {}", least, most);
  std::vector<int> values;
  each(key, expected.c_str(), [&](const toml::node& item) {
    const auto value = item.value_exact<int64_t>();
    if (!value || *value < least || *value > most) throw wrong(item, key, expected.c_str());
    values.push_back(static_cast<int>(*value));
  });
  if (values.empty()) throw wrong(*node, key, expected.c_str());
  return values;
}

std::optional<double> TomlReader::positive(const char* key) {
  const toml::node* node = find(key, false);
  if (node == nullptr) return std::nullopt;
  const auto value = node->is_number() ? node->value<double>() : std::nullopt;
  if (!value || !(*value > 0)) throw wrong(*node, key, "a number above 0");
  return value;
}

std::string TomlReader::where(const char* key) const {
  return fmt::format("{}:{}", path_, table_.get(key)->source().begin.line);
}

void TomlReader::finish() const {
  for (const auto& [key, node] : table_) {
    const std::string name(key.str());
    if (asked_.contains(name)) continue;
    const std::vector<std::string> known(asked_.begin(), asked_.end());
    const auto hit = nearest(name, known);
    throw toml_error(
        path_, node,
        fmt::format("unknown key '{}' in {}{} (keys: {})", name, name_,
                    hit ? fmt::format("; did you mean '{}'?", *hit) : "", join(known, ", ")));
  }
}

const toml::node* TomlReader::find(const char* key, bool required) {
  asked_.insert(key);
  const toml::node* node = table_.get(key);
  if (node == nullptr && required) {
    throw toml_error(path_, table_,
                     fmt::format("{} lacks '{}', expected {} = \"...\"", name_, key, key));
  }
  return node;
}

Error TomlReader::wrong(const toml::node& node, const char* key, const char* expected) const {
  return toml_error(path_, node, fmt::format("{}: expected {} = {}", name_, key, expected));
}

}  // namespace nsop
