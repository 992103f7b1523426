#include "harness/cli/text/run_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/cli/text/summary_table.h"
#include "harness/cli/text/table.h"
#include "harness/core/text.h"
#include "harness/report/model.h"

namespace nsop::cli {
namespace {

constexpr size_t kMostReasons = 5;
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

// Why rows have no time, the reason of most rows first: a line each. `failures`: also of those that
// failed.
std::vector<std::string> reasons(const report::RunData& data, bool failures) {
  std::map<std::string, size_t> rows;
  for (const stats::RowSummary& row : data.rows) {
    const bool failed = row.status != Status::kUnsupported;
    if (row.status == Status::kOk || (failed && !failures)) continue;
    const std::string who = failed ? row.row.text() + ": " : "";
    ++rows[who + (failed ? status_text(row.status) + ": " : "") + row.reason];
  }
  std::vector<std::pair<std::string, size_t>> sorted(rows.begin(), rows.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> lines;
  size_t others = 0;
  for (const auto& [reason, count] : sorted) {
    if (lines.size() == kMostReasons) {
      others += count;
      continue;
    }
    lines.push_back(
        fmt::format("not measured: {} row{}: {}", count, count == 1 ? "" : "s", printable(reason)));
  }
  if (others > 0) {
    lines.push_back(fmt::format("not measured: {} rows for {} other reasons", others,
                                sorted.size() - kMostReasons));
  }
  return lines;
}

// What the terminal says of a suite: a line of counts and, where rows are slower, one of these.
struct SuiteLines {
  std::string name, counts, slower;
};

SuiteLines lines_of(const Suite& suite, const report::RunData& data,
                    const std::optional<report::RunData>& limits) {
  const Json report = report::build_report(suite, data, std::nullopt, limits);
  const std::string slowest = slowest_of(report);
  return {suite.name, fmt::format("{}: {}", suite.name, printable(counts_of(report))),
          slowest.empty() ? "" : fmt::format("  slower: {}", printable(slowest))};
}

// The lines of the suites, at most `room` of them (at least 1): first the counts of every suite,
// then slower rows, suite by suite, while there is room. A last line names what is left out.
std::vector<std::string> fitted(const std::vector<SuiteLines>& suites, size_t room) {
  const auto has_slower = [](const SuiteLines& one) { return !one.slower.empty(); };
  const auto slower = std::count_if(suites.begin(), suites.end(), has_slower);
  if (suites.size() + static_cast<size_t>(slower) > room) --room;
  const size_t shown = std::min(suites.size(), room);
  size_t left = room - shown;
  std::vector<std::string> lines, unshown, without_slower;
  for (size_t i = 0; i < suites.size(); ++i) {
    const SuiteLines& one = suites[i];
    if (i >= shown) {
      unshown.push_back(one.name);
      continue;
    }
    lines.push_back(one.counts);
    if (one.slower.empty()) continue;
    if (left == 0) {
      without_slower.push_back(one.name);
    } else {
      lines.push_back(one.slower);
      --left;
    }
  }
  std::vector<std::string> said;
  if (!unshown.empty()) said.push_back("suites " + join(unshown, ", "));
  if (!without_slower.empty()) said.push_back("slower rows of " + join(without_slower, ", "));
  if (!said.empty()) lines.push_back("not shown here, but in the reports: " + join(said, "; "));
  return lines;
}

}  // namespace

void print_suites(Context& context, const std::vector<Suite>& suites, const report::RunData& data,
                  const std::optional<report::RunData>& limits) {
  std::vector<std::string> last = reasons(data, true);
  last.push_back(
      fmt::format("reports: nsop report @last writes them into {}; all rows here: --rows",
                  context.settings.reports));
  std::vector<SuiteLines> blocks;
  for (const Suite& suite : suites) blocks.push_back(lines_of(suite, data, limits));
  for (const std::string& line : fitted(blocks, kMostLines - last.size())) {
    context.out << line << '\n';
  }
  for (const std::string& line : last) context.out << line << '\n';
}

void print_rows(Context& context, const report::RunData& data) {
  constexpr size_t kRows = kMostLines - kMostReasons - 4;  // head, rule, what is left out
  report::RunData measured = data;
  std::erase_if(measured.rows,
                [](const stats::RowSummary& row) { return row.status == Status::kUnsupported; });
  const size_t all = measured.rows.size();
  if (all > kRows) measured.rows.resize(kRows);
  print_table(context, measured);
  if (all > kRows) {
    context.out << fmt::format("and {} more rows; --rows shows all\n", all - kRows);
  }
  for (const std::string& line : reasons(data, false)) context.out << line << '\n';
}

}  // namespace nsop::cli
