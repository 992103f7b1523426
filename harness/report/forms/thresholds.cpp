#include "harness/report/forms/thresholds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "harness/core/text.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/stats/crossing.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;

bool speaks_of(const ThresholdSpec& spec, const CaseRow& row) {
  return std::any_of(spec.on.begin(), spec.on.end(),
                     [&](const std::string& pattern) { return case_matches(row.text, pattern); });
}

const CaseRow* on_one_thread(const Context& context, const CaseRow& row) {
  for (const CaseRow& other : context.rows()) {
    if (other.threads == 1 && other.text == row.text) return &other;
  }
  return nullptr;
}

SharedCase shared_case(const Context& context, const CaseRow& row, const std::string& unit) {
  SharedCase out;
  out.several = &row;
  out.shared = context.find(row, context.suite().after);
  out.one = on_one_thread(context, row);
  if (out.one != nullptr) out.alone = context.find(*out.one, context.suite().before);
  out.work = work_of(context, row.text, unit);
  return out;
}

// `ReLU Forward`; where the cases of a name differ in more than size, every case of it.
SharedSeries& series_of(std::vector<SharedSeries>& all, const std::string& label) {
  const auto at = std::find_if(all.begin(), all.end(), [&](auto& s) { return s.label == label; });
  return at != all.end() ? *at : all.emplace_back(SharedSeries{label, {}, {}});
}

void find_crossing(const Context& context, SharedSeries& series) {
  std::vector<stats::Comparison> by_size;
  std::vector<double> work;
  for (const SharedCase& one : series.cases) {
    if (!usable(one.alone) || !usable(one.shared) || one.work <= 0) continue;
    by_size.push_back(context.paired(*one.alone, *one.shared));
    work.push_back(one.work);
  }
  if (work.empty()) return;
  series.measured_to = work.back();
  if (const auto first = stats::first_lasting_win(by_size)) series.crossing = work[*first];
}

FoundThreshold find_one(const Context& context, const ThresholdSpec& spec) {
  FoundThreshold out;
  out.spec = &spec;
  for (const CaseRow& row : context.rows()) {
    if (speaks_of(spec, row)) out.threads = std::max(out.threads, row.threads);
  }
  if (out.threads < 2) return out;
  for (const CaseRow& row : context.rows()) {
    if (row.threads != out.threads || !speaks_of(spec, row)) continue;
    series_of(out.series, row.name()).cases.push_back(shared_case(context, row, spec.unit));
  }
  double largest = 0;
  for (SharedSeries& series : out.series) {
    std::stable_sort(series.cases.begin(), series.cases.end(),
                     [](auto& a, auto& b) { return a.work < b.work; });
    find_crossing(context, series);
    const double nowhere = series.measured_to > 0 ? 2 * series.measured_to : INFINITY;
    largest = std::max(largest, series.crossing.value_or(nowhere));
  }
  if (std::isfinite(largest) && largest > 0) {
    out.per_thread = static_cast<int64_t>(std::ceil(largest / out.threads));
  }
  return out;
}

std::string crossing_text(const SharedSeries& series) {
  if (series.crossing) return count_text(*series.crossing);
  return series.measured_to > 0 ? "nowhere up to " + count_text(series.measured_to)
                                : "not measured";
}

std::string crossings_text(const FoundThreshold& found) {
  std::vector<std::string> parts;
  for (const SharedSeries& series : found.series) {
    parts.push_back(series.label + ": " + crossing_text(series));
  }
  return parts.empty() ? "not measured" : join(parts, "; ");
}

Json threshold_row(const FoundThreshold& found) {
  Json row;
  row["label"] = found.spec->name;
  row["case"] = "";
  row["threads"] = std::max(1, found.threads);
  row["repro"] = Json::array();
  row["notes"] = Json::array();
  const Json per_thread = found.per_thread ? count_cell(static_cast<double>(*found.per_thread))
                                           : missing_cell("not measured");
  row["cells"] = {code_cell(found.spec->name), text_cell(found.spec->about),
                  text_cell(found.spec->unit), per_thread, text_cell(crossings_text(found))};
  return row;
}

}  // namespace

double work_of(const Context& context, const std::string& case_text, const std::string& unit) {
  if (unit == "macs") return context.macs(case_text);
  const std::string in = param(case_text, "in");
  if (in.empty()) return element_count_of(case_text);
  double count = 1;
  for (const std::string& extent : split(in, 'x')) count *= std::strtod(extent.c_str(), nullptr);
  return count;
}

std::vector<FoundThreshold> find_thresholds(const Context& context) {
  std::vector<FoundThreshold> out;
  for (const ThresholdSpec& spec : context.suite().thresholds) {
    out.push_back(find_one(context, spec));
  }
  return out;
}

Json thresholds_json(const std::vector<FoundThreshold>& found) {
  Json out = Json::array();
  for (const FoundThreshold& one : found) {
    Json crossings = Json::array();
    for (const SharedSeries& series : one.series) {
      Json crossing;
      crossing["label"] = series.label;
      crossing["work"] = nullptr;
      if (series.crossing) crossing["work"] = std::llround(*series.crossing);
      crossing["measured_to"] = std::llround(series.measured_to);
      crossings.push_back(crossing);
    }
    Json json;
    json["name"] = one.spec->name;
    json["unit"] = one.spec->unit;
    json["about"] = one.spec->about;
    json["threads"] = std::max(2, one.threads);
    json["per_thread"] = nullptr;
    if (one.per_thread) json["per_thread"] = *one.per_thread;
    json["crossings"] = crossings;
    out.push_back(json);
  }
  return out;
}

std::string thresholds_headline(const Context& context) {
  std::map<std::string, std::pair<int64_t, int64_t>> by_unit;
  int threads = 0, thresholds = 0, nowhere = 0;
  for (const FoundThreshold& one : find_thresholds(context)) {
    for (const SharedSeries& series : one.series) {
      nowhere += series.measured_to > 0 && !series.crossing;
    }
    if (!one.per_thread) continue;
    ++thresholds;
    threads = std::max(threads, one.threads);
    const auto [at, fresh] = by_unit.try_emplace(one.spec->unit, *one.per_thread, *one.per_thread);
    auto& [least, most] = at->second;
    least = std::min(least, *one.per_thread);
    most = std::max(most, *one.per_thread);
  }
  std::vector<std::string> parts;
  for (const auto& [unit, range] : by_unit) {
    const std::string least = count_text(static_cast<double>(range.first));
    const std::string most = count_text(static_cast<double>(range.second));
    parts.push_back((least == most ? least : least + " to " + most) + " " + unit);
  }
  if (parts.empty()) return "";
  const std::string none =
      nowhere == 0 ? "" : fmt::format("; of {} series they win nowhere", nowhere);
  return fmt::format("{} threads pay from {} per thread on, by kernel ({} thresholds){}", threads,
                     join(parts, " and "), thresholds, none);
}

Json thresholds_section(const std::vector<FoundThreshold>& found) {
  if (found.empty()) return nullptr;
  Json table = make_table("",
                          {{"name", "Threshold", "left", {}},
                           {"about", "For", "left", {}},
                           {"unit", "Unit", "left", {}},
                           {"per_thread", "Least per thread", "right", {}},
                           {"crossings", "Threads win from", "left", {}}},
                          {});
  for (const FoundThreshold& one : found) table["rows"].push_back(threshold_row(one));
  Json section;
  section["title"] = "Thresholds";
  section["notes"] = {
      "Threads win from the smallest size on where the whole 95 % interval of their time over that "
      "of one thread lies below 1, and beyond which that ratio is nowhere above 1. A threshold "
      "is the largest such size among its kernels, divided by the threads: with less for each, "
      "kernels stay on one thread. A kernel for which threads win nowhere counts as twice the "
      "largest size that was measured.",
      "`better` and `worse` in the column `Threads` go by that interval alone, without a margin."};
  section["tables"] = {table};
  section["plots"] = Json::array();
  return section;
}

}  // namespace nsop::report
