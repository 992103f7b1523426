// The case grammar: `op key=value key=value ...`, one line of text that identifies what is
// measured.
//
// A value may be a comma sweep (`n=100,1000`); expand() turns one line into all combinations, the
// last key varying fastest. Every key of the op must be given: there are no defaults, so an id
// never changes its meaning. A key that was added to an op later declares the value that its
// absence stands for, and is left out of the canonical text when it has that value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nsop {

enum class ParamKind {
  kCount,   // positive integer: `n=1000`
  kIndex,   // integer >= 0: `p=0`
  kFlag,    // 0 or 1
  kNumber,  // finite decimal number
  kShape,   // positive integers joined by x: `in=8x64x32x32`
  kRange,   // lo:hi, two finite decimal numbers, lo < hi: `range=-3:3`
  kChoice,  // one of `choices`
};

// One key of an op.
struct ParamSpec {
  std::string name;
  ParamKind kind = ParamKind::kCount;
  std::vector<std::string> choices;   // kChoice only
  int rank = 0;                       // kShape only: how many dimensions; 0 = any
  std::optional<std::string> absent;  // the value that leaving the key out stands for
};

// What a parser must know of an op; plain data, so that it can travel through the worker protocol.
struct OpSpec {
  std::string name;
  std::string summary;  // one sentence
  std::vector<ParamSpec> params;
};

// A parsed, validated and canonical case. Values are kept as canonical text in the op's key order,
// keys with their absent value included.
class Case {
 public:
  // Parses one line without sweeps. Throws Error (usage) that names the key and what was expected.
  static Case parse(std::string_view line, const OpSpec& spec);

  const std::string& op() const { return op_; }
  // The identity: `op key=value ...` in the op's order, absent values left out.
  const std::string& text() const { return text_; }

  // Value access by key; the key must be one of the op's (assert).
  const std::string& str(std::string_view key) const;
  int64_t integer(std::string_view key) const;
  double number(std::string_view key) const;
  bool flag(std::string_view key) const { return integer(key) != 0; }
  std::vector<int64_t> shape(std::string_view key) const;
  std::pair<double, double> range(std::string_view key) const;
  bool has(std::string_view key) const;
  const std::vector<std::pair<std::string, std::string>>& values() const { return values_; }

  bool operator==(const Case& o) const { return text_ == o.text_; }
  bool operator<(const Case& o) const { return text_ < o.text_; }

 private:
  std::string op_;
  std::string text_;
  std::vector<std::pair<std::string, std::string>> values_;
};

// The first word of a case line (its op). Throws Error (usage) on an empty line.
std::string case_op(std::string_view line);

// All cases of a line with comma sweeps, in order; duplicates, and more than 10,000, are an error.
std::vector<Case> expand_cases(std::string_view line, const OpSpec& spec);

// Does `text` (canonical) match `pattern`: same op (or `*`), and every `key=value` of the pattern
// is in the text, `*` in a value matching any run of characters: `tanh pass=forward n=*`.
bool case_matches(std::string_view text, std::string_view pattern);

// The candidate nearest to `word` by edit distance, if near enough to be a likely typing mistake.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

}  // namespace nsop
