// Inputs and expected outputs of a case, computed once by the reference worker.
//
// Entries are keyed by (case, seed, hash of the reference sources), verified by SHA-256 when first
// read, and published by renaming a finished folder. What took the reference less than 200 ms is
// kept for this process only; the rest persists, at most 1 GB, least recently used out first.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/run/workers/worker_client.h"

namespace nsop::run {

struct ReferenceData {
  std::vector<std::string> inputs, expected;  // .npy paths: <f4 and <f8
  std::string inputs_sha256;                  // over all inputs
};

class OracleCache {
 public:
  // `persistent` may be empty: nothing is kept. `scratch` must exist.
  OracleCache(WorkerCommand reference, std::string reference_sha256, std::string persistent,
              std::string scratch, int64_t max_bytes = int64_t{1} << 30);

  // Throws WorkerFailure when the reference worker fails, Error when a folder can't be written.
  // Of a case with given_outputs, `expected` is empty.
  const ReferenceData& get(const std::string& case_text, uint64_t seed);

  // What the outputs of a case with given_outputs must be, given those at these .npy paths: paths
  // of the expected ones, valid until the next call. Of the latest ones some are kept for this
  // process: a step that draws the same numbers again, as most do, is checked again at once.
  std::vector<std::string> given(const std::string& case_text, uint64_t seed,
                                 const std::vector<std::string>& outputs);

 private:
  WorkerClient& worker();
  std::string compute(const std::string& key, const std::string& case_text, uint64_t seed);
  bool load(const std::string& folder, ReferenceData& data) const;
  void evict() const;

  WorkerCommand command_;
  std::string reference_sha256_, persistent_, scratch_;
  int64_t max_bytes_;
  std::unique_ptr<WorkerClient> worker_;
  std::map<std::string, ReferenceData> known_;
  std::deque<std::string> given_;  // folders of the latest answers of given(), oldest first
  std::set<std::string> in_use_;   // keys whose files this process hands out: never evicted by it
};

// `$XDG_CACHE_HOME/nsop/oracle`, `$HOME/.cache/nsop/oracle`, or empty when neither is set.
std::string default_oracle_folder();

}  // namespace nsop::run
