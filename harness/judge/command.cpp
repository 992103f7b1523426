#include "harness/judge/command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "harness/core/error.h"
#include "harness/run/interrupt.h"

namespace nsop::judge {
namespace {

constexpr int kNotStarted = 127;

[[noreturn]] void become(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& a : command) arguments.push_back(const_cast<char*>(a.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(kNotStarted);
}

void write_to(int output) {
  dup2(output, 1);
  dup2(output, 2);
}

pid_t fork_child() {
  const pid_t child = fork();
  if (child < 0) throw environment_error(fmt::format("no process: {}", std::strerror(errno)));
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Everything that the child writes. An interrupt ends the child's group, which may be compilers.
std::string read_all(int fd, pid_t child) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n > 0) text.append(buffer.data(), static_cast<size_t>(n));
    if (n > 0 || (n < 0 && errno == EINTR)) {
      if (run::is_interrupted()) kill(-child, SIGTERM);
      continue;
    }
    return text;
  }
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& command, const std::string& folder) {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) {
    throw environment_error(fmt::format("no pipe: {}", std::strerror(errno)));
  }
  const pid_t child = fork_child();
  if (child == 0) {
    setpgid(0, 0);
    dup2(open("/dev/null", O_RDONLY), 0);
    write_to(pipe_ends[1]);
    if (chdir(folder.c_str()) != 0) _exit(kNotStarted);
    become(command);
  }
  setpgid(child, child);  // whoever comes first; it fails for the other
  close(pipe_ends[1]);
  CommandResult result;
  result.output = read_all(pipe_ends[0], child);
  close(pipe_ends[0]);
  result.status = wait_for(child);
  run::throw_if_interrupted();
  if (result.status == kNotStarted) {
    throw environment_error(fmt::format("{}: can't be run in {}", command.at(0), folder));
  }
  return result;
}

int run_program(const std::vector<std::string>& command, Output output) {
  const pid_t child = fork_child();
  if (child == 0) {
    if (output == Output::kDiscard) write_to(open("/dev/null", O_WRONLY));
    become(command);
  }
  return wait_for(child);
}

}  // namespace nsop::judge
