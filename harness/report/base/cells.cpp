#include "harness/report/base/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/planned_note.h"
#include "harness/report/base/data/lookup.h"
#include "harness/report/base/format.h"

namespace nsop::report {
namespace {

constexpr int kFewestInvocations = 6;  // below, a median has no finite 95 % interval

Json cell(const char* kind, Json value, const std::string& text) {
  Json out;
  out["kind"] = kind;
  out["value"] = std::move(value);
  out["text"] = text;
  return out;
}

std::string why_missing(const stats::RowSummary* row) {
  if (row == nullptr) return "not measured";
  return row->status == Status::kOk ? "n/a" : status_text(row->status);
}

Json timed(const char* kind, const stats::RowSummary* row, double count,
           std::string (*text)(double), std::string (*interval)(double, double, double) = nullptr) {
  if (!usable(row)) return missing_cell(why_missing(row));
  const double ns = row->wall_ns / count;
  Json out = cell(kind, ns, text(ns));
  if (row->wall_lo_ns > 0 && std::isfinite(row->wall_hi_ns) && row->wall_hi_ns > 0) {
    const double lo = row->wall_lo_ns / count, hi = row->wall_hi_ns / count;
    out["interval"] = {lo, hi};
    if (interval != nullptr && lo < hi) out["interval_text"] = interval(ns, lo, hi);
  }
  if (!time_doubts(*row).empty()) mark_doubt(out);
  return out;
}

Json counted(const char* kind, const stats::RowSummary* row, double AllocCounts::*member) {
  if (row == nullptr || row->status == Status::kWrong || !row->allocs) return missing_cell("n/a");
  const double count = (*row->allocs).*member;
  Json out = cell(kind, count, count_text(count));
  if (!row->allocs->steady) mark_doubt(out);
  return out;
}

std::optional<double> allocs_of(const stats::RowSummary* row) {
  if (row == nullptr || row->status == Status::kWrong || !row->allocs) return std::nullopt;
  return row->allocs->allocs_per_op;
}

}  // namespace

void mark_doubt(Json& target) {
  target["doubt"] = true;
  target["text"] = target["text"].get<std::string>() + " ?";
}

Json text_cell(const std::string& text) { return cell("text", text, text); }

Json code_cell(const std::string& text) { return cell("code", text, text); }

Json missing_cell(const std::string& text) { return cell("missing", nullptr, text); }

std::vector<std::string> time_doubts(const stats::RowSummary& row) {
  if (row.status != Status::kOk) return {};
  std::vector<std::string> doubts = row.warnings;
  std::erase(doubts, kUnsteadyAllocations);  // counted in another process, says nothing about time
  std::erase_if(doubts, [](const auto& text) { return text.starts_with(kPlannedNote); });
  if (!doubts.empty()) return doubts;  // they say all that the rules below would
  if (row.invocations < kFewestInvocations) {
    doubts.push_back(fmt::format("only {} invocation{}, {} are needed for an interval",
                                 row.invocations, row.invocations == 1 ? "" : "s",
                                 kFewestInvocations));
  }
  return doubts;
}

Json ns_cell(const stats::RowSummary* row) { return timed("ns", row, 1, ns_per_op); }

Json time_cell(const stats::RowSummary* row) {
  return timed("time", row, 1, human_time, time_interval_text);
}

Json ns_each_cell(const stats::RowSummary* row, double count) {
  return count > 0 ? timed("ns", row, count, significant) : missing_cell("n/a");
}

Json time_each_cell(const stats::RowSummary* row, double count) {
  return count > 0 ? timed("time", row, count, human_time, time_interval_text)
                   : missing_cell("n/a");
}

Json allocs_cell(const stats::RowSummary* row) {
  return counted("count", row, &AllocCounts::allocs_per_op);
}

Json alloc_bytes_cell(const stats::RowSummary* row) {
  return counted("bytes", row, &AllocCounts::bytes_per_op);
}

Json rate_cell(const stats::RowSummary* row, const CaseFacts* facts, bool arithmetic) {
  if (!usable(row)) return missing_cell(why_missing(row));
  const double work = facts == nullptr ? 0 : arithmetic ? facts->flops : facts->bytes;
  if (work <= 0) return missing_cell("n/a");
  const double rate = work / row->wall_ns;
  Json out = cell("rate", rate, arithmetic ? flop_rate_text(rate) : byte_rate_text(rate));
  out["unit"] = arithmetic ? "GFLOP/s" : "GB/s";
  if (!time_doubts(*row).empty()) mark_doubt(out);
  return out;
}

Json limit_share_cell(const stats::RowSummary* row, double limit_ns) {
  if (!usable(row)) return missing_cell(why_missing(row));
  Json out = percent_cell(limit_ns / row->wall_ns);
  if (!time_doubts(*row).empty()) mark_doubt(out);
  return out;
}

Json percent_cell(double share) { return cell("percent", share, share_text(share)); }

Json count_cell(double count) { return cell("count", count, count_text(count)); }

Json duration_cell(double ns) { return cell("time", ns, human_time(ns)); }

Json size_cell(double bytes) { return cell("bytes", bytes, human_bytes(bytes)); }

Json per_second_rate_cell(double per_ns, const std::string& unit) {
  Json out = cell("rate", per_ns, per_second_text(per_ns));
  out["unit"] = unit;
  return out;
}

Json share_cell(double share, double lo, double hi) {
  Json out = percent_cell(share);
  if (lo > 0 && std::isfinite(hi)) {
    out["interval"] = {lo, hi};
    out["interval_text"] = fmt::format("[{}, {}]", share_text(lo), share_text(hi));
  }
  return out;
}

Json reduction_cell(const stats::RowSummary* before, const stats::RowSummary* after) {
  const std::optional<double> old_count = allocs_of(before);
  const std::optional<double> new_count = allocs_of(after);
  const std::string text = reduction_text(old_count, new_count);
  if (!old_count || !new_count) return missing_cell(text);
  const Json value = *old_count > 0 ? Json(1 - *new_count / *old_count) : Json(nullptr);
  Json out = cell("percent", value, text);
  if (!before->allocs->steady || !after->allocs->steady) mark_doubt(out);
  return out;
}

Json from_to_cell(const Json& before, const Json& after) {
  const bool alone = before["kind"] == "missing" || after["kind"] == "missing";
  if (alone || before["text"] == after["text"]) return after;
  return text_cell(before["text"].get<std::string>() + " → " + after["text"].get<std::string>());
}

std::string changed_allocations(const std::optional<AllocCounts>& before,
                                const std::optional<AllocCounts>& after) {
  if (!before || !after) return "";
  const AllocCounts &old = *before, &now = *after;
  if (old.allocs_per_op == now.allocs_per_op && old.bytes_per_op == now.bytes_per_op) return "";
  return fmt::format("{} → {} ({} → {} B)", count_text(old.allocs_per_op),
                     count_text(now.allocs_per_op), count_text(old.bytes_per_op),
                     count_text(now.bytes_per_op));
}

bool times_disagree(double speed, const stats::RowSummary& before, const stats::RowSummary& after) {
  constexpr double kMostApart = 1.1;
  const double quotient = before.wall_ns / after.wall_ns;
  const double apart = std::max(quotient / speed, speed / quotient);
  const auto direction = [](double s) {
    const std::string text = speed_text(s);
    return text == speed_text(1) ? 0 : s > 1 ? 1 : -1;
  };
  return apart > kMostApart || direction(quotient) * direction(speed) < 0;
}

Json ratio_cell(const stats::Comparison& comparison) {
  const std::string verdict = stats::verdict_text(comparison.verdict);
  const double speed = 1 / comparison.ratio;
  const bool has_ratio = std::isfinite(speed) && speed > 0;
  if (!has_ratio || comparison.verdict == stats::Verdict::kIncomparable) {
    Json out = cell("verdict", verdict, verdict);
    if (!comparison.note.empty()) out["note"] = comparison.note;
    return out;
  }
  Json out = cell("ratio", speed, speed_text(speed));
  const bool has_interval =
      comparison.lo > 0 && std::isfinite(comparison.hi) && comparison.lo < comparison.hi;
  if (has_interval) {
    const double lo = 1 / comparison.hi;
    const double hi = 1 / comparison.lo;
    out["interval"] = {lo, hi};
    out["interval_text"] = speed_interval_text(speed, lo, hi);
  }
  out["verdict"] = verdict;
  if (!comparison.note.empty()) out["note"] = comparison.note;
  return out;
}

}  // namespace nsop::report
