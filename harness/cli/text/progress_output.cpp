#include "harness/cli/text/progress_output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>

namespace nsop::cli {
namespace {

int terminal_columns() {
  winsize size{};
  return ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

run::ProgressLine::Mode progress_mode(const Context& context) {
  if (context.quiet) return run::ProgressLine::Mode::kSilent;
  return context.err_is_terminal ? run::ProgressLine::Mode::kTerminal
                                 : run::ProgressLine::Mode::kPlain;
}

ProgressOutput::ProgressOutput(const Context& context)
    : line_(stderr, progress_mode(context), terminal_columns()) {}

void ProgressOutput::note(const std::string& text) { line_.note(text); }

void ProgressOutput::progress(const RowKey& row, int64_t done, int64_t planned, double left_s) {
  line_.update(row.text(), done, planned, left_s);
}

void ProgressOutput::finished(const Invocation& invocation) {
  if (invocation.status == Status::kOk || invocation.status == Status::kUnsupported) return;
  line_.note(fmt::format("{}: {}: {}", invocation.row.text(), status_text(invocation.status),
                         invocation.reason));
}

}  // namespace nsop::cli
