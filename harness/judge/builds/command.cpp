#include "harness/judge/builds/command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
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

using Variables = std::map<std::string, std::string>;

Variables own_variables() {
  Variables variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const size_t end = text.find('=');
    if (end != std::string::npos) variables.emplace(text.substr(0, end), text.substr(end + 1));
  }
  return variables;
}

// Messages in English, in which errors are looked for, and in the user's characters.
void speak_english(Variables& variables) {
  const auto all = variables.find("LC_ALL");
  if (all != variables.end() && !all->second.empty()) variables["LANG"] = all->second;
  variables.erase("LC_ALL");
  variables.erase("LANGUAGE");
  variables["LC_MESSAGES"] = "C";
}

// Of a program that is run in another folder.
Variables variables_elsewhere() {
  Variables variables = own_variables();
  for (const char* name : kOfGit) variables.erase(name);
  speak_english(variables);
  variables["GIT_FLUSH"] = "0";  // git writes to a pipe in one piece, not line by line
  std::erase_if(variables, [](const auto& one) {  // a build runs what somebody proposes
    return is_secret(fmt::format("{}={}", one.first, one.second));
  });
  return variables;
}

// What a process begins with. A fork would copy what says which memory is whose: as long as git
// itself takes, once a history is read.
class Launch {
 public:
  Launch() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
  }
  ~Launch() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  void read_from(int file) { posix_spawn_file_actions_adddup2(&actions_, file, 0); }
  void write_to(int file) {
    posix_spawn_file_actions_adddup2(&actions_, file, 1);
    posix_spawn_file_actions_adddup2(&actions_, file, 2);
  }
  void in_folder(const std::string& folder) {
    posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
  }
  void in_own_group() { posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP); }
  void with(const Variables& variables) {
    entries_.clear();
    for (const auto& [name, value] : variables) entries_.push_back(name + "=" + value);
  }

  // nullopt: there is no such program or folder, or it may not be run.
  std::optional<pid_t> start(const std::vector<std::string>& command) const {
    std::vector<char*> arguments = pointers(command), variables = pointers(entries_);
    pid_t child = 0;
    const int error = posix_spawnp(&child, arguments[0], &actions_, &attributes_, arguments.data(),
                                   entries_.empty() ? environ : variables.data());
    if (error == EAGAIN || error == ENOMEM) {
      throw environment_error(fmt::format("no process: {}", std::strerror(error)));
    }
    return error == 0 ? std::optional(child) : std::nullopt;
  }

 private:
  static std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> all;
    for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
    all.push_back(nullptr);
    return all;
  }

  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
  std::vector<std::string> entries_;  // none: our own
};

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
  std::array<char, 65536> buffer;
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
    close(readable);
    throw environment_error(fmt::format("no pipe: {}", std::strerror(errno)));
  }
  Launch launch;
  launch.read_from(readable);
  launch.write_to(pipe_ends[1]);
  launch.in_folder(folder);
  launch.in_own_group();
  launch.with(variables_elsewhere());
  const std::optional<pid_t> child = launch.start(command);
  close(pipe_ends[1]);
  close(readable);
  CommandResult result{kNotStarted, ""};
  if (child) {
    result.output = read_all(pipe_ends[0], *child);
    result.status = wait_for(*child);
  }
  close(pipe_ends[0]);
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
  Launch launch;
  const int nowhere = output == Output::kDiscard ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
  if (nowhere >= 0) launch.write_to(nowhere);
  const std::optional<pid_t> child = launch.start(command);
  if (nowhere >= 0) close(nowhere);
  return child ? wait_for(*child) : kNotStarted;
}

}  // namespace nsop::judge
