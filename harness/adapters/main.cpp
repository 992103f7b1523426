// nsop-adapter: a worker (docs/protocol.md) whose operations are benchmarks of other programs.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/adapters/server.h"
#include "harness/core/error.h"
#include "harness/core/io/json.h"
#include "harness/worker/protocol/pipes.h"

namespace nsop::adapters {
namespace {

constexpr const char* kUsage =
    "Usage: nsop-adapter --programs JSON --pipes IN,OUT\n\n"
    "Measures benchmarks of other programs for nsop, which starts it; see docs/protocol.md.\n\n"
    "  --programs JSON  a list of programs, as nsop writes it\n"
    "  --pipes IN,OUT   serve requests from file descriptor IN, answer on OUT\n";

// A folder of this process's own, gone when it ends in good order; nsop sets TMPDIR to one that it
// removes itself.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "nsop-adapter-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw environment_error(fmt::format("{}: can't make a folder there", name));
    }
    path_ = name;
  }
  ~Scratch() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::vector<Program> programs_from(const std::string& text) {
  std::vector<Program> programs;
  const Json list = parse_json(text, "--programs");
  if (!list.is_array() || list.empty()) throw usage_error("--programs: expected a list");
  for (const Json& one : list) {
    programs.push_back(program_from_json(one));
    if (programs.back().run.empty()) throw usage_error("--programs: a program without a command");
    adapter_named(programs.back().adapter);
  }
  return programs;
}

int run(const std::vector<std::string>& args) {
  if (args.size() == 1 && args[0] == "--help") {
    fmt::print("{}", kUsage);
    return static_cast<int>(ExitCode::kOk);
  }
  if (args.size() != 4 || args[0] != "--programs" || args[2] != "--pipes") {
    throw usage_error("expected --programs JSON --pipes IN,OUT; see --help");
  }
  const auto [in, out] = worker::parse_pipes(args[3]);
  const Scratch scratch;
  Server server(programs_from(args[1]), scratch.path());
  return worker::serve(server, in, out);
}

}  // namespace
}  // namespace nsop::adapters

int main(int argc, char** argv) {
  try {
    return nsop::adapters::run({argv + 1, argv + argc});
  } catch (const nsop::Error& error) {
    fmt::print(stderr, "nsop-adapter: {}\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "nsop-adapter: {}\n", error.what());
    return static_cast<int>(nsop::ExitCode::kEnvironment);
  }
}
