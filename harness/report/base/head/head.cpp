#include "harness/report/base/head/head.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "harness/core/text.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/footer.h"
#include "harness/report/base/format.h"
#include "harness/report/base/head/history_line.h"
#include "harness/report/base/head/plain_headline.h"
#include "harness/report/base/head/previous_line.h"
#include "harness/report/base/head/tally.h"
#include "harness/report/base/published/library_ages.h"
#include "harness/stats/base/robust.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;
using stats::Verdict;

std::string other_name(const Context& context, const Judged& judged) {
  return context.has_peers() ? peer_text(*judged.other, judged.row->threads)
                             : role_text(context.suite().before);
}

// As the cell of the tables says it, with its `?`.
std::string speed_of(const Context& context, const Judged& judged) {
  const Json cell = context.speedup_cell(judged.other, judged.ours);
  const std::string interval = cell.value("interval_text", "");
  return cell["text"].get<std::string>() + (interval.empty() ? "" : " " + interval);
}

std::string named(const Context& context, const Judged& judged) {
  const bool even = speed_text(1 / judged.compared.ratio) == speed_text(1);
  const bool open = judged.compared.verdict == Verdict::kInconclusive;
  return fmt::format("{}, {} {} {}{}", judged.row->full_name(), speed_of(context, judged),
                     even ? "as" : "than", other_name(context, judged),
                     open ? " (inconclusive)" : "");
}

const Judged* worst_of(const Tally& tally) {
  const Judged* worst = nullptr;
  for (const Judged& one : tally.judged) {
    if (one.compared.verdict != Verdict::kWorse) continue;
    if (worst == nullptr || one.compared.ratio > worst->compared.ratio) worst = &one;
  }
  return worst;
}

std::vector<std::string> names(const std::set<std::string>& set) {
  return {set.begin(), set.end()};
}

std::string headline_of(const Context& context, const Tally& tally) {
  const bool peers = context.has_peers();
  const std::string role = role_text(context.suite().after);
  std::vector<std::string> parts;
  const auto add = [&](int count, const std::string& what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  add(tally.count(Verdict::kBetter), "faster");
  add(tally.count(Verdict::kWorse), "slower");
  add(tally.count(Verdict::kSame), "the same");
  add(tally.count(Verdict::kInconclusive) + tally.count(Verdict::kIncomparable), "inconclusive");
  add(tally.unjudged, "not judged");
  add(tally.without, "without a time");
  add(tally.cannot, "that not both can do");
  const char* comma = tally.without + tally.cannot > 0 ? "," : "";
  const std::string against =
      peers ? "the fastest other library of each row" : role_text(context.suite().before);
  std::string text =
      fmt::format("{}: {}{} of {} against {}", role, parts.empty() ? "nothing" : join(parts, ", "),
                  comma, counted_rows(tally.rows), against);
  if (!tally.missing.empty()) text += "; " + missing_text_of(tally);
  const Judged* worst = worst_of(tally);
  if (worst != nullptr) text += "; worst: " + named(context, *worst);
  return text;
}

// Where the worst row is certain, the headline says it; but of rows that are not, the estimate may
// be far worse.
std::string slower_by_estimate(const Context& context, const Tally& tally) {
  const Judged* worst = nullptr;
  size_t count = 0;
  for (const Judged& one : tally.judged) {
    const bool open = one.compared.verdict == Verdict::kInconclusive;
    if (!open || !(one.compared.ratio > 1 + one.compared.margin)) continue;
    ++count;
    if (worst == nullptr || one.compared.ratio > worst->compared.ratio) worst = &one;
  }
  if (worst == nullptr) return "";
  return fmt::format("; slower by the estimate alone: {}, worst: {}", counted_rows(count),
                     named(context, *worst));
}

// Median, best and worst beside the geometric mean; not where a missing, wrong or failed peer could
// only improve it.
std::string spread_line(const Context& context, const Tally& tally) {
  std::vector<const Judged*> rows;
  for (const Judged& one : tally.judged) {
    if (std::isfinite(one.compared.ratio) && one.compared.ratio > 0) rows.push_back(&one);
  }
  if (!tally.missing.empty()) {
    return "No median row and no best one: a library that is missing, wrong or failed could only "
           "have made them worse.";
  }
  if (rows.size() < 2) return "";
  std::vector<double> logs;
  for (const Judged* one : rows) logs.push_back(-std::log(one->compared.ratio));
  double sum = 0;
  for (const double log : logs) sum += log;
  const auto less = [](const Judged* a, const Judged* b) {
    return a->compared.ratio < b->compared.ratio;
  };
  const Judged& best = **std::min_element(rows.begin(), rows.end(), less);
  const Judged& worst = **std::max_element(rows.begin(), rows.end(), less);
  const std::string end = worst_of(tally) == nullptr ? "; worst: " + named(context, worst)
                                                     : slower_by_estimate(context, tally);
  return fmt::format("Median row {}, geometric mean of {} {}; best: {}{}.",
                     speed_text(std::exp(stats::median(logs))), counted_rows(rows.size()),
                     speed_text(std::exp(sum / static_cast<double>(logs.size()))),
                     named(context, best), end);
}

// Libraries that choose their layout are no rivals, but a reader must know how they do.
std::string layouts_line(const Context& context) {
  std::vector<std::string> parts;
  for (const Selector& peer : context.layout_peers()) {
    std::set<std::pair<std::string, int>> seen;
    size_t rows = 0, faster = 0;
    for (const CaseRow& row : context.rows()) {
      const Summary* ours = context.find(row, context.suite().after);
      const Summary* theirs = context.find_peer(row, peer);
      if (!row.from->shortcut.empty() || !usable(ours) || !usable(theirs)) continue;
      if (!seen.emplace(row.text, row.threads).second) continue;
      ++rows;
      faster += context.paired(*theirs, *ours).verdict == Verdict::kWorse;
    }
    if (rows == 0) continue;
    parts.push_back(
        fmt::format("{}, faster than ours in {} of {}", peer.variant, faster, counted_rows(rows)));
  }
  return parts.empty()
             ? ""
             : "Not counted, for its layout is its own choice: " + join(parts, "; ") + ".";
}

std::string with_month(const std::string& peer, const std::string& version) {
  const std::string month = month_of_library(peer, version);
  return month.empty() ? version : fmt::format("{} ({})", version, month);
}

// The versions that were there, of peers that have a time in some row, and how old they are.
std::string peers_line(const Context& context) {
  std::vector<std::string> parts;
  bool dated = false;
  for (const Selector& peer : context.plain_peers()) {
    std::set<std::string> versions;
    for (const CaseRow& row : context.rows()) {
      const Summary* found = context.find_peer(row, peer);
      if (!usable(found)) continue;
      const std::string version = with_month(peer.variant, found->row.target);
      dated = dated || version != found->row.target;
      versions.insert(version);
    }
    if (!versions.empty()) parts.push_back(peer.variant + " " + join(names(versions), ", "));
  }
  const std::string how = dated ? " (in brackets: since when Debian has that version)" : "";
  return parts.empty() ? "" : "Other libraries" + how + ": " + join(parts, "; ") + ".";
}

std::string before_line(const Context& context) {
  const Selector& before = context.suite().before;
  if (!context.has_peers() || before.variant.empty()) return "";
  std::map<Verdict, int> counts;
  std::set<std::pair<std::string, int>> seen;
  int rows = 0;
  for (const CaseRow& row : context.rows()) {
    if (!row.from->shortcut.empty() || left_out(row, before)) continue;
    if (!seen.emplace(row.text, row.threads).second) continue;
    const Summary* ours = context.find(row, context.suite().after);
    const Summary* old = context.find(row, before);
    if (!usable(ours) || !usable(old) || ours == old) continue;
    ++rows;
    ++counts[context.paired(*old, *ours).verdict];
  }
  if (rows == 0) return "";
  return fmt::format("Against {}: {} faster, {} slower, {} the same, {} inconclusive of {}.",
                     role_text(before), counts[Verdict::kBetter], counts[Verdict::kWorse],
                     counts[Verdict::kSame], counts[Verdict::kInconclusive], counted_rows(rows));
}

// Is it a goal against what was there before? Few can miss one: they are counted apart.
bool is_against_before(const Context& context, const GoalRow& row) {
  const Selector& before = context.suite().before;
  const bool of_times =
      row.goal->kind == Goal::Kind::kTime || row.goal->kind == Goal::Kind::kMeanTime;
  return of_times && !before.variant.empty() && row.goal->reference.variant == before.variant;
}

std::string goals_line(const Context& context, const std::vector<GoalRow>& goals) {
  if (goals.empty()) return "";
  const auto counts = [&](bool against_before) {
    std::map<GoalResult, int> by;
    for (const GoalRow& row : goals) {
      if (!row.apart && is_against_before(context, row) == against_before) ++by[row.result];
    }
    return fmt::format("{} met, {} missed, {} inconclusive, {} not judged", by[GoalResult::kMet],
                       by[GoalResult::kMissed], by[GoalResult::kInconclusive],
                       by[GoalResult::kNotJudged]);
  };
  const auto of_before = std::count_if(goals.begin(), goals.end(), [&](const GoalRow& row) {
    return !row.apart && is_against_before(context, row);
  });
  const size_t apart = rows_apart(goals);
  const std::string shortcuts = apart == 0 ? ""
                                           : fmt::format("; {} shortcut row{} apart", apart,
                                                         apart == 1 ? " stands" : "s stand");
  const auto counted =
      std::count_if(goals.begin(), goals.end(), [](const GoalRow& row) { return !row.apart; });
  if (of_before == 0) return fmt::format("Goals: {}{}.", counts(false), shortcuts);
  if (of_before == counted) {
    return fmt::format("Goals: all against {}: {}{}.", role_text(context.suite().before),
                       counts(true), shortcuts);
  }
  return fmt::format("Goals: {}; against {}, counted apart: {}{}.", counts(false),
                     role_text(context.suite().before), counts(true), shortcuts);
}

std::string limits_line(const Context& context) {
  if (context.limits_run() != nullptr) return "";
  return "The machine's limits were not measured here: no row has a share of them (`nsop run "
         "--suite limits`).";
}

std::string trouble_line(const Context& context) {
  std::vector<std::string> wrong, failed;
  for (const CaseRow& row : context.rows()) {
    const Summary* ours = context.find(row, context.suite().after);
    if (ours == nullptr || ours->status == Status::kOk || ours->status == Status::kUnsupported) {
      continue;
    }
    (ours->status == Status::kWrong ? wrong : failed).push_back(row.full_name());
  }
  const auto listed = [](const std::vector<std::string>& all) {
    constexpr size_t kShown = 3;
    std::vector<std::string> some(all.begin(), all.begin() + std::min(kShown, all.size()));
    return join(some, "; ") + (all.size() > kShown ? "; ..." : "");
  };
  std::string text;
  if (!wrong.empty()) text += fmt::format("{} wrong: {}. ", wrong.size(), listed(wrong));
  if (!failed.empty()) text += fmt::format("{} failed: {}. ", failed.size(), listed(failed));
  return trim(text);
}

std::string where_line(const Context& context) {
  const RunData& current = context.current();
  std::vector<std::string> threads;
  std::set<int> counts;
  for (const CaseRow& row : context.rows()) counts.insert(row.threads);
  for (const int n : counts) threads.push_back(std::to_string(n));
  return fmt::format("{}, {} of {} threads; commit {}, {}, profile {}. Noise: {}.",
                     current.host.cpu_model, threads.empty() ? "none" : join(threads, " and "),
                     current.host.threads, commits_text(current), day_of(current.run),
                     current.run.profile, noise_text(context.shown()));
}

}  // namespace

Head head_of(const Context& context, const std::vector<GoalRow>& goals, bool compares,
             const std::string& answer) {
  const bool compared =
      compares && (context.has_peers() || !context.suite().before.variant.empty());
  const Tally tally = compared ? tally_of(context) : Tally{};
  Head head;
  head.headline = compared ? headline_of(context, tally) : plain_headline(context, answer);
  if (compared && !answer.empty()) head.headline += "; " + answer;
  const std::string shortcuts =
      tally.shortcuts == 0
          ? ""
          : fmt::format("{} do less work than others do and are counted nowhere above.",
                        counted_rows(tally.shortcuts));
  for (const std::string& line :
       {spread_line(context, tally), layouts_line(context), shortcuts, before_line(context),
        goals_line(context, goals), compared ? limits_line(context) : std::string(),
        trouble_line(context), previous_line(context), history_line(context), peers_line(context),
        where_line(context)}) {
    if (!line.empty()) head.lines.push_back(line);
  }
  return head;
}

}  // namespace nsop::report
