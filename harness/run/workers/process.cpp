#include "harness/run/workers/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "harness/core/error.h"
#include "harness/core/host/secrets.h"
#include "harness/core/text.h"
#include "harness/run/workers/interrupt.h"

extern char** environ;

namespace nsop::run {
namespace {

constexpr size_t kMaxLine = 16u << 20;
constexpr size_t kMaxPrinted = 4096;
constexpr int kMostPieces = 64;  // of output that are read at a time

struct Pipe {
  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0) {
      throw environment_error(fmt::format("can't make a pipe: {}", std::strerror(errno)));
    }
  }
  int read_end() const { return ends[0]; }
  int write_end() const { return ends[1]; }
  int ends[2];
};

// Everything the child needs, prepared before fork: after fork only async-signal-safe calls.
struct Launch {
  std::vector<std::string> arguments, environment;
  std::vector<char*> argv, envp;
  cpu_set_t cpus;
  bool pinned = false;
};

void prepare(Launch& launch, const ProcessOptions& options, int in, int out) {
  launch.arguments = options.command;
  launch.arguments.insert(launch.arguments.end(), {"--pipes", fmt::format("{},{}", in, out)});
  for (char** e = environ; *e != nullptr; ++e) {
    if (!is_secret(*e)) launch.environment.emplace_back(*e);
  }
  for (const std::string& e : options.environment) {
    const std::string name = e.substr(0, e.find('=') + 1);
    std::erase_if(launch.environment, [&](const std::string& o) { return o.starts_with(name); });
    launch.environment.push_back(e);
  }
  for (std::string& a : launch.arguments) launch.argv.push_back(a.data());
  for (std::string& e : launch.environment) launch.envp.push_back(e.data());
  launch.argv.push_back(nullptr);
  launch.envp.push_back(nullptr);
  CPU_ZERO(&launch.cpus);
  for (const int cpu : options.cpus) CPU_SET(cpu, &launch.cpus);
  launch.pinned = !options.cpus.empty();
}

[[noreturn]] void run_child(const Launch& launch, int in, int out, int output) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, 0);
  dup2(output, 1);
  dup2(output, 2);
  fcntl(in, F_SETFD, 0);
  fcntl(out, F_SETFD, 0);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  if (launch.pinned && sched_setaffinity(0, sizeof launch.cpus, &launch.cpus) != 0) _exit(126);
  execvpe(launch.argv[0], launch.argv.data(), launch.envp.data());
  _exit(127);
}

std::vector<pid_t> children() {
  std::ifstream list(fmt::format("/proc/self/task/{}/children", getpid()));
  return {std::istream_iterator<pid_t>(list), {}};
}

// Children of ours that are Processes, or that whoever executed this program had before.
std::set<pid_t>& known() {
  static std::set<pid_t> pids = [] {
    const std::vector<pid_t> before = children();
    return std::set<pid_t>(before.begin(), before.end());
  }();
  return pids;
}

// What a worker left behind in a session of its own becomes a child of ours when the worker ends...
void adopt_orphans() {
  known();
  static const int once = prctl(PR_SET_CHILD_SUBREAPER, 1);
  static_cast<void>(once);
}

// ...and is ended, too, with whatever it started.
void end_orphans() {
  for (bool any = true; any;) {
    any = false;
    for (const pid_t pid : children()) {
      if (known().contains(pid)) continue;
      any = kill(pid, SIGKILL) == 0 && waitpid(pid, nullptr, 0) == pid;
    }
  }
}

int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Process::Process(const ProcessOptions& options) {
  if (access(options.command.at(0).c_str(), X_OK) != 0) {
    throw environment_error(
        fmt::format("{}: no program that can be started: {}; build it with "
                    "`make build` or name one with --worker",
                    options.command[0], std::strerror(errno)));
  }
  Pipe requests, answers, output;
  Launch launch;
  prepare(launch, options, requests.read_end(), answers.write_end());
  adopt_orphans();
  pid_ = fork();
  if (pid_ < 0) throw environment_error(fmt::format("can't fork: {}", std::strerror(errno)));
  if (pid_ == 0) {
    run_child(launch, requests.read_end(), answers.write_end(), output.write_end());
  }
  setpgid(pid_, pid_);
  known().insert(pid_);
  close(requests.read_end());
  close(answers.write_end());
  close(output.write_end());
  to_child_ = requests.write_end();
  from_child_ = answers.read_end();
  output_ = output.read_end();
  fcntl(output_, F_SETFL, O_NONBLOCK);
}

Process::~Process() {
  if (pid_ > 0) {
    kill_group();
    waitpid(pid_, nullptr, 0);
    gone();
  }
  for (const int fd : {to_child_, from_child_, output_}) {
    if (fd >= 0) close(fd);
  }
}

bool Process::write_line(const std::string& line) {
  const std::string text = line + '\n';
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = write(to_child_, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

void Process::drain_output() {
  std::array<char, 4096> chunk;
  ssize_t n = 0;
  // Not until it is empty: a child that prints without end would hold us up.
  for (int pieces = 0; pieces < kMostPieces; ++pieces) {
    n = read(output_, chunk.data(), chunk.size());
    if (n <= 0) break;
    printed_.append(chunk.data(), static_cast<size_t>(n));
    if (printed_.size() > kMaxPrinted) printed_.erase(0, printed_.size() - kMaxPrinted);
  }
  if (n == 0) {
    close(output_);
    output_ = -1;
  }
}

Process::Read Process::read_line(std::string& line, int64_t timeout_ms) {
  const int64_t deadline = now_ms() + timeout_ms;
  while (true) {
    const size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return Read::kLine;
    }
    if (buffer_.size() > kMaxLine) return Read::kTooLong;
    throw_if_interrupted();
    const int64_t left = deadline - now_ms();
    if (left <= 0) return Read::kTimeout;
    std::array<pollfd, 2> fds{{{from_child_, POLLIN, 0}, {output_, POLLIN, 0}}};
    const int ready = poll(fds.data(), fds.size(), static_cast<int>(left));
    if (ready < 0 && errno != EINTR) return Read::kEnd;
    if (ready <= 0) continue;
    if (fds[1].revents != 0) drain_output();
    if (fds[0].revents == 0) continue;
    std::array<char, 1 << 16> chunk;
    const ssize_t n = read(from_child_, chunk.data(), chunk.size());
    if (n == 0 || (n < 0 && errno != EINTR)) return Read::kEnd;
    if (n > 0) buffer_.append(chunk.data(), static_cast<size_t>(n));
  }
}

void Process::kill_group() {
  if (pid_ > 0) kill(-pid_, SIGKILL);
}

void Process::gone() {
  known().erase(pid_);
  pid_ = -1;
  end_orphans();
}

std::string Process::finish(int64_t grace_ms) {
  if (pid_ <= 0) return "already ended";
  if (to_child_ >= 0) close(to_child_);
  to_child_ = -1;
  const int64_t deadline = now_ms() + grace_ms;
  int status = 0;
  pid_t done = 0;
  while ((done = waitpid(pid_, &status, WNOHANG)) == 0 && now_ms() < deadline) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  if (done == 0) {
    kill_group();
    waitpid(pid_, &status, 0);
    if (output_ >= 0) drain_output();
    gone();
    return "did not end and was killed";
  }
  if (output_ >= 0) drain_output();
  kill_group();  // whatever it left behind
  gone();
  if (WIFSIGNALED(status)) {
    return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  }
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

std::string Process::printed_tail() const {
  return message_line(printed_.size() > 300 ? printed_.substr(printed_.size() - 300) : printed_);
}

}  // namespace nsop::run
