#include "harness/report/base/head/previous_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "harness/core/text.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/footer.h"
#include "harness/report/base/format.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;

// A row of ours beside what the column of the previous run says of it.
struct Changed {
  std::string name;
  const Summary* ours = nullptr;
  Json cell;
  double by() const { return std::abs(std::log(cell["value"].get<double>())); }
};

std::vector<Changed> against_previous(const Context& context) {
  std::vector<Changed> out;
  std::set<const Summary*> seen;
  for (const CaseRow& row : context.rows()) {
    for (const Selector& selector : context.ours_of(row)) {
      const Summary* ours = context.find(row, selector);
      if (!usable(ours) || !seen.insert(ours).second) continue;
      out.push_back({context.own_name(row, selector), ours, context.previous_cell(ours)});
    }
  }
  return out;
}

// Up to three rows whose times certainly changed, the most changed first.
std::string largest_changes(std::vector<Changed> rows) {
  constexpr size_t kShown = 3;
  std::erase_if(rows, [](const Changed& one) {
    const std::string verdict = one.cell.value("verdict", "");
    return verdict != "better" && verdict != "worse";
  });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Changed& a, const Changed& b) { return a.by() > b.by(); });
  std::vector<std::string> parts;
  for (const Changed& one : std::span(rows).first(std::min(kShown, rows.size()))) {
    const std::string interval = one.cell.value("interval_text", "");
    parts.push_back(fmt::format("{} {}{}", one.name, one.cell["text"].get<std::string>(),
                                interval.empty() ? "" : " " + interval));
  }
  return parts.empty() ? "" : " Largest changes: " + join(parts, "; ") + ".";
}

std::string allocation_changes(const Context& context, const std::vector<Changed>& rows) {
  constexpr size_t kShown = 3;
  size_t counted = 0;
  std::vector<std::string> changed;
  for (const Changed& one : rows) {
    const Summary* before = context.previous_row(*one.ours);
    if (before == nullptr || !before->allocs || !one.ours->allocs) continue;
    ++counted;
    const std::string text = changed_allocations(before->allocs, one.ours->allocs);
    if (!text.empty()) changed.push_back(one.name + " " + text);
  }
  if (counted == 0) return "";
  if (changed.empty()) return fmt::format(" Allocations: the same in {}.", counted_rows(counted));
  const std::vector<std::string> shown(
      changed.begin(), changed.begin() + static_cast<long>(std::min(kShown, changed.size())));
  return fmt::format(" Allocations: changed in {} of {}: {}{}.", changed.size(),
                     counted_rows(counted), join(shown, "; "),
                     changed.size() > kShown ? "; ..." : "");
}

// How fast the machine is beside the previous run, after a space.
std::string machine_text(const std::optional<MachineShift>& shift) {
  if (!shift) {
    return fmt::format(
        " Too few rows of other libraries are in both to tell whether the machine is as fast as "
        "then: better or worse is only what a machine {:.0f} % faster or slower doesn't explain.",
        100 * kUnknownMachine);
  }
  if (!shift->moved()) {
    return fmt::format(" The machine is as fast as then by {} rows of other libraries.",
                       shift->rows);
  }
  return fmt::format(
      " The machine differs: other libraries, which are the same, took {} than then (median of {} "
      "rows), and better or worse is only what that doesn't explain.",
      speed_text(1 / shift->ratio), shift->rows);
}

}  // namespace

std::string day_of(const Run& run) { return run.started_utc.substr(0, 10); }

std::string previous_release(const Context& context) {
  if (context.previous() == nullptr) return "";
  const Release* last = nullptr;  // before the line of the report's own run
  for (const Release& one : context.releases()) {
    if (one.measured() && one.data.run.id != context.current().run.id) last = &one;
  }
  const bool is_last = last != nullptr && last->data.run.id == context.previous()->run.id;
  return is_last ? last->name : "";
}

std::string previous_line(const Context& context) {
  if (context.previous() == nullptr) {
    return context.releases().empty()
               ? "No previous run of this machine with this suite and profile is kept: nothing is "
                 "compared with it."
               : "No release before was measured on this machine: nothing is compared with one.";
  }
  const RunData& previous = *context.previous();
  const std::string release = previous_release(context);
  const std::string name = release.empty() ? "previous run" : "last release, " + release;
  if (previous.host.id != context.current().host.id) {
    return fmt::format("The {} ({}) is of another machine ({}): nothing is compared.", name,
                       day_of(previous.run), previous.host.cpu_model);
  }
  const std::vector<Changed> rows = against_previous(context);
  std::map<std::string, int> counts;
  for (const Changed& one : rows) {
    ++counts[one.cell.contains("verdict") ? one.cell["verdict"].get<std::string>()
                                          : one.cell["text"].get<std::string>()];
  }
  std::vector<std::string> parts;
  for (const auto& [what, count] : counts) parts.push_back(fmt::format("{} {}", count, what));
  return fmt::format("Against the {} ({}, commit {}): {}.{}{}{}", name, day_of(previous.run),
                     commits_text(previous),
                     parts.empty() ? "nothing in common" : join(parts, ", "),
                     parts.empty() ? "" : machine_text(context.machine()), largest_changes(rows),
                     allocation_changes(context, rows));
}

}  // namespace nsop::report
