#include "harness/stats/row_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "harness/core/text.h"
#include "harness/stats/doubts.h"

namespace nsop::stats {
namespace {

bool is_timed(const Invocation& i) {
  if (i.phase != Phase::kTime || i.status != Status::kOk || i.repetitions.empty()) return false;
  return std::all_of(i.repetitions.begin(), i.repetitions.end(),
                     [](const Repetition& r) { return r.iterations > 0 && r.wall_ns > 0; });
}

Group select(const Group& group, bool (*predicate)(const Invocation&)) {
  Group selected;
  std::copy_if(group.begin(), group.end(), std::back_inserter(selected),
               [predicate](const Invocation* i) { return predicate(*i); });
  return selected;
}

std::string failure_text(Status status, const std::string& reason) {
  return reason.empty() ? status_text(status) : status_text(status) + ": " + reason;
}

// Why nothing was even tried: the worker may have died while its allocations were counted.
void find_untimed_status(const Group& group, RowSummary& summary) {
  for (const Status status : {Status::kError, Status::kTimeout}) {
    for (const Invocation* i : group) {
      if (i->status == status) return set_failure(summary, status, i->reason);
    }
  }
  set_failure(summary, Status::kLost, "never timed");
}

void find_status(const Group& group, const Group& timed, RowSummary& summary) {
  const Group timing = select(group, [](const Invocation& i) { return i.phase == Phase::kTime; });
  // Order of gravity: the worst failure names the row.
  for (const Status status :
       {Status::kWrong, Status::kError, Status::kTimeout, Status::kLost, Status::kUnsupported}) {
    const Group& where = status == Status::kWrong ? group : timing;
    const auto it = std::find_if(where.begin(), where.end(),
                                 [status](const Invocation* i) { return i->status == status; });
    if (it == where.end()) continue;
    if (status == Status::kWrong || timed.empty()) {
      return set_failure(summary, status, (*it)->reason);
    }
    add_warning(summary,
                fmt::format("{} of {} invocations failed: {}", timing.size() - timed.size(),
                            timing.size(), failure_text(status, (*it)->reason)));
    return;
  }
  if (!timed.empty()) {
    if (timed.size() < timing.size()) {
      add_warning(summary, "some invocations returned no usable repetition");
    }
    return;
  }
  if (timing.empty()) return find_untimed_status(group, summary);
  set_failure(summary, Status::kError, "the worker returned no usable repetition");
}

// Joins the distinct values of a field that should have only one.
std::vector<std::string> distinct(const Group& group, std::string Invocation::*field) {
  std::vector<std::string> all;
  for (const Invocation* i : group) {
    const std::string& text = i->*field;
    if (!text.empty() && std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
  }
  return all;
}

void find_identity(const Group& group, RowSummary& summary) {
  const auto builds = distinct(group, &Invocation::build_id);
  const auto inputs = distinct(group, &Invocation::inputs_sha256);
  const auto choices = distinct(group, &Invocation::chose);
  if (!builds.empty()) summary.build_id = builds.front();
  if (!inputs.empty()) summary.inputs_sha256 = inputs.front();
  summary.chose = join(choices, " or ");
  if (builds.size() > 1) {
    add_warning(summary, fmt::format("measured with {} builds", builds.size()));
  }
  if (choices.size() > 1) add_warning(summary, "the variant chose differently between invocations");
  if (inputs.size() > 1 && summary.status == Status::kOk) {
    set_failure(summary, Status::kError, "its invocations had different inputs");
  }
}

void gather(const Group& group, RowSummary& summary) {
  for (const Invocation* i : group) {
    summary.max_abs_error = std::max(summary.max_abs_error, i->check.max_abs_error);
    summary.max_error_over_tolerance =
        std::max(summary.max_error_over_tolerance, i->check.worst_over_tolerance);
    summary.workspace_bytes = std::max(summary.workspace_bytes, i->workspace_bytes);
    for (const std::string& warning : i->warnings) add_warning(summary, warning);
  }
}

// A program gives the same count every time; of several the largest is shown.
void find_instructions(const Group& group, RowSummary& summary) {
  for (const Invocation* i : group) {
    if (i->status != Status::kOk || !i->instructions) continue;
    const bool more =
        !summary.instructions || summary.instructions->per_op < i->instructions->per_op;
    if (more) summary.instructions = i->instructions;
  }
}

// Exact numbers, so several counting passes must agree; if they don't, the largest is shown.
void find_allocs(const Group& group, RowSummary& summary) {
  for (const Invocation* i : group) {
    if (i->phase != Phase::kCount) continue;
    if (i->status == Status::kOk && i->allocs) {
      const auto size = [](const AllocCounts& c) {
        return std::tie(c.allocs_per_op, c.bytes_per_op);
      };
      const bool differs = summary.allocs && size(*summary.allocs) != size(*i->allocs);
      const bool steady =
          !differs && i->allocs->steady && (!summary.allocs || summary.allocs->steady);
      if (!summary.allocs || size(*summary.allocs) < size(*i->allocs)) summary.allocs = i->allocs;
      summary.allocs->steady = steady;
    } else if (i->status != Status::kOk && i->status != Status::kUnsupported) {
      add_warning(summary, "allocations not counted: " + failure_text(i->status, i->reason));
    }
  }
  if (summary.allocs && !summary.allocs->steady) {
    add_warning(summary, "allocations per operation are not steady");
  }
}

}  // namespace

Group timed_invocations(const Group& group) { return select(group, is_timed); }

void set_failure(RowSummary& summary, Status status, const std::string& reason) {
  summary.status = status;
  summary.reason = reason;
}

void add_row_state(const Group& group, const Group& timed, RowSummary& summary) {
  find_status(group, timed, summary);
  find_identity(group, summary);
  gather(group, summary);
  find_allocs(group, summary);
  find_instructions(group, summary);
}

}  // namespace nsop::stats
