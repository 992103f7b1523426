// What another tool's file says, as runs of the store.
#pragma once

#include <string>
#include <vector>

#include "harness/core/sample.h"
#include "harness/foreign/file.h"
#include "harness/foreign/import/formats.h"
#include "harness/store/record/record.h"

namespace nsop::foreign {

struct RecordOptions {
  std::string host;          // the machine's name, where the file has none; empty: `unknown`
  std::string started_utc;   // when the run began, where the file doesn't say it
  std::string sha256;        // of the file
  std::string tool_version;  // ours
};

// A machine that its name alone says all of, because tools say different things of one machine; it
// is never the one that measures here. Empty: `unknown`.
Host foreign_host(const std::string& name);

struct ForeignRecord {
  store::RunRecord record;
  Run run;
  Host host;
  int64_t rows = 0, summaries = 0, failures = 0, samples = 0;
};

// A complete run of origin and trust `imported` for each run of the file that has a row. One sample
// is one invocation with one repetition, whose process is its session: the value of a row is the
// median of its samples, and a single sample or a summary gets no interval. Ids follow from the
// file's bytes and the host, so a file that is read twice gives the same runs. Rows whose name is
// too long for the store are left out of the record, and said so in `file`. Throws Error (bad data)
// for a run that began in the future and for one of more than a million samples.
std::vector<ForeignRecord> records_of(ForeignFile& file, const Format& format,
                                      const RecordOptions& options);

// The whole number of operations and of nanoseconds that say `ns` per operation to a part in a
// million: `iterations` as they are where that is exact enough, else ten, a hundred ... times them.
Repetition repetition_of(const ForeignSample& sample);

}  // namespace nsop::foreign
