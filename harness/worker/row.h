// The row that a worker has loaded: one case, prepared for one variant on one target.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/registry.h"
#include "harness/worker/allocs/alloc_counter.h"

namespace nsop::worker {

// What a request asks to be loaded; `target` is concrete.
struct RowRequest {
  Case op_case;
  std::string variant;
  std::string target;
  int threads = 1;
};

class Row {
 public:
  // Reads the inputs and prepares the step, without running it. `op` and `variant` must outlive the
  // row. Throws Error: (usage) when the files don't fit the op, else as the reader or the variant.
  Row(const Op& op, const Variant& variant, RowRequest request,
      const std::vector<std::string>& input_paths);
  Row(const Row&) = delete;  // the step refers to members
  Row& operator=(const Row&) = delete;

  bool is(const RowRequest& other) const;

  // Overwrites the inputs in place, so that whatever was derived from the first ones shows.
  void overwrite_inputs(const std::vector<std::string>& input_paths);

  // Fills the outputs with NaN, runs the step once and returns its wall time in ns. The first call
  // on a row is also the one whose allocations are counted, where there is a hook.
  int64_t run_once(const std::optional<AllocHook>& hook);

  // Write input<i>.npy, output<i>.npy into a folder and return the paths. Throw Error
  // (environment); write_outputs also when the step returns an output of another size than the
  // op's.
  std::vector<std::string> write_inputs(const std::string& dir) const;
  std::vector<std::string> write_outputs(const std::string& dir) const;

  Step& step() { return *step_; }
  const RowRequest& request() const { return request_; }
  // Shortest wall time of one operation so far, in ns.
  int64_t fastest_ns() const { return fastest_ns_; }
  // Of the first operation; all zero without a hook.
  const NsopAllocTotals& first_allocs() const { return first_allocs_; }

 private:
  std::vector<InputSpec> input_specs_;
  std::vector<OutputSpec> output_specs_;
  RowRequest request_;
  std::vector<Tensor> inputs_;
  std::vector<Tensor> outputs_;
  std::unique_ptr<Step> step_;  // last: it refers to the others, so it goes first
  int64_t fastest_ns_ = 0;
  NsopAllocTotals first_allocs_{};
};

// `dir/input0.npy`
std::string tensor_path(const std::string& dir, const char* stem, size_t i);

// Bytes of the inputs, outputs and (in double) expected outputs of a case; saturates instead of
// overflowing.
int64_t memory_bytes(const Op& op, const Case& op_case);

}  // namespace nsop::worker
