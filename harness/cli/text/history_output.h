// What `nsop history` prints.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "harness/cli/context.h"
#include "harness/cli/text/table.h"
#include "harness/core/io/json.h"
#include "harness/judge/history/row_history.h"

namespace nsop::cli {

// Every point of a single row, one line for each of several, or all of them as JSON. Of many rows
// it keeps the lines alone.
class HistoryOutput {
 public:
  // `last`: the newest points that are shown.
  HistoryOutput(Context& context, const std::string& host_id, size_t last);
  void add(judge::RowHistory&& row);
  // Prints what was added, one row at least (assert); `head` is the commit at the end of the line
  // that is followed, empty: none is.
  ExitCode end(const std::string& head);
  // With --json: what end() would print; nothing may be added afterwards.
  Json view(const std::string& head);

 private:
  void add_line(const judge::RowHistory& row);

  Context& context_;
  std::string host_id_;
  size_t last_;
  bool is_short_ = true;  // each row so far
  std::optional<judge::RowHistory> only_;
  Table lines_;
  Json rows_ = Json::array();
};

}  // namespace nsop::cli
