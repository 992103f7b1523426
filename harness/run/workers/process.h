// A child process with protocol pipes of its own.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace nsop::run {

struct ProcessOptions {
  std::vector<std::string> command;  // program and arguments; no shell is involved
  std::vector<int> cpus;             // affinity, set before exec; empty: inherited
  // `NAME=value`, added to ours, of which tokens, passwords and keys are left out.
  std::vector<std::string> environment;
};

// Starts the command with `--pipes IN,OUT` appended, in a process group of its own. What the child
// prints on standard output and error is drained and its tail kept for messages.
class Process {
 public:
  explicit Process(const ProcessOptions& options);  // throws Error (environment)
  // Kills the whole group if it still runs. Whatever it started elsewhere ends with it, too: this
  // program has no other children while it measures.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  bool write_line(const std::string& line);  // false when the child is gone

  enum class Read { kLine, kEnd, kTimeout, kTooLong };
  // Blocks until a line, the end of the pipe or the timeout. Sleeps in poll: no timer runs
  // meanwhile.
  Read read_line(std::string& line, int64_t timeout_ms);

  // Waits for the end; kills the group after `grace_ms`. Describes how it ended: `exit status 3`,
  // `signal 11 (Segmentation fault)`.
  std::string finish(int64_t grace_ms);
  void kill_group();
  // The last lines that the child printed, made safe for a terminal; at most 300 characters.
  std::string printed_tail() const;

 private:
  void drain_output();
  void gone();  // it was waited for

  pid_t pid_ = -1;
  int to_child_ = -1, from_child_ = -1, output_ = -1;
  std::string buffer_, printed_;
};

}  // namespace nsop::run
