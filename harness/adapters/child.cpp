#include "harness/adapters/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/text.h"

extern char** environ;

namespace nsop::adapters {
namespace {

constexpr off_t kMostOutput = off_t{64} << 20;
constexpr size_t kErrorTail = 300;
constexpr int kLookMs = 1000;
constexpr int kNotStarted = 127;

// A file in memory that a child writes into: nobody has to read while it is timed.
class OutputFile {
 public:
  OutputFile() : fd_(memfd_create("output", MFD_CLOEXEC)) {
    if (fd_ < 0) {
      throw environment_error(
          fmt::format("can't keep the output of a program: {}", std::strerror(errno)));
    }
  }
  ~OutputFile() { close(fd_); }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  int fd() const { return fd_; }
  off_t size() const {
    struct stat about {};
    return fstat(fd_, &about) == 0 ? about.st_size : 0;
  }
  // The last bytes of it, `most` at most.
  std::string tail(size_t most) const {
    const auto bytes = static_cast<size_t>(size());
    std::string text(std::min(bytes, most), '\0');
    size_t done = 0;
    while (done < text.size()) {
      const ssize_t n = pread(fd_, text.data() + done, text.size() - done,
                              static_cast<off_t>(bytes - text.size() + done));
      if (n <= 0) break;
      done += static_cast<size_t>(n);
    }
    text.resize(done);
    return text;
  }

 private:
  int fd_;
};

// Everything the child needs, prepared before fork: after fork only async-signal-safe calls.
struct Launch {
  std::vector<std::string> arguments, environment;
  std::vector<char*> argv, envp;
};

void prepare(Launch& launch, const std::vector<std::string>& command,
             const std::vector<std::string>& environment) {
  launch.arguments = command;
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string_view variable(*e);
    if (variable.starts_with("BENCHMARK_") || variable.starts_with("LC_") ||
        variable.starts_with("LANG")) {
      continue;
    }
    const auto name = variable.substr(0, variable.find('=') + 1);
    const bool set = std::any_of(environment.begin(), environment.end(),
                                 [&](const std::string& own) { return own.starts_with(name); });
    if (!set) launch.environment.emplace_back(variable);
  }
  launch.environment.insert(launch.environment.end(), environment.begin(), environment.end());
  launch.environment.emplace_back("LC_ALL=C");
  for (std::string& a : launch.arguments) launch.argv.push_back(a.data());
  for (std::string& e : launch.environment) launch.envp.push_back(e.data());
  launch.argv.push_back(nullptr);
  launch.envp.push_back(nullptr);
}

[[noreturn]] void become(const Launch& launch, const char* folder, int output, int errors) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(null, 0);
  dup2(output >= 0 ? output : null, 1);
  dup2(errors, 2);
  signal(SIGPIPE, SIG_DFL);
  personality(ADDR_NO_RANDOMIZE);
  if (chdir(folder) != 0) _exit(kNotStarted);
  execve(launch.argv[0], launch.argv.data(), launch.envp.data());
  _exit(kNotStarted);
}

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int64_t ns_of(const timeval& time) {
  return (int64_t{time.tv_sec} * 1'000'000 + time.tv_usec) * 1000;
}

// Sleeps until the child has ended; false where it prints without end.
bool wait_for(pid_t pid, const OutputFile& output, const OutputFile& errors) {
  // glibc 2.36 declares pidfd_open() for C alone.
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  bool sane = true;
  while (handle >= 0) {
    pollfd end{handle, POLLIN, 0};
    const int ready = poll(&end, 1, kLookMs);
    if (ready > 0) break;
    if (output.size() + errors.size() <= kMostOutput) continue;
    kill(pid, SIGKILL);
    sane = false;
    break;
  }
  if (handle >= 0) close(handle);
  return sane && output.size() <= kMostOutput;
}

std::string program_of(const ChildOptions& options) {
  const std::string& name = options.command.at(0);
  if (name.find('/') == std::string::npos) {
    const std::string found = program_on_path(name);
    if (found.empty()) {
      throw environment_error(fmt::format("{}: no program of that name on the PATH", name));
    }
    return std::filesystem::absolute(found).string();
  }
  const std::string path = (std::filesystem::path(options.folder) / name).string();
  if (access(path.c_str(), X_OK) != 0 || std::filesystem::is_directory(path)) {
    throw environment_error(
        fmt::format("{}: no program that can be started; build it first", path));
  }
  return path;
}

}  // namespace

ChildResult run_child(const ChildOptions& options) {
  Launch launch;
  std::vector<std::string> command = options.command;
  command.at(0) = program_of(options);
  prepare(launch, command, options.environment);
  const OutputFile output, errors;
  const int64_t begin = now_ns();
  const pid_t pid = fork();
  if (pid < 0) throw environment_error(fmt::format("can't fork: {}", std::strerror(errno)));
  if (pid == 0) {
    become(launch, options.folder.c_str(), options.keep_output ? output.fd() : -1, errors.fd());
  }
  const bool sane = wait_for(pid, output, errors);
  int status = 0;
  rusage usage{};
  while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  ChildResult result;
  result.wall_ns = now_ns() - begin;
  if (!sane) {
    throw bad_data(
        fmt::format("{}: prints more than {} MiB", command[0], int64_t{kMostOutput} >> 20));
  }
  constexpr int kSignals = 128;  // as shells count
  result.status = WIFSIGNALED(status) ? kSignals + WTERMSIG(status) : WEXITSTATUS(status);
  result.output = output.tail(static_cast<size_t>(kMostOutput));
  result.errors = message_line(trim(errors.tail(kErrorTail)));
  result.cpu_ns = ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
  result.involuntary_switches = usage.ru_nivcsw;
  result.minor_faults = usage.ru_minflt;
  result.major_faults = usage.ru_majflt;
  return result;
}

std::vector<int64_t> beyond_usual(const std::vector<int64_t>& counts) {
  if (counts.empty()) return {};
  std::vector<int64_t> sorted = counts;
  std::sort(sorted.begin(), sorted.end());
  const int64_t usual = sorted[(sorted.size() - 1) / 2];
  std::vector<int64_t> beyond;
  for (const int64_t count : counts) beyond.push_back(std::max<int64_t>(count - usual, 0));
  return beyond;
}

std::string end_text(const ChildResult& result) {
  constexpr int kSignals = 128;
  std::string text = result.status > kSignals
                         ? fmt::format("ended by signal {} ({})", result.status - kSignals,
                                       strsignal(result.status - kSignals))
                         : fmt::format("exit status {}", result.status);
  if (!result.errors.empty()) text += "; it printed: " + result.errors;
  return text;
}

}  // namespace nsop::adapters
