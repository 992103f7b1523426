#include "harness/report/forms/release_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "harness/report/base/cells.h"
#include "harness/report/base/footer.h"
#include "harness/report/base/head/previous_line.h"
#include "harness/report/base/table.h"

namespace nsop::report {
namespace {

// How to put a release into the log that nobody measured on this host.
std::string how_to_measure(const Context& context, const Release& release) {
  return fmt::format("Not measured on this host: `nsop run --suite {} --revision {}`.",
                     context.suite().name, release.commit);
}

// The heading that the changelog has a change under (`Added`, ...), which it begins with; or empty.
std::string kind_of(const std::string& change) {
  const std::string word = change.substr(0, change.find(' '));
  return word.ends_with(':') ? word : "";
}

// The first changes of each kind, taken in turn, in the changelog's order; it holds the others.
std::vector<std::string> shown_changes(const std::vector<std::string>& changes) {
  constexpr size_t kMost = 30;
  if (changes.size() <= kMost) return changes;
  std::map<std::string, size_t> of_kind;
  std::vector<std::pair<size_t, size_t>> turns;  // of each change: its place in its kind, in all
  for (size_t i = 0; i < changes.size(); ++i) {
    turns.emplace_back(of_kind[kind_of(changes[i])]++, i);
  }
  std::sort(turns.begin(), turns.end());
  turns.resize(kMost);
  std::sort(turns.begin(), turns.end(), [](auto& a, auto& b) { return a.second < b.second; });
  std::vector<std::string> shown;
  for (const auto& [turn, i] : turns) shown.push_back(changes[i]);
  shown.push_back(fmt::format("And {} more: CHANGELOG.md.", changes.size() - kMost));
  return shown;
}

// Which run stands for a release; why it is kept, where any release's is for a reason.
Columns release_columns(const Context& context, const Release& release) {
  Columns columns{
      {"run", "Run", "left", [&](const RowView&) { return code_cell(release.data.run.id); }},
      {"commit", "Commit", "left",
       [&](const RowView&) { return code_cell(commits_text(release.data)); }},
      {"host", "Host", "left",
       [&](const RowView&) { return text_cell(release.data.host.cpu_model); }}};
  const std::span<const Release> all = context.releases();
  const bool has_reasons =
      std::any_of(all.begin(), all.end(), [](const Release& one) { return !one.reason.empty(); });
  if (has_reasons) {
    columns.push_back({"reason", "Why it is kept", "left", [&](const RowView&) {
                         return text_cell(release.reason.empty() ? "-" : release.reason);
                       }});
  }
  return columns;
}

}  // namespace

Json plain_section(const std::string& title, const Json& table) {
  Json out;
  out["title"] = title;
  out["notes"] = Json::array();
  out["tables"] = Json::array({table});
  out["plots"] = Json::array();
  return out;
}

Json change_sections(const Context& context) {
  Json sections = Json::array();
  for (const Release& release : context.releases()) {
    SuiteCase named;
    named.label = release.name;
    const CaseRow row{&named, "", "", 1, false};
    RowView view;
    view.row = &row;
    const std::string when =
        release.measured() ? "measured " + day_of(release.data.run) : "not measured";
    Json section = plain_section(fmt::format("Changes in {}, {}", release.name, when),
                                 make_table("", release_columns(context, release), {view}));
    if (!release.measured()) section["tables"] = Json::array();
    section["notes"] = shown_changes(release.changes);
    if (release.changes.empty()) section["notes"] = {"The changelog says nothing of it."};
    if (!release.measured()) {
      section["notes"].insert(section["notes"].begin(), how_to_measure(context, release));
    }
    sections.push_back(std::move(section));
  }
  return sections;
}

}  // namespace nsop::report
