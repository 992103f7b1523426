#include "harness/judge/builds/command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/host/secrets.h"
#include "harness/core/text.h"
#include "harness/run/workers/interrupt.h"

namespace nsop::judge {
namespace {

constexpr int kNotStarted = 127;

// Git sets these variables for the hooks, aliases and scripts that it runs. They name the
// repository of the caller, and we run git in another one.
constexpr const char* kOfGit[] = {"GIT_DIR",        "GIT_WORK_TREE",  "GIT_IMPLICIT_WORK_TREE",
                                  "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
                                  "GIT_PREFIX"};

// Messages in English, in which errors are looked for, and in the user's characters.
void speak_english() {
  if (const char* all = std::getenv("LC_ALL"); all != nullptr && *all != '\0') {
    setenv("LANG", all, 1);
  }
  unsetenv("LC_ALL");
  unsetenv("LANGUAGE");
  setenv("LC_MESSAGES", "C", 1);
}

// Git writes what it says by itself to a pipe in one piece too, not line by line.
void write_at_once() { setenv("GIT_FLUSH", "0", 1); }

// A build runs what somebody proposes.
void forget_secrets() {
  for (const std::string& name : secrets_of_environment()) unsetenv(name.c_str());
}

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

bool names_error(const std::string& line) {
  // What the linker misses comes before the error that it ended with.
  constexpr const char* kSigns[] = {"error:", "Error", "error ", "undefined reference to",
                                    "multiple definition of"};
  return line.starts_with("fatal:") ||
         std::any_of(std::begin(kSigns), std::end(kSigns),
                     [&](const char* sign) { return line.find(sign) != std::string::npos; });
}

// What Ninja is at: "[1/2] Building CXX object k.o".
bool is_progress(const std::string& line) {
  const size_t end = line.find_first_not_of("0123456789/", 1);
  return line.front() == '[' && end != std::string::npos && end > 1 && line[end] == ']';
}

// A file of this text that needs no reader, unlike a pipe, from its beginning.
int in_memory(const std::string& text) {
  const int file = memfd_create("input", MFD_CLOEXEC);
  const bool written =
      file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (!written || lseek(file, 0, SEEK_SET) != 0) {
    throw environment_error(
        fmt::format("no memory for a program's input: {}", std::strerror(errno)));
  }
  return file;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Ends the child's group, which may be compilers, once an interrupt has arrived; with force what
// still writes long after.
class Ending {
 public:
  explicit Ending(pid_t child) : child_(child) {}

  void go_on() {
    if (!run::is_interrupted()) return;
    if (waited_ms_ == 0) kill(-child_, SIGTERM);
    if (waited_ms_ == kGraceMs) kill(-child_, SIGKILL);
    if (waited_ms_ <= kGraceMs) waited_ms_ += kLookMs;
  }

  static constexpr int kLookMs = 100;

 private:
  static constexpr int kGraceMs = 5000;
  pid_t child_;
  int waited_ms_ = 0;
};

// Everything that the child writes.
std::string read_all(int fd, pid_t child) {
  std::string text;
  std::array<char, 4096> buffer;
  Ending ending(child);
  for (;;) {
    pollfd readable{fd, POLLIN, 0};
    const int ready = poll(&readable, 1, Ending::kLookMs);
    if (ready <= 0) {
      ending.go_on();
      continue;
    }
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n == 0 || (n < 0 && errno != EINTR)) return text;
    if (n > 0) text.append(buffer.data(), static_cast<size_t>(n));
  }
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& command, const std::string& folder,
                          const std::string& input) {
  const int readable = in_memory(input);
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) {
    throw environment_error(fmt::format("no pipe: {}", std::strerror(errno)));
  }
  const pid_t child = fork_child();
  if (child == 0) {
    setpgid(0, 0);
    dup2(readable, 0);
    write_to(pipe_ends[1]);
    if (chdir(folder.c_str()) != 0) _exit(kNotStarted);
    for (const char* name : kOfGit) unsetenv(name);
    speak_english();
    write_at_once();
    forget_secrets();
    become(command);
  }
  setpgid(child, child);  // whoever comes first; it fails for the other
  close(pipe_ends[1]);
  close(readable);
  CommandResult result;
  result.output = read_all(pipe_ends[0], child);
  close(pipe_ends[0]);
  result.status = wait_for(child);
  run::throw_if_interrupted();
  if (result.status == kNotStarted) {
    throw environment_error(
        fmt::format("{}: can't be run in {}; is it installed?", command.at(0), folder));
  }
  return result;
}

std::string first_error(const std::string& output) {
  std::string said, place, failed, last;
  bool is_command = false;  // Ninja prints what failed, its flags (-Werror) and all, then why
  for (const std::string& raw : split(output, '\n')) {
    const std::string line = trim(raw);
    if (line.empty() || std::exchange(is_command, false)) continue;
    if (!place.empty()) return place + " " + line;
    last = line;
    if (line.starts_with("FAILED: ")) {
      is_command = true;
      if (failed.empty()) said.clear();  // that was before
      if (failed.empty()) failed = line;
    } else if (line.starts_with("CMake Error") && line.ends_with(":")) {
      place = line;
    } else if (names_error(line)) {
      return line;
    } else if (!line.starts_with("ninja: build stopped") && !is_progress(line)) {
      said = line;
    }
  }
  for (const std::string& text : {place, said, failed}) {
    if (!text.empty()) return text;
  }
  return last;
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
