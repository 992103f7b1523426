#include "harness/run/outcome.h"

#include <algorithm>
#include <array>

namespace nsop::run {

ExitCode run_outcome(const std::vector<stats::RowSummary>& rows,
                     const std::vector<VariantInfo>& variants) {
  const auto is_ours = [&](const RowKey& row) {
    return std::any_of(variants.begin(), variants.end(), [&](const VariantInfo& v) {
      return is_own(v.role) && v.name == row.variant && row.case_text.starts_with(v.op + " ");
    });
  };
  const auto failed = [&](const stats::RowSummary& r) {
    return r.status != Status::kOk && r.status != Status::kUnsupported && is_ours(r.row);
  };
  if (std::any_of(rows.begin(), rows.end(), failed)) return ExitCode::kFailed;
  const bool any =
      std::any_of(rows.begin(), rows.end(), [](const auto& r) { return r.status == Status::kOk; });
  return any ? ExitCode::kOk : ExitCode::kInconclusive;
}

ExitCode worse_of(ExitCode a, ExitCode b) {
  constexpr std::array kWorstFirst = {ExitCode::kTerminated,   ExitCode::kInterrupted,
                                      ExitCode::kUsage,        ExitCode::kEnvironment,
                                      ExitCode::kBadData,      ExitCode::kFailed,
                                      ExitCode::kInconclusive, ExitCode::kOk};
  return *std::find_if(kWorstFirst.begin(), kWorstFirst.end(),
                       [&](ExitCode code) { return code == a || code == b; });
}

}  // namespace nsop::run
