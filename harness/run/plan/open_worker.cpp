// open_worker() of plan.h: starts a worker and asks it who it is.
#include <filesystem>

#include "harness/core/hash.h"
#include "harness/core/io/json.h"
#include "harness/run/plan/plan.h"

namespace nsop::run {
namespace {

// What runs: the program, and where that is an interpreter its script and what the script says of
// its own files.
std::string program_sha256(const std::vector<std::string>& command, const std::string& said) {
  if (command.size() == 1 && said.empty()) return sha256_file(command[0]);
  std::string all = said;
  for (const std::string& word : command) {
    std::error_code error;
    if (std::filesystem::is_regular_file(word, error)) all += "\n" + sha256_file(word);
  }
  return sha256_hex(all);
}

}  // namespace

Worker open_worker(const std::vector<std::string>& command, const std::string& preload,
                   const std::vector<std::string>& environment) {
  Worker worker;
  worker.timing = {command, "", environment};
  // A program with arguments of ours asks others, each of which may take its time.
  constexpr int64_t kOthersMs = 600'000;
  if (command.size() > 1) worker.timing.hello_ms = kOthersMs;
  worker.counting = {command, preload, environment};
  WorkerClient client(worker.timing, {}, 1);
  worker.hello = client.hello();
  client.quit();
  worker.build = worker.hello.build;
  worker.build.binary_sha256 = program_sha256(command, worker.hello.build.binary_sha256);
  worker.build.id.clear();
  worker.build.id = sha256_hex(to_json(worker.build).dump());
  return worker;
}

}  // namespace nsop::run
