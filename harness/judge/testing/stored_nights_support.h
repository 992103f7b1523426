// Nights in files, for tests of what looks back: one a day, the last of them today.
#pragma once

#include <fmt/format.h>

#include <string>

#include "harness/core/identity.h"
#include "harness/judge/history/nights.h"
#include "harness/judge/testing/nights_support.h"

namespace nsop::judge::test {

// The night so many days ago, of commit `c000`, `c001`, ... and of one row.
inline Night night_ago(int days, int number, double ns, const RowKey& row = kRelu) {
  Night night;
  night.run_id = fmt::format("run-{:04}", number);
  night.started_utc = utc_text(*utc_seconds(utc_now()) - int64_t{86400} * days - 60);
  night.profile = "quick";
  night.commit = fmt::format("c{:03}", number);
  night.toolchain = "gcc 12 | -O2";
  night.host.id = "host-a";
  night.host.cpu_model = "EPYC";
  NightRow one{row, Status::kOk, "inputs", ns, ns, 10, 0.0, 0.0, std::nullopt, std::nullopt};
  if (ns == 0) one.status = Status::kError;
  night.rows = {one};
  return night;
}

// `count` nights around 1000 ns, the newest `slow` of them slower by `factor`; returns the newest.
inline Night write_nights(const std::string& folder, int count, int slow = 0, double factor = 1) {
  const Line line = quiet_line(static_cast<size_t>(count));
  Night night;
  for (int i = 0; i < count; ++i) {
    const double ns = line[static_cast<size_t>(i)].ns * (i >= count - slow ? factor : 1);
    night = night_ago(count - 1 - i, i, ns);
    write_night(folder, night);
  }
  return night;
}

}  // namespace nsop::judge::test
