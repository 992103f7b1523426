#include "harness/judge/evaluation/recordings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <set>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/stats/base/robust.h"

namespace nsop::judge {
namespace {

// A CSV file without quoting, read line by line; fields by column name.
class Table {
 public:
  explicit Table(const std::string& path) : path_(path), in_(path) {
    if (!in_) throw environment_error(path + ": can't be read");
    std::string line;
    if (!std::getline(in_, line)) throw bad_data(path + ": is empty, expected a line of columns");
    if (line.starts_with("\x1f\x8b")) throw bad_data(path + ": is compressed, gunzip it first");
    const std::vector<std::string> names = split(trim(line), ',');
    for (size_t i = 0; i < names.size(); ++i) {
      if (!columns_.emplace(names[i], i).second) {
        throw bad_data(fmt::format("{}:1: two columns {}", path_, names[i]));
      }
    }
  }

  bool has(const std::string& column) const { return columns_.contains(column); }

  size_t column(const std::string& name) const {
    const auto found = columns_.find(name);
    if (found == columns_.end()) throw bad_data(fmt::format("{}:1: no column {}", path_, name));
    return found->second;
  }

  bool next() {
    std::string line;
    if (!std::getline(in_, line)) {
      if (number_ == 1) throw bad_data(path_ + ": has columns, but no rows");
      return false;
    }
    ++number_;
    fields_ = split(trim(line), ',');
    if (fields_.size() != columns_.size()) {
      throw bad_data(fmt::format("{}:{}: {} fields, expected {}", path_, number_, fields_.size(),
                                 columns_.size()));
    }
    return true;
  }

  const std::string& text(size_t column) const { return fields_[column]; }

  double number(size_t column) const {
    const std::string& field = fields_[column];
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(value)) {
      throw bad_data(fmt::format("{}:{}: '{}' is no number", path_, number_, field));
    }
    return value;
  }

  int count(size_t column) const {
    const double value = number(column);
    if (value < 0 || value > 1e6 || value != std::floor(value)) {
      throw bad_data(fmt::format("{}:{}: {} is no whole number from 0 to 1000000", path_, number_,
                                 fields_[column]));
    }
    return static_cast<int>(value);
  }

  std::optional<bool> is_base_or_other(size_t column) const {
    const std::string& arm = fields_[column];
    if (arm == "base" || arm == "a") return true;
    if (arm == "head" || arm == "b") return false;
    return std::nullopt;
  }

  bool is_base(size_t column) const {
    if (const std::optional<bool> base = is_base_or_other(column)) return *base;
    const std::string& arm = fields_[column];
    throw bad_data(
        fmt::format("{}:{}: '{}' is no arm, expected base or head (or a, b)", path_, number_, arm));
  }

  double positive(size_t column) const {
    const double value = number(column);
    if (value <= 0) {
      throw bad_data(fmt::format("{}:{}: {} is no time, expected a positive number", path_, number_,
                                 fields_[column]));
    }
    return value;
  }

 private:
  std::string path_;
  std::ifstream in_;
  std::map<std::string, size_t> columns_;
  std::vector<std::string> fields_;
  int number_ = 1;
};

// Of a round whose first operations are told, both of them.
void add_firsts(stats::PairedRound& round, const std::pair<double, double>& firsts) {
  if (firsts.first <= 0 || firsts.second <= 0) return;
  round.log_base_first = std::log(firsts.first);
  round.log_first = std::log(firsts.second) - round.log_base_first;
}

}  // namespace

GateCases read_gate_recording(const std::string& path) {
  Table table(path);
  const bool named = table.has("case_id");
  std::vector<size_t> key;
  if (named) {
    key = {table.column("case_id")};
  } else {
    key = {table.column("design"), table.column("block"), table.column("kernel")};
  }
  const size_t round = table.column("round"), arm = table.column("arm"),
               cpu = table.column("cpu_ns");
  const bool has_layout = table.has("layout");
  const size_t layout = has_layout ? table.column("layout") : 0;
  const bool has_first = table.has("first_ns");
  const size_t first = has_first ? table.column("first_ns") : 0;
  const bool has_gate = table.has("gate");
  const size_t gate = has_gate ? table.column("gate") : 0;
  GateCases cases;
  while (table.next()) {
    std::string id;
    for (const size_t column : key) id += (id.empty() ? "" : "/") + table.text(column);
    if (!named && !table.is_base_or_other(arm)) continue;
    const bool base = table.is_base(arm);
    auto& pair = cases[id].rounds[table.count(round)];
    if (has_gate) cases[id].gate = table.text(gate);
    if (has_first) {
      auto& firsts = cases[id].firsts[table.count(round)];
      (base ? firsts.first : firsts.second) = table.positive(first);
    }
    if (has_layout) cases[id].layouts[table.count(round)] = table.count(layout);
    (base ? pair.first : pair.second).push_back(table.positive(cpu));
  }
  if (cases.empty()) throw bad_data(path + ": no line of arm base or head (or a, b)");
  return cases;
}

Histories read_history_recording(const std::string& path) {
  Table table(path);
  const size_t series = table.column("series_id"), night = table.column("idx"),
               host = table.column("host"), ns = table.column("ns_per_op");
  std::map<std::string, std::map<int, std::pair<std::string, std::vector<double>>>> nights;
  while (table.next()) {
    auto& one = nights[table.text(series)][table.count(night)];
    one.first = table.text(host);
    one.second.push_back(table.positive(ns));
  }
  Histories histories;
  for (auto& [id, by_night] : nights) {
    for (auto& [index, one] : by_night) {
      histories[id].push_back({stats::median(std::move(one.second)), one.first});
    }
  }
  return histories;
}

std::vector<stats::PairedRound> paired_rounds(const GateCase& one) {
  std::vector<stats::PairedRound> rounds;
  const auto least = [](const std::vector<double>& values) {
    return *std::min_element(values.begin(), values.end());
  };
  for (const auto& [round, pair] : one.rounds) {
    const auto& [base, head] = pair;
    if (base.empty() || head.empty()) continue;
    const auto layout = one.layouts.find(round);
    rounds.push_back({std::log(least(head) / least(base)),
                      layout == one.layouts.end() ? round : layout->second,
                      stats::log_excess(head) - stats::log_excess(base)});
    const auto firsts = one.firsts.find(round);
    if (firsts != one.firsts.end()) add_firsts(rounds.back(), firsts->second);
  }
  return rounds;
}

std::vector<ReplayAlert> replay(const std::string& series,
                                const std::vector<stats::HistoryPoint>& points,
                                const ReplayOptions& options, const stats::ChangePolicy& policy) {
  constexpr size_t kNear = 5;
  std::vector<ReplayAlert> alerts;
  const auto tell = [&](size_t index, size_t night, double ratio, bool tripwire) {
    const bool known = std::any_of(alerts.begin(), alerts.end(), [&](const ReplayAlert& a) {
      return a.tripwire == tripwire &&
             (a.index > index ? a.index - index : index - a.index) <= kNear;
    });
    if (!known) alerts.push_back({series, index, night, ratio, tripwire});
  };
  for (size_t night = options.first_night; night < points.size(); night += options.stride) {
    const size_t begin = night + 1 > options.window ? night + 1 - options.window : 0;
    const std::vector<stats::HistoryPoint> seen(
        points.begin() + static_cast<std::ptrdiff_t>(begin),
        points.begin() + static_cast<std::ptrdiff_t>(night + 1));
    const auto changes =
        options.once ? stats::change_points(seen, policy) : stats::told_changes(seen, policy);
    for (const stats::ChangePoint& c : changes) {
      tell(c.index + begin, night, c.ratio, false);
    }
    if (!options.tripwire) continue;
    if (const auto ratio = stats::trip_ratio(seen)) tell(night, night, *ratio, true);
  }
  return alerts;
}

}  // namespace nsop::judge
