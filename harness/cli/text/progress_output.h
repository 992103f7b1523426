// What is shown on standard error while something is measured.
#pragma once

#include <string>

#include "harness/cli/context.h"
#include "harness/run/progress.h"
#include "harness/run/runner.h"

namespace nsop::cli {

// Nothing with --quiet, a bar on a terminal, else a line now and then.
run::ProgressLine::Mode progress_mode(const Context& context);

// How a run goes: its progress, and every row that fails.
class ProgressOutput : public run::Observer {
 public:
  explicit ProgressOutput(const Context& context);
  void note(const std::string& text) override;
  void progress(const RowKey& row, int64_t done, int64_t planned, double left_s) override;
  void finished(const Invocation& invocation) override;

 private:
  run::ProgressLine line_;
};

}  // namespace nsop::cli
