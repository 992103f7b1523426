// nsop list, a verb (verbs.h): what there is to measure, and what has been measured.
#include <fmt/format.h>

#include <set>

#include "harness/cli/session.h"
#include "harness/cli/text/table.h"
#include "harness/cli/verbs.h"
#include "harness/core/io/json.h"
#include "harness/core/text.h"
#include "harness/report/forms/forms.h"

namespace nsop::cli {
namespace {

struct ListOptions {
  std::string what = "cases", filter, tag;
  std::vector<std::string> suites;
};

void declare_list(CLI::App& verb, ListOptions& o) {
  verb.add_option("what", o.what, "cases, variants, suites, forms or runs")
      ->check(CLI::IsMember({"cases", "variants", "suites", "forms", "runs"}));
  verb.add_option("--filter", o.filter, "Only matching cases, e.g. 'conv2d pass=forward'");
  verb.add_option("--tag", o.tag, "Only cases with this tag");
  verb.add_option("--suite", o.suites, "Only these suites (repeatable)");
}

// Prints rows either as a table or as JSON objects keyed by the lower-case titles.
ExitCode show(Context& context, const std::string& what, const std::vector<Column>& columns,
              const std::vector<std::vector<std::string>>& rows) {
  if (context.json) {
    Json list = Json::array();
    for (const auto& row : rows) {
      Json one = Json::object();
      for (size_t c = 0; c < columns.size(); ++c) one[columns[c].title] = row[c];
      list.push_back(std::move(one));
    }
    context.out << Json{{"schema", "nsop.list/1"}, {what, std::move(list)}}.dump(2) << '\n';
    return ExitCode::kOk;
  }
  Table table(columns);
  for (const auto& row : rows) table.add(row);
  table.print(context.out);
  return ExitCode::kOk;
}

ExitCode list_cases(Context& context, const ListOptions& o) {
  const run::Programs programs = run::open_programs(program_places(context.settings));
  run::WorkerClient reference(programs.reference.timing, {}, 1);
  std::vector<std::vector<std::string>> rows;
  if (!context.settings.foreign.adapter.empty()) {
    const run::Plan plan = run::make_plan(
        run::listed_requests(programs.workers[0].hello, lines_of(context.settings, {})),
        programs.workers, reference, run::profile_named("manual"), 0);
    std::string last;
    for (const run::PlanRow& row : plan.rows) {  // those of a case are neighbours
      const std::string& text = row.key.case_text;
      if (text == last || (!o.filter.empty() && !case_matches(text, o.filter))) continue;
      rows.push_back({"", "", case_op(text), text, ""});
      last = text;
    }
    return show(context, "cases", {{"suite"}, {"label"}, {"operation"}, {"case"}, {"tags"}}, rows);
  }
  for (const Suite& suite : named_suites(context.settings, o.suites)) {
    for (const SuiteCase& c : suite.cases) {
      if (!o.tag.empty() && std::find(c.tags.begin(), c.tags.end(), o.tag) == c.tags.end())
        continue;
      const run::Plan plan = run::make_plan({{c.line, c.where, {}, {1}}}, programs.workers,
                                            reference, run::profile_named("manual"), 0);
      for (const auto& [text, description] : plan.cases) {
        if (!o.filter.empty() && !case_matches(text, o.filter)) continue;
        rows.push_back({suite.name, c.label, c.operation, text, join(c.tags, ",")});
      }
    }
  }
  return show(context, "cases", {{"suite"}, {"label"}, {"operation"}, {"case"}, {"tags"}}, rows);
}

const char* role_text(Role role) {
  if (role == Role::kProbe) return "probe";
  return role == Role::kOurs ? "ours" : role == Role::kBefore ? "before" : "peer";
}

ExitCode list_variants(Context& context, const ListOptions&) {
  std::vector<std::vector<std::string>> rows;
  const run::Programs programs = run::open_all_programs(program_places(context.settings));
  for (const run::Worker& worker : programs.workers) {
    for (const run::VariantInfo& v : worker.hello.variants) {
      rows.push_back({v.op, v.name, role_text(v.role), join(v.targets, ","), v.summary});
    }
  }
  for (const auto& [peer, why] : programs.missing) context.note(why);
  std::sort(rows.begin(), rows.end());
  return show(context, "variants", {{"op"}, {"variant"}, {"role"}, {"targets"}, {"what it is"}},
              rows);
}

ExitCode list_suites(Context& context, const ListOptions& o) {
  std::vector<std::vector<std::string>> rows;
  for (const Suite& s : named_suites(context.settings, o.suites)) {
    rows.push_back({s.name, s.form, s.before.text(), s.after.text(),
                    fmt::format("{}", s.cases.size()), s.title});
  }
  return show(context, "suites",
              {{"suite"}, {"form"}, {"before"}, {"after"}, {"lines", true}, {"title"}}, rows);
}

ExitCode list_forms(Context& context) {
  std::vector<std::vector<std::string>> rows;
  for (const report::Form* form : report::kForms) {
    rows.push_back({form->name, form->needs_before ? "yes" : "no", form->about});
  }
  return show(context, "forms", {{"form"}, {"needs before"}, {"what it shows"}}, rows);
}

ExitCode list_runs(Context& context, const ListOptions&) {
  std::vector<std::vector<std::string>> rows;
  for (const store::RunSummary& s : open_for_reading(context.settings).runs()) {
    std::vector<std::string> commits;
    for (const std::string& commit : s.commits) commits.push_back(commit.substr(0, 10));
    rows.push_back({short_id(s.run.id), s.run.started_utc, run_state_text(s.run.state),
                    s.run.profile, s.run.origin, join(commits, ","), fmt::format("{}", s.ok),
                    fmt::format("{}", s.not_ok), join(s.baselines, ","), s.cpu_model});
  }
  return show(context, "runs",
              {{"run"},
               {"started"},
               {"state"},
               {"profile"},
               {"origin"},
               {"commit"},
               {"ok", true},
               {"not ok", true},
               {"baselines"},
               {"host"}},
              rows);
}

ExitCode list_verb(Context& context, const ListOptions& o) {
  if (o.what == "variants") return list_variants(context, o);
  if (o.what == "suites") return list_suites(context, o);
  if (o.what == "forms") return list_forms(context);
  if (o.what == "runs") return list_runs(context, o);
  return list_cases(context, o);
}

}  // namespace

void bind_list(CLI::App& verb, Context& context) {
  bind_verb<ListOptions>(verb, context, declare_list, list_verb);
}

}  // namespace nsop::cli
