#include "harness/cli/text/run_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/cli/text/summary_table.h"
#include "harness/cli/text/table.h"
#include "harness/core/text.h"

namespace nsop::cli {
namespace {

constexpr size_t kMostCauses = 3;
constexpr size_t kMostSlow = 3;  // rows that a suite names

// The headline without its worst row, which stands first in the line below it.
std::string counts_of(const Json& report) {
  const std::string headline = report["headline"];
  return headline.substr(0, headline.find("; worst: "));
}

const Json* slower_table(const Json& report) {
  for (const Json& section : report["sections"]) {
    for (const Json& table : section["tables"]) {
      const bool gaps = table["columns"].size() > 4 && table["columns"][4]["id"] == "gap";
      if (gaps) return &table;
    }
  }
  return nullptr;
}

// `Add n=100, 12.3 % more time than eigen; ...`
std::string slowest_of(const Json& report) {
  const Json* table = slower_table(report);
  if (table == nullptr) return "";
  std::string text;
  const size_t rows = (*table)["rows"].size();
  for (size_t i = 0; i < std::min(rows, kMostSlow); ++i) {
    const Json& cells = (*table)["rows"][i]["cells"];
    text += fmt::format("{}{}, {} than {}", i == 0 ? "" : "; ", cells[0]["text"].get<std::string>(),
                        cells[4]["text"].get<std::string>(), cells[2]["text"].get<std::string>());
  }
  return rows > kMostSlow ? fmt::format("{}; and {} more", text, rows - kMostSlow) : text;
}

// Why rows have no time, in one line, the cause of most rows first; empty: all have one.
// `failures`: also of those that failed.
std::string not_measured(const report::RunData& data, bool failures) {
  std::map<std::string, std::vector<const stats::RowSummary*>> causes;
  size_t rows = 0;
  for (const stats::RowSummary& row : data.rows) {
    const bool failed = row.status != Status::kUnsupported;
    if (row.status == Status::kOk || (failed && !failures)) continue;
    causes[(failed ? status_text(row.status) + ": " : "") + row.reason].push_back(&row);
    ++rows;
  }
  if (rows == 0) return "";
  std::vector<std::pair<std::string, std::vector<const stats::RowSummary*>>> sorted(causes.begin(),
                                                                                    causes.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  sorted.resize(std::min(sorted.size(), kMostCauses));
  std::vector<std::string> said;
  size_t left = rows;
  for (const auto& [cause, of] : sorted) {
    const stats::RowSummary& first = *of.front();
    const bool named = of.size() == 1 && first.status != Status::kUnsupported;
    const std::string count = of.size() == rows ? "" : fmt::format("{} ", of.size());
    said.push_back(count + printable((named ? first.row.text() + ": " : "") + cause));
    left -= of.size();
  }
  if (left > 0) said.push_back(fmt::format("and {} more", left));
  return fmt::format("not measured: {} row{}: {}", rows, rows == 1 ? "" : "s", join(said, "; "));
}

// What the terminal says of a suite: a line of counts, what else heads its report and, where rows
// are slower, a line of these.
struct SuiteLines {
  std::string name, counts;
  std::vector<std::string> head;
  std::string slower;
};

SuiteLines lines_of(const Json& report) {
  const std::string name = report["name"], slowest = slowest_of(report);
  SuiteLines lines{name,
                   fmt::format("{}: {}", name, printable(counts_of(report))),
                   {},
                   slowest.empty() ? "" : fmt::format("  slower: {}", printable(slowest))};
  for (const Json& line : report["head"]) {
    lines.head.push_back("  " + printable(line.get<std::string>()));
  }
  return lines;
}

// How many of the parts fit when each is taken whole, in their order, while there is `room` (which
// shrinks): a part that doesn't fit ends it.
size_t fitting(const std::vector<size_t>& parts, size_t& room) {
  size_t n = 0;
  for (; n < parts.size() && parts[n] <= room; ++n) room -= parts[n];
  return n;
}

// The lines of the suites, at most `room` of them (at least 1): first the counts of every suite,
// then slower rows, then heads, suite by suite, while there is room. A last line says what is left
// out.
std::vector<std::string> fitted(const std::vector<SuiteLines>& suites, size_t room) {
  std::vector<size_t> counts(suites.size(), 1), slower, heads;
  size_t all = suites.size();
  for (const SuiteLines& one : suites) {
    slower.push_back(one.slower.empty() ? 0 : 1);
    heads.push_back(one.head.size());
    all += slower.back() + heads.back();
  }
  if (all > room) --room;
  const size_t shown = fitting(counts, room);
  slower.resize(shown);
  heads.resize(shown);
  const size_t with_slower = fitting(slower, room), with_head = fitting(heads, room);
  std::vector<std::string> lines, unshown, without_slower;
  size_t without_head = 0;
  for (size_t i = 0; i < suites.size(); ++i) {
    const SuiteLines& one = suites[i];
    if (i >= shown) {
      unshown.push_back(one.name);
      continue;
    }
    lines.push_back(one.counts);
    if (i < with_head) lines.insert(lines.end(), one.head.begin(), one.head.end());
    if (i >= with_head && !one.head.empty()) ++without_head;
    if (one.slower.empty()) continue;
    if (i < with_slower) {
      lines.push_back(one.slower);
    } else {
      without_slower.push_back(one.name);
    }
  }
  std::vector<std::string> said;
  if (!unshown.empty()) said.push_back("suites " + join(unshown, ", "));
  if (!without_slower.empty()) said.push_back("slower rows of " + join(without_slower, ", "));
  if (without_head > 0) said.push_back(fmt::format("the rest of {} heads", without_head));
  if (!said.empty()) lines.push_back("not shown here, but in the reports: " + join(said, "; "));
  return lines;
}

}  // namespace

void print_suites(Context& context, const std::vector<Json>& reports, const report::RunData& data) {
  std::vector<std::string> last;
  const std::string missing = not_measured(data, true);
  if (!missing.empty()) last.push_back(missing);
  last.push_back(
      fmt::format("reports: nsop report @last writes them into {}; all rows here: --rows",
                  context.settings.reports));
  std::vector<SuiteLines> blocks;
  for (const Json& report : reports) blocks.push_back(lines_of(report));
  for (const std::string& line : fitted(blocks, kMostLines - last.size())) {
    context.out << line << '\n';
  }
  for (const std::string& line : last) context.out << line << '\n';
}

void print_rows(Context& context, const report::RunData& data) {
  constexpr size_t kRows = kMostLines - 3;  // head, what is left out, what has no time
  report::RunData measured = data;
  std::erase_if(measured.rows,
                [](const stats::RowSummary& row) { return row.status == Status::kUnsupported; });
  const size_t all = measured.rows.size();
  if (all > kRows) measured.rows.resize(kRows);
  print_table(context, measured);
  if (all > kRows) {
    context.out << fmt::format("and {} more rows; --rows shows all\n", all - kRows);
  }
  const std::string missing = not_measured(data, false);
  if (!missing.empty()) context.out << missing << '\n';
}

}  // namespace nsop::cli
