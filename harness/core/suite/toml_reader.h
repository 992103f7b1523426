// One table of a TOML file, read key by key.
#pragma once

#include <toml++/toml.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/core/error.h"

namespace nsop {

// A usage error `file:line: message` for a node of the file `path`.
Error toml_error(const std::string& path, const toml::node& node, const std::string& message);

// The whole file `path`. Throws Error (usage) with `file:line` for what is no TOML, and for keys of
// more than 100 parts, with which the parser would run out of stack.
toml::table parse_toml(const std::string& text, const std::string& path);

// Refers to the table: keep it alive. Every reader throws Error (usage) with `file:line` for a
// value of another type; finish() refuses whatever was not asked for.
class TomlReader {
 public:
  // `name` as messages call the table: `[[goals]]`.
  TomlReader(const toml::table& table, std::string name, std::string path);

  // Empty when absent; never empty when given.
  std::string text(const char* key, bool required = false);
  std::vector<std::string> texts(const char* key);
  std::vector<std::string> text_or_texts(const char* key);  // a text or a list of them
  std::vector<int> counts(const char* key, const std::vector<int>& absent);
  // A whole number within the limits.
  int integer(const char* key, int least, int most, int absent);
  // Such numbers: one, or a list of them.
  std::vector<int> integers(const char* key, int least, int most, const std::vector<int>& absent);
  // A number above 0; nothing when absent.
  std::optional<double> positive(const char* key);
  std::string where(const char* key) const;  // `file:line` of a key that is there
  // A key that the caller reads itself.
  void known(const char* key) { asked_.insert(key); }
  void finish() const;

 private:
  const toml::node* find(const char* key, bool required);
  Error wrong(const toml::node& node, const char* key, const char* expected) const;

  template <typename F>
  void each(const char* key, const char* expected, F visit) {
    const toml::node* node = find(key, false);
    if (node == nullptr) return;
    if (!node->is_array()) throw wrong(*node, key, expected);
    for (const toml::node& item : *node->as_array()) visit(item);
  }

  const toml::table& table_;
  std::string name_, path_;
  std::set<std::string> asked_;
};

}  // namespace nsop
