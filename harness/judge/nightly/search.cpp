#include "harness/judge/nightly/search.h"

#include <fmt/format.h>

#include <map>

#include "harness/run/workers/worker_client.h"

namespace nsop::judge {
namespace {

using stats::Verdict;

SearchStep judge_commit(const std::string& commit, const RowKey& row, const Change& change,
                        const GateResult& gate) {
  if (!gate.void_reason.empty()) return {commit, Side::kInconclusive, nullptr, gate.void_reason};
  const GateRowResult& r = result_in(gate, row);
  return {commit, side_of(r, change.kind, change.result.first.decision), &r, {}};
}

}  // namespace

const GateRowResult& result_in(const GateResult& gate, const RowKey& row) {
  if (!gate.void_reason.empty()) {
    throw Error(ExitCode::kInconclusive,
                fmt::format("the session is void: {}; the machine is too noisy, try again later",
                            gate.void_reason));
  }
  const GateRowResult* result = result_of(gate, row);
  if (result == nullptr) throw Error(ExitCode::kInconclusive, row.text() + ": was not measured");
  return *result;
}

Change change_between(const GateResult& gate, const RowKey& row, const std::string& good,
                      const std::string& bad) {
  const GateRowResult& r = result_in(gate, row);
  Change change{SuspectKind::kStep, r};
  if (r.first.base != Status::kOk) {
    throw Error(ExitCode::kInconclusive,
                fmt::format("{} can't be measured itself: {}", good, r.first.reason));
  }
  const Verdict time = r.first.decision.verdict;
  if (r.first.head != Status::kOk) {
    change.kind = SuspectKind::kFailure;
  } else if (r.verdict == Verdict::kWorse && time != Verdict::kWorse) {
    change.kind = SuspectKind::kCount;
  } else if (r.verdict != Verdict::kWorse && r.verdict != Verdict::kBetter) {
    throw Error(ExitCode::kInconclusive,
                fmt::format("{} against {}: {} ({}); there is no change to search for", bad, good,
                            stats::verdict_text(r.verdict), r.note));
  }
  return change;
}

Culprit search_change(const std::vector<std::string>& line, const RowKey& row, const Change& change,
                      Lab& lab, const std::function<void(const SearchStep&)>& told) {
  const auto judged = [&](const std::string& commit, const auto&) {
    std::map<RowKey, Side> sides;
    try {
      const GateResult gate = lab.compare(line.front(), commit, {row}, Purpose::kStep);
      const SearchStep step = judge_commit(commit, row, change, gate);
      sides[row] = step.side;
      told(step);
    } catch (const Error& error) {
      told({commit, Side::kUnknown, nullptr, error.what()});
    }
    return sides;
  };
  return bisect(line, {row}, judged)[0];
}

ExitCode exit_of(const Culprit& culprit) {
  return culprit.between.empty() ? ExitCode::kOk : ExitCode::kInconclusive;
}

ExitCode exit_of_step(const GateRowResult& r) {
  if (r.first.base != Status::kOk) return ExitCode::kInconclusive;
  if (r.verdict == Verdict::kWorse) return ExitCode::kFailed;
  const bool good = r.verdict == Verdict::kSame || r.verdict == Verdict::kBetter;
  return good ? ExitCode::kOk : ExitCode::kInconclusive;
}

ExitCode judge_step(const std::function<ExitCode()>& step) {
  const auto cant_judge = [](const char* why) {
    return Error(ExitCode::kInconclusive, fmt::format("can't judge: {}", why));
  };
  try {
    return step();
  } catch (const Error& error) {
    throw cant_judge(error.what());
  } catch (const run::WorkerFailure& failure) {
    throw cant_judge(failure.what());
  }
}

int code_for_git(ExitCode code) {
  constexpr int kCantJudge = 125;
  const bool verdict = code == ExitCode::kOk || code == ExitCode::kFailed;
  return verdict ? static_cast<int>(code) : kCantJudge;
}

}  // namespace nsop::judge
