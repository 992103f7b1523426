// The part of comparison.h that compares two runs, row by row.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/stats/comparison.h"

namespace nsop::stats {
namespace {

struct Context {
  const std::map<std::string, CaseFacts>& facts;
  const Host& host;
  bool same_host;
  const Policy& policy;
  const std::map<std::string, Build>& builds;
};

std::string state_text(const RowSummary& row) {
  return status_text(row.status) + (row.reason.empty() ? "" : ": " + row.reason);
}

std::string build_type_of(const RowSummary& row, const Context& context) {
  const auto it = context.builds.find(row.build_id);
  return it == context.builds.end() ? std::string() : it->second.build_type;
}

bool differ(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() && a != b;
}

void settle(DiffRow& row, Verdict verdict, const std::string& note) {
  row.time.verdict = row.overall = verdict;
  row.time.note = note;
}

// At least one side has no result.
void judge_failure(DiffRow& row, const Context& context) {
  const RowSummary& before = *row.before;
  const RowSummary& after = *row.after;
  if (before.status != Status::kOk && after.status != Status::kOk) {
    const bool as_ever =
        before.status == Status::kUnsupported && after.status == Status::kUnsupported;
    return settle(
        row, as_ever ? Verdict::kSame : Verdict::kIncomparable,
        as_ever ? "unsupported on both sides"
                : fmt::format("before is {}; after is {}", state_text(before), state_text(after)));
  }
  if (after.status == Status::kOk) {
    return settle(row, Verdict::kNew, "before is " + state_text(before));
  }
  // What another machine can't do or do in time is no loss; a wrong result is one everywhere.
  const bool lost = context.same_host || after.status == Status::kWrong;
  settle(row, lost ? Verdict::kWorse : Verdict::kIncomparable, "after is " + state_text(after));
}

Comparison incomparable(const std::string& note) {
  Comparison c;
  c.verdict = Verdict::kIncomparable;
  c.note = note;
  return c;
}

Bound bound_of(const std::string& case_text, const Context& context) {
  const auto it = context.facts.find(case_text);
  if (it == context.facts.end()) return Bound::kCache;
  const CaseFacts& f = it->second;
  return classify_bound(f.flops, f.bytes, f.working_set_bytes, context.host);
}

Comparison compare_time(const DiffRow& row, const Context& context) {
  if (!context.same_host) return incomparable("measured on another host");
  const std::string before_type = build_type_of(*row.before, context);
  const std::string after_type = build_type_of(*row.after, context);
  if (differ(before_type, after_type)) {
    return incomparable(fmt::format("built as {}, then as {}", before_type, after_type));
  }
  Policy policy = context.policy;
  if (const auto own = policy.row_tau.find(row.row); own != policy.row_tau.end()) {
    policy.tau = own->second.tau;
    policy.tau_df = own->second.df;
  }
  return compare_unpaired(*row.before, *row.after, bound_of(row.row.case_text, context), policy);
}

Comparison compare_counts(double before, double after, bool steady) {
  Comparison c = compare_exact(before, after);
  if (!steady && c.verdict != Verdict::kSame) {
    c.verdict = Verdict::kInconclusive;
    c.note = "not steady from operation to operation";
  }
  return c;
}

void judge(DiffRow& row, const Context& context) {
  const RowSummary& before = *row.before;
  const RowSummary& after = *row.after;
  if (before.status != Status::kOk || after.status != Status::kOk) {
    return judge_failure(row, context);
  }
  if (differ(before.inputs_sha256, after.inputs_sha256)) {
    return settle(row, Verdict::kIncomparable, "the two sides had different inputs");
  }
  row.time = compare_time(row, context);
  if (before.allocs && after.allocs) {
    const bool steady = before.allocs->steady && after.allocs->steady;
    row.allocs = compare_counts(before.allocs->allocs_per_op, after.allocs->allocs_per_op, steady);
    row.bytes = compare_counts(before.allocs->bytes_per_op, after.allocs->bytes_per_op, steady);
  }
  constexpr std::array kWorstFirst = {Verdict::kWorse, Verdict::kIncomparable,
                                      Verdict::kInconclusive, Verdict::kBetter, Verdict::kSame};
  for (const Verdict verdict : kWorstFirst) {
    row.overall = verdict;
    if (row.time.verdict == verdict || (row.allocs && row.allocs->verdict == verdict) ||
        (row.bytes && row.bytes->verdict == verdict)) {
      return;
    }
  }
}

void judge_any(DiffRow& row, const Context& context) {
  if (row.before && row.after) return judge(row, context);
  if (row.after) return settle(row, Verdict::kNew, "not in the run before");
  settle(row, Verdict::kMissing, "not in the run after");
}

std::string toolchain_of(const RowSummary& row, const Context& context) {
  const auto it = context.builds.find(row.build_id);
  if (it == context.builds.end() || it->second.compiler.empty()) return {};
  return it->second.compiler + (it->second.flags.empty() ? "" : " (" + it->second.flags + ")");
}

// How many rows met two builds that `text_of` tells apart, by the pair.
std::map<std::string, int> different_builds(const Diff& result, const Context& context,
                                            std::string (*text_of)(const RowSummary&,
                                                                   const Context&)) {
  std::map<std::string, int> pairs;
  for (const DiffRow& row : result.rows) {
    if (!row.before || !row.after) continue;
    const std::string before = text_of(*row.before, context), after = text_of(*row.after, context);
    if (differ(before, after)) ++pairs[fmt::format("{}, then as {}", before, after)];
  }
  return pairs;
}

void note_builds(Diff& result, const Context& context) {
  for (const auto& [pair, count] : different_builds(result, context, build_type_of)) {
    result.comparable = false;
    result.notes.push_back(
        fmt::format("{} rows were built as {}: their times are not compared", count, pair));
  }
  for (const auto& [pair, count] : different_builds(result, context, toolchain_of)) {
    result.notes.push_back(
        fmt::format("{} rows were compiled as {}: a change may come from that", count, pair));
  }
}

}  // namespace

Diff diff(const std::vector<RowSummary>& before, const std::vector<RowSummary>& after,
          const std::map<std::string, CaseFacts>& facts, const Host& before_host,
          const Host& after_host, const Policy& policy,
          const std::map<std::string, Build>& builds) {
  const Context context{facts, after_host, before_host.id == after_host.id, policy, builds};
  std::map<RowKey, DiffRow> joined;
  for (const RowSummary& summary : before) joined[summary.row].before = summary;
  for (const RowSummary& summary : after) joined[summary.row].after = summary;
  Diff result;
  for (auto& [key, row] : joined) {
    row.row = key;
    judge_any(row, context);
    result.rows.push_back(std::move(row));
  }
  if (!context.same_host) {
    result.comparable = false;
    result.notes.push_back(
        fmt::format("measured on different hosts ({} and {}): times are not compared",
                    before_host.cpu_model, after_host.cpu_model));
  }
  note_builds(result, context);
  return result;
}

}  // namespace nsop::stats
