#include "harness/report/site/judge.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "harness/audit/read/document.h"
#include "harness/core/files.h"

namespace nsop::report {
namespace {

// The sentence that counts the targets: `2 missed, 14 met ... of 21 targets.`
std::string conclusion_of(const audit::Document& document) {
  for (const audit::Statement& statement : document.statements) {
    const bool counts = statement.text.find(" met") != std::string::npos &&
                        statement.text.find(" targets") != std::string::npos;
    if (counts) return statement.text;
  }
  return "";
}

// The charts of the scores beside the page; of an earlier version there are none.
Json charts_beside(const std::string& page) {
  const std::string scores = std::filesystem::path(page).replace_extension(".json").string();
  if (!std::filesystem::exists(scores)) return Json::array();
  const Json judge = parse_json(read_file(scores), scores);
  return judge.is_object() ? judge.value("charts", Json::array()) : Json::array();
}

}  // namespace

Json judge_json(const std::string& path) {
  if (!std::filesystem::exists(path)) return nullptr;
  const audit::Document document = audit::read_document(read_file(path, audit::kMostBytes));
  Json tables = Json::array();
  std::map<std::string, int> seen;
  for (const audit::Table& table : document.tables) {
    if (table.header.empty()) continue;
    const int nth = ++seen[table.heading];
    Json rows = Json::array();
    for (const audit::Row& row : table.rows) rows.push_back(row.cells);
    tables.push_back(
        {{"caption", nth == 1 ? table.heading : fmt::format("{} ({})", table.heading, nth)},
         {"columns", table.header},
         {"rows", std::move(rows)}});
  }
  return {{"conclusion", conclusion_of(document)},
          {"tables", std::move(tables)},
          {"charts", charts_beside(path)}};
}

}  // namespace nsop::report
