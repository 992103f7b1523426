#include "harness/core/suite/suite_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>

#include "harness/core/error.h"
#include "harness/core/suite/toml_reader.h"
#include "harness/core/text.h"

namespace nsop {
namespace {

constexpr size_t kLongestReason = 900;

// Calls `read` with every table of the array `[[name]]`, if there is one.
void each_table(const toml::table& root, const std::string& name, const Suite& suite,
                const std::function<void(const toml::table&)>& read) {
  const toml::node* node = root.get(name);
  if (node == nullptr) return;
  if (!node->is_array_of_tables()) {
    throw toml_error(suite.path, *node, fmt::format("expected [[{}]] tables", name));
  }
  for (const toml::node& item : *node->as_array()) read(*item.as_table());
}

void require_on(const std::vector<std::string>& on, const char* name, const Suite& suite,
                const toml::table& table) {
  if (!on.empty()) return;
  throw toml_error(suite.path, table, fmt::format("[[{}]] lacks 'on', a list of cases", name));
}

Goal read_goal(const toml::table& table, const Suite& suite) {
  TomlReader reader(table, "[[goals]]", suite.path);
  Goal goal;
  try {
    goal = parse_goal(reader.text("that", true));
  } catch (const Error& error) {
    throw toml_error(suite.path, table, error.what());
  }
  const bool metric = goal.kind == Goal::Kind::kMetric;
  if (metric && goal.subject.variant.empty()) goal.subject = suite.after;
  goal.on = reader.text_or_texts("on");
  goal.threads = reader.counts("threads", {});
  goal.note = reader.text("note");
  goal.source = reader.text("source");
  reader.finish();
  goal.where = reader.where("that");
  require_on(goal.on, "goals", suite, table);
  return goal;
}

Reason read_reason(const toml::table& table, const Suite& suite) {
  TomlReader reader(table, "[[reasons]]", suite.path);
  Reason reason;
  reason.on = reader.text_or_texts("on");
  for (const std::string& goal : reader.text_or_texts("goals")) {
    try {
      reason.goals.push_back(parse_goal(goal).that);
    } catch (const Error& error) {
      throw toml_error(suite.path, table, error.what());
    }
  }
  reason.threads = reader.counts("threads", {});
  reason.why = reader.text("why", true);
  reason.tried = reader.text("tried");
  reader.finish();
  reason.where = reader.where("why");
  if (reason.why.size() + reason.tried.size() > kLongestReason) {
    throw usage_error(
        fmt::format("{}: [[reasons]]: 'why' and 'tried' may have {} characters "
                    "together, a report cuts what is longer",
                    reason.where, kLongestReason));
  }
  require_on(reason.on, "reasons", suite, table);
  return reason;
}

// Is there a row that this pattern names and of which the reason, or one of its goals, speaks?
bool names_a_row(const Suite& suite, const Reason& reason, const std::string& pattern) {
  const auto is_it = [&](const std::string& line, int threads) {
    if (!case_matches(line, pattern)) return false;
    return reason_is_of_row(reason, line, threads) ||
           std::any_of(suite.goals.begin(), suite.goals.end(), [&](const Goal& goal) {
             return goal_applies(goal, line, threads) &&
                    reason_applies(reason, goal, line, threads);
           });
  };
  for (const SuiteCase& one : suite.cases) {
    for (const std::string& line : expand_line(one.line)) {
      for (const int threads : one.threads) {
        if (is_it(line, threads)) return true;
      }
    }
  }
  return false;
}

void check_reason(const Suite& suite, const Reason& reason) {
  std::vector<std::string> known;
  for (const Goal& goal : suite.goals) known.push_back(goal.that);
  for (const std::string& goal : reason.goals) {
    if (std::find(known.begin(), known.end(), goal) != known.end()) continue;
    const auto hit = nearest(goal, known);
    throw usage_error(fmt::format("{}: [[reasons]] names the goal '{}', which this suite lacks{}",
                                  reason.where, goal,
                                  hit ? fmt::format("; did you mean '{}'?", *hit) : ""));
  }
  for (const std::string& pattern : reason.on) {
    if (names_a_row(suite, reason, pattern)) continue;
    throw usage_error(
        fmt::format("{}: [[reasons]] names '{}', but no such row of this suite has such a goal",
                    reason.where, pattern));
  }
}

ThresholdSpec read_threshold(const toml::table& table, const Suite& suite) {
  TomlReader reader(table, "[[thresholds]]", suite.path);
  ThresholdSpec spec;
  spec.name = reader.text("name", true);
  spec.unit = reader.text("unit", true);
  spec.about = reader.text("about", true);
  spec.on = reader.text_or_texts("on");
  reader.finish();
  spec.where = reader.where("name");
  if (!is_plain_name(spec.name)) {
    throw toml_error(suite.path, table, fmt::format("'{}' is no name of a constant", spec.name));
  }
  if (spec.unit != "elements" && spec.unit != "macs") {
    throw toml_error(suite.path, table,
                     fmt::format("unknown unit '{}', expected elements or macs", spec.unit));
  }
  require_on(spec.on, "thresholds", suite, table);
  return spec;
}

}  // namespace

bool is_plain_name(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

void read_goals(const toml::table& root, Suite& suite) {
  each_table(root, "goals", suite,
             [&](const toml::table& table) { suite.goals.push_back(read_goal(table, suite)); });
}

void read_reasons(const toml::table& root, Suite& suite) {
  each_table(root, "reasons", suite, [&](const toml::table& table) {
    suite.reasons.push_back(read_reason(table, suite));
    check_reason(suite, suite.reasons.back());
  });
}

void read_thresholds(const toml::table& root, Suite& suite) {
  each_table(root, "thresholds", suite, [&](const toml::table& table) {
    suite.thresholds.push_back(read_threshold(table, suite));
  });
}

std::vector<std::string> expand_line(std::string_view line) {
  std::vector<std::string> lines{""};
  for (const std::string& part : split(line, ' ')) {
    const std::string word = trim(part);
    if (word.empty()) continue;
    const size_t equals = word.find('=');
    const std::string key = equals == std::string::npos ? "" : word.substr(0, equals + 1);
    std::vector<std::string> longer;
    for (const std::string& before : lines) {
      for (const std::string& value : split(word.substr(key.size()), ',')) {
        longer.push_back((before.empty() ? "" : before + " ") + key + value);
      }
    }
    lines = std::move(longer);
  }
  return lines;
}

}  // namespace nsop
