#include "harness/report/base/data/lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "harness/core/text.h"

namespace nsop::report {
namespace {

std::vector<std::string> words(std::string_view line) {
  std::vector<std::string> out;
  for (const std::string& word : split(line, ' ')) {
    if (!trim(word).empty()) out.push_back(trim(word));
  }
  return out;
}

// `0.50` and `.5` are the same number, and so are the ends of `-3.0:3` and `-3:3`.
std::string normalised_value(const std::string& value) {
  std::vector<std::string> parts = split(value, ':');
  for (std::string& part : parts) {
    char* end = nullptr;
    const double number = std::strtod(part.c_str(), &end);
    if (!part.empty() && *end == '\0') part = fmt::format("{}", number);
  }
  return join(parts, ":");
}

std::string append_word(const std::string& text, const std::string& word) {
  return text.empty() ? word : text + " " + word;
}

// Rows of one name, and how many of them have a word.
struct SameName {
  size_t rows = 0;
  std::map<std::string, size_t> rows_with;
};

// Gives each row the words that another row of the same name lacks.
void tell_apart(std::vector<CaseRow>& rows) {
  std::map<std::string, SameName> names;
  for (const CaseRow& row : rows) {
    SameName& same = names[row.name()];
    ++same.rows;
    const std::vector<std::string> own = words(row.text);
    for (const std::string& word : std::set<std::string>(own.begin(), own.end())) {
      ++same.rows_with[word];
    }
  }
  for (CaseRow& row : rows) {
    const SameName& same = names.at(row.name());
    for (const std::string& word : words(row.text)) {
      if (same.rows_with.at(word) < same.rows) row.differs = append_word(row.differs, word);
    }
  }
}

// Order of choice for `best`: what could run at all, then the widest ISA, then what isn't held.
std::tuple<bool, int, bool> place(const stats::RowSummary& row) {
  const std::string& target = row.row.target;
  return {row.status == Status::kUnsupported, target_rank(target),
          target != kHeldTo && is_target(target, kHeldTo)};
}

}  // namespace

int target_rank(const std::string& target) {
  static constexpr std::array<std::string_view, 19> kWidestFirst{
      "AVX10_2", "AVX3_SPR", "AVX3_ZEN4", "AVX3_DL", "AVX3",  "AVX2", "SSE4",
      "SSSE3",   "SSE2",     "SVE2_128",  "SVE_256", "SVE2",  "SVE",  "NEON_BF16",
      "NEON",    "PPC10",    "PPC9",      "EMU128",  "SCALAR"};
  const auto at = std::find(kWidestFirst.begin(), kWidestFirst.end(), target);
  return static_cast<int>(at - kWidestFirst.begin());
}

bool has_own_layout(const std::string& peer) { return peer.ends_with("_blocked"); }

std::string CaseRow::name() const {
  const std::string label = from->label.empty() ? case_op(text) : from->label;
  return from->operation.empty() ? label : label + " " + from->operation;
}

std::string CaseRow::full_name() const {
  const std::string plain = differs.empty() ? name() : name() + " " + differs;
  return threads == 1 ? plain : fmt::format("{}, {} threads", plain, threads);
}

std::string param(std::string_view case_text, std::string_view key) {
  const std::string prefix = std::string(key) + "=";
  for (const std::string& word : words(case_text)) {
    if (word.starts_with(prefix)) return word.substr(prefix.size());
  }
  return "";
}

std::string normalised(std::string_view case_text) {
  std::vector<std::string> parts = words(case_text);
  for (std::string& part : parts) {
    const size_t equals = part.find('=');
    if (equals == std::string::npos) continue;
    part = part.substr(0, equals + 1) + normalised_value(part.substr(equals + 1));
  }
  if (!parts.empty()) std::sort(parts.begin() + 1, parts.end());
  return join(parts, " ");
}

double element_count_of(std::string_view case_text) {
  const std::string shape = param(case_text, "n");
  if (shape.empty()) return 0;
  double count = 1;
  for (const std::string& extent : split(shape, 'x')) count *= std::strtod(extent.c_str(), nullptr);
  return count;
}

RunIndex::RunIndex(const std::vector<stats::RowSummary>& rows,
                   const std::set<std::pair<std::string, int>>& planned) {
  for (const auto& [text, threads] : planned) canonical_[normalised(text)] = text;
  for (const stats::RowSummary& row : rows) {
    rows_[row.row] = &row;
    canonical_[normalised(row.row.case_text)] = row.row.case_text;
  }
}

const stats::RowSummary* RunIndex::find(const RowKey& key) const {
  const auto it = rows_.find(key);
  return it == rows_.end() ? nullptr : it->second;
}

const stats::RowSummary* RunIndex::find(const std::string& case_text, const Selector& selector,
                                        int threads) const {
  const bool best = selector.target == "best";
  if (!best) {
    const auto* exact = find(RowKey{case_text, selector.variant, selector.target, threads});
    if (exact != nullptr) return exact;
  }
  const stats::RowSummary* widest = nullptr;
  for (auto it = rows_.lower_bound(RowKey{case_text, selector.variant, "", 0});
       it != rows_.end() && it->first.case_text == case_text &&
       it->first.variant == selector.variant;
       ++it) {
    if (it->first.threads != threads) continue;
    if (!best && !is_target(it->first.target, selector.target)) continue;
    const bool wider = !widest || place(*it->second) < place(*widest);
    if (wider) widest = it->second;
  }
  return widest;
}

std::string RunIndex::canonical(std::string_view line) const {
  const auto it = canonical_.find(normalised(line));
  return it == canonical_.end() ? "" : it->second;
}

std::vector<CaseRow> case_rows(const Suite& suite, const RunIndex& index) {
  std::vector<CaseRow> out;
  for (const SuiteCase& suite_case : suite.cases) {
    for (const std::string& line : expand_line(suite_case.line)) {
      const std::string canonical = index.canonical(line);
      for (int threads : suite_case.threads) {
        out.push_back(
            {&suite_case, canonical.empty() ? line : canonical, "", threads, !canonical.empty()});
      }
    }
  }
  tell_apart(out);
  return out;
}

bool left_out(const CaseRow& row, const Selector& selector) {
  const std::vector<Selector>& without = row.from->without;
  return std::find(without.begin(), without.end(), selector) != without.end();
}

}  // namespace nsop::report
