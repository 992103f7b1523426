#include "harness/core/suite.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "harness/core/error.h"
#include "harness/core/util.h"

namespace nsop {
namespace {

Error at(const std::string& path, const toml::node& node, const std::string& message) {
  return usage_error(fmt::format("{}:{}: {}", path, node.source().begin.line, message));
}

// One table of a suite file, read key by key; finish() refuses whatever was not asked for.
class Reader {
 public:
  Reader(const toml::table& table, std::string name, std::string path)
      : table_(table), name_(std::move(name)), path_(std::move(path)) {}

  std::string text(const char* key, bool required = false) {
    const toml::node* node = find(key, required);
    if (node == nullptr) return {};
    const auto value = node->value_exact<std::string>();
    if (!value || value->empty()) throw wrong(*node, key, "text");
    return *value;
  }

  std::vector<std::string> texts(const char* key) {
    std::vector<std::string> values;
    each(key, "a list of texts", [&](const toml::node& item) {
      const auto value = item.value_exact<std::string>();
      if (!value) throw wrong(item, key, "a list of texts");
      values.push_back(*value);
    });
    return values;
  }

  // A text or a list of them.
  std::vector<std::string> text_or_texts(const char* key) {
    const toml::node* node = table_.get(key);
    return node != nullptr && node->is_string() ? std::vector{text(key)} : texts(key);
  }

  std::vector<int> counts(const char* key, const std::vector<int>& absent) {
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

  std::string where(const char* key) const {
    return fmt::format("{}:{}", path_, table_.get(key)->source().begin.line);
  }

  void finish() const {
    for (const auto& [key, node] : table_) {
      const std::string name(key.str());
      if (asked_.contains(name)) continue;
      const std::vector<std::string> known(asked_.begin(), asked_.end());
      const auto hit = nearest(name, known);
      throw at(
          path_, node,
          fmt::format("unknown key '{}' in {}{} (keys: {})", name, name_,
                      hit ? fmt::format("; did you mean '{}'?", *hit) : "", join(known, ", ")));
    }
  }

 private:
  const toml::node* find(const char* key, bool required) {
    asked_.insert(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr && required) {
      throw at(path_, table_, fmt::format("{} lacks '{}', expected {} = \"...\"", name_, key, key));
    }
    return node;
  }

  template <typename F>
  void each(const char* key, const char* expected, F visit) {
    const toml::node* node = find(key, false);
    if (node == nullptr) return;
    if (!node->is_array()) throw wrong(*node, key, expected);
    for (const toml::node& item : *node->as_array()) visit(item);
  }

  Error wrong(const toml::node& node, const char* key, const char* expected) const {
    return at(path_, node, fmt::format("{}: expected {} = {}", name_, key, expected));
  }

  const toml::table& table_;
  std::string name_, path_;
  std::set<std::string> asked_;
};

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
  Reader reader(table, "[[cases]]", path);
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
  c.relative_to = reader.text("relative_to");
  c.note = reader.text("note");
  reader.finish();
  c.where = reader.where("case");
  if (c.operation.empty()) c.operation = default_operation(c.line);
  return c;
}

bool is_plain(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

void check_lists(const Suite& suite, const Reader& reader) {
  static const std::set<std::string> profiles = {"quick", "comprehensive", "full"};
  for (const std::string& peer : suite.peers) {
    if (is_plain(peer)) continue;
    throw usage_error(fmt::format("{}: peers: '{}' is no name of a library, expected e.g. numpy",
                                  reader.where("peers"), peer));
  }
  for (const std::string& profile : suite.profiles) {
    if (profiles.contains(profile)) continue;
    throw usage_error(fmt::format("{}: unknown profile '{}', expected quick, comprehensive or full",
                                  reader.where("profiles"), profile));
  }
}

void read_report(const toml::table& table, Suite& suite) {
  static const std::set<std::string> templates = {
      "before_after", "sweep", "matched", "peers", "limits", "threads", "tracking", "workload"};
  static const std::set<std::string> without_before = {"peers", "limits", "tracking"};
  Reader reader(table, "[report]", suite.path);
  suite.name = reader.text("name", true);
  suite.title = reader.text("title", true);
  suite.about = reader.text("about");
  suite.template_name = reader.text("template", true);
  const std::string before = reader.text("before", !without_before.contains(suite.template_name));
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
  reader.finish();
  check_lists(suite, reader);
  if (!templates.contains(suite.template_name)) {
    throw usage_error(fmt::format(
        "{}: unknown template '{}', expected before_after, sweep, matched, peers, limits, "
        "threads, tracking or workload",
        reader.where("template"), suite.template_name));
  }
  if (!is_plain(suite.name)) {
    throw usage_error(fmt::format("{}: name '{}' may hold letters, digits and _ only",
                                  reader.where("name"), suite.name));
  }
}

void read_goals(const toml::node& node, Suite& suite) {
  if (!node.is_array_of_tables()) throw at(suite.path, node, "expected [[goals]] tables");
  for (const toml::node& item : *node.as_array()) {
    Reader reader(*item.as_table(), "[[goals]]", suite.path);
    Goal goal;
    try {
      goal = parse_goal(reader.text("that", true));
    } catch (const Error& error) {
      throw at(suite.path, item, error.what());
    }
    goal.on = reader.text_or_texts("on");
    goal.threads = reader.counts("threads", {});
    goal.note = reader.text("note");
    reader.finish();
    goal.where = reader.where("that");
    if (goal.on.empty()) throw at(suite.path, item, "[[goals]] lacks 'on', a list of cases");
    suite.goals.push_back(std::move(goal));
  }
}

void read_thresholds(const toml::node& node, Suite& suite) {
  if (!node.is_array_of_tables()) throw at(suite.path, node, "expected [[thresholds]] tables");
  for (const toml::node& item : *node.as_array()) {
    Reader reader(*item.as_table(), "[[thresholds]]", suite.path);
    ThresholdSpec spec;
    spec.name = reader.text("name", true);
    spec.unit = reader.text("unit", true);
    spec.about = reader.text("about", true);
    spec.on = reader.text_or_texts("on");
    reader.finish();
    spec.where = reader.where("name");
    if (!is_plain(spec.name)) {
      throw at(suite.path, item, fmt::format("'{}' is no name of a constant", spec.name));
    }
    if (spec.unit != "elements" && spec.unit != "macs") {
      throw at(suite.path, item,
               fmt::format("unknown unit '{}', expected elements or macs", spec.unit));
    }
    if (spec.on.empty()) throw at(suite.path, item, "[[thresholds]] lacks 'on', a list of cases");
    suite.thresholds.push_back(std::move(spec));
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

Suite parse_suite(const std::string& text, const std::string& path) {
  toml::table root;
  try {
    root = toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    throw usage_error(
        fmt::format("{}:{}: not TOML: {}", path, error.source().begin.line, error.description()));
  }
  Suite suite;
  suite.path = path;
  for (const auto& [key, node] : root) {
    if (key != "report" && key != "cases" && key != "goals" && key != "thresholds") {
      throw at(path, node,
               fmt::format(
                   "unknown table '{}', expected [report], [[cases]], [[goals]] and [[thresholds]]",
                   key.str()));
    }
  }
  const toml::table* report = root["report"].as_table();
  const toml::array* cases = root["cases"].as_array();
  if (report == nullptr) throw usage_error(path + ":1: expected a [report] table");
  if (cases == nullptr || cases->empty()) {
    throw usage_error(path + ":1: expected at least one [[cases]] table");
  }
  read_report(*report, suite);
  for (const toml::node& node : *cases) {
    if (!node.is_table()) throw at(path, node, "expected a [[cases]] table");
    suite.cases.push_back(read_case(*node.as_table(), path));
  }
  check_relative_to(suite);
  if (const toml::node* goals = root.get("goals")) read_goals(*goals, suite);
  if (const toml::node* thresholds = root.get("thresholds")) read_thresholds(*thresholds, suite);
  return suite;
}

bool is_of_profile(const Suite& suite, const std::string& profile) {
  return suite.profiles.empty() ||
         std::find(suite.profiles.begin(), suite.profiles.end(), profile) != suite.profiles.end();
}

Suite load_suite(const std::string& path) { return parse_suite(read_file(path), path); }

std::vector<Suite> load_suites(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".toml") paths.push_back(entry.path().string());
  }
  if (error) throw usage_error(fmt::format("{}: no folder of suites: {}", folder, error.message()));
  if (paths.empty()) {
    throw usage_error(fmt::format("{}: no suite files there, expected <name>.toml", folder));
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Suite> suites;
  for (const std::string& path : paths) suites.push_back(load_suite(path));
  return suites;
}

}  // namespace nsop
