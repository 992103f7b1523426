#include "harness/core/suite/suite.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/suite/suite_parts.h"
#include "harness/core/suite/toml_reader.h"
#include "harness/core/text.h"

namespace nsop {
namespace {

std::string default_operation(const std::string& line) {
  static const std::map<std::string, std::string> names = {
      {"pass=forward", "Forward"},
      {"pass=backward", "Backward"},
      {"pass=backward_data", "Backward data"},
      {"pass=backward_weights", "Backward weights"}};
  for (const std::string& word : split(line, ' ')) {
    if (const auto it = names.find(word); it != names.end()) return it->second;
  }
  return {};
}

SuiteCase read_case(const toml::table& table, const std::string& path) {
  TomlReader reader(table, "[[cases]]", path);
  SuiteCase c;
  c.label = reader.text("label", true);
  c.line = reader.text("case", true);
  c.operation = reader.text("operation");
  c.section = reader.text("section");
  c.tags = reader.texts("tags");
  c.threads = reader.counts("threads", {1});
  for (const std::string& text : reader.texts("variants")) {
    c.variants.push_back(Selector::parse(text));
  }
  for (const std::string& text : reader.texts("without")) {
    c.without.push_back(Selector::parse(text));
  }
  c.relative_to = reader.text("relative_to");
  c.note = reader.text("note");
  c.shortcut = reader.text("shortcut");
  reader.finish();
  c.where = reader.where("case");
  if (c.operation.empty()) c.operation = default_operation(c.line);
  return c;
}

void check_lists(const Suite& suite, const TomlReader& reader) {
  static const std::set<std::string> profiles = {"quick", "comprehensive", "full"};
  for (const std::string& peer : suite.peers) {
    if (is_plain_name(peer)) continue;
    throw usage_error(fmt::format("{}: peers: '{}' is no name of a library, expected e.g. numpy",
                                  reader.where("peers"), peer));
  }
  for (const std::string& profile : suite.profiles) {
    if (profiles.contains(profile)) continue;
    throw usage_error(fmt::format("{}: unknown profile '{}', expected quick, comprehensive or full",
                                  reader.where("profiles"), profile));
  }
}

const SuiteForm* find_form(const SuiteForms& forms, const std::string& name) {
  for (const SuiteForm& form : forms) {
    if (form.name == name) return &form;
  }
  return nullptr;
}

void read_report(const toml::table& table, const SuiteForms& forms, Suite& suite) {
  TomlReader reader(table, "[report]", suite.path);
  suite.name = reader.text("name", true);
  suite.title = reader.text("title", true);
  suite.about = reader.text("about");
  suite.form = reader.text("form");
  const char* const key = suite.form.empty() ? "template" : "form";
  if (suite.form.empty()) suite.form = reader.text(key);  // of suites of earlier commits
  if (suite.form.empty()) reader.text("form", true);
  const SuiteForm* form = find_form(forms, suite.form);
  const std::string before =
      reader.text("before", form != nullptr ? form->needs_before : !forms.empty());
  if (!before.empty()) suite.before = Selector::parse(before);
  suite.after = Selector::parse(reader.text("after", true));
  for (const std::string& text : reader.texts("also")) suite.also.push_back(Selector::parse(text));
  for (const std::string& text : reader.texts("beside")) {
    suite.beside.push_back(Selector::parse(text));
  }
  suite.targets = reader.texts("targets");
  suite.peers = reader.texts("peers");
  suite.releases = reader.texts("releases");
  suite.profiles = reader.texts("profiles");
  suite.most_sd_percent = reader.positive("most_sd_percent");
  reader.finish();
  check_lists(suite, reader);
  if (form == nullptr && !forms.empty()) {
    throw usage_error(fmt::format("{}: unknown form '{}', expected {}", reader.where(key),
                                  suite.form, one_of(forms)));
  }
  if (!is_plain_name(suite.name)) {
    throw usage_error(fmt::format("{}: name '{}' may hold letters, digits and _ only",
                                  reader.where("name"), suite.name));
  }
}

void check_relative_to(const Suite& suite) {
  for (const SuiteCase& c : suite.cases) {
    const auto is_it = [&](const SuiteCase& o) {
      return o.label == c.relative_to && o.operation == c.operation;
    };
    if (!c.relative_to.empty() && std::none_of(suite.cases.begin(), suite.cases.end(), is_it)) {
      throw usage_error(fmt::format("{}: relative_to = \"{}\" names no row with operation {}",
                                    c.where, c.relative_to, c.operation));
    }
  }
}

}  // namespace

std::string one_of(const SuiteForms& forms) {
  std::string out;
  for (size_t i = 0; i < forms.size(); ++i) {
    if (i > 0) out += i + 1 < forms.size() ? ", " : " or ";
    out += forms[i].name;
  }
  return out;
}

Suite parse_suite(const std::string& text, const std::string& path, const SuiteForms& forms) {
  const toml::table root = parse_toml(text, path);
  Suite suite;
  suite.path = path;
  static const std::set<std::string_view> tables = {"report", "cases", "goals", "reasons",
                                                    "thresholds"};
  for (const auto& [key, node] : root) {
    if (tables.contains(key.str())) continue;
    throw toml_error(path, node,
                     fmt::format("unknown table '{}', expected [report], [[cases]], [[goals]], "
                                 "[[reasons]] and [[thresholds]]",
                                 key.str()));
  }
  const toml::table* report = root["report"].as_table();
  const toml::array* cases = root["cases"].as_array();
  if (report == nullptr) throw usage_error(path + ":1: expected a [report] table");
  if (cases == nullptr || cases->empty()) {
    throw usage_error(path + ":1: expected at least one [[cases]] table");
  }
  read_report(*report, forms, suite);
  for (const toml::node& node : *cases) {
    if (!node.is_table()) throw toml_error(path, node, "expected a [[cases]] table");
    suite.cases.push_back(read_case(*node.as_table(), path));
  }
  check_relative_to(suite);
  read_goals(root, suite);
  read_reasons(root, suite);
  read_thresholds(root, suite);
  return suite;
}

bool is_of_profile(const Suite& suite, const std::string& profile) {
  return suite.profiles.empty() ||
         std::find(suite.profiles.begin(), suite.profiles.end(), profile) != suite.profiles.end();
}

Suite load_suite(const std::string& path, const SuiteForms& forms) {
  return parse_suite(read_file(path), path, forms);
}

std::vector<Suite> load_suites(const std::string& folder, const SuiteForms& forms) {
  std::error_code error;
  std::vector<std::string> paths;
  for (const auto& entry : entries_of(folder, error)) {
    if (entry.path().extension() == ".toml") paths.push_back(entry.path().string());
  }
  if (error) throw usage_error(fmt::format("{}: no folder of suites: {}", folder, error.message()));
  if (paths.empty()) {
    throw usage_error(fmt::format("{}: no suite files there, expected <name>.toml", folder));
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Suite> suites;
  for (const std::string& path : paths) suites.push_back(load_suite(path, forms));
  return suites;
}

}  // namespace nsop
