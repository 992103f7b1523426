#include "harness/worker/worker_main.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/registry.h"
#include "harness/worker/build_info.h"
#include "harness/worker/listing.h"
#include "harness/worker/protocol/pipes.h"
#include "harness/worker/server.h"

namespace nsop::worker {
namespace {

std::string usage_text(const std::string& program) {
  return fmt::format(
      "Usage: {} --pipes IN,OUT | --list | --registrations | --version | --help\n\n"
      "Runs operations for nsop, which starts it; see docs/protocol.md.\n\n"
      "  --pipes IN,OUT  serve requests from file descriptor IN, answer on OUT\n"
      "  --list          show the ops and variants that this worker has\n"
      "  --registrations tell from where in the program they were registered, as JSON, if\n"
      "                  NSOP_TRACE_REGISTRATIONS is set\n"
      "  --version       show the version and the protocol\n",
      program);
}

// What was registered can be asked for: nobody finds out in the middle of a run.
void must_be_complete() {
  for (const Op& op : all_ops()) {
    const char* lacking = nullptr;
    if (!op.inputs) lacking = "inputs";
    if (!op.outputs) lacking = "outputs";
    if (!op.oracle && !op.oracle_given) lacking = "oracle";
    if (!op.tolerance && !op.output_tolerances) lacking = "tolerance";
    if (!op.work) lacking = "work";
    if (lacking != nullptr) {
      throw usage_error(fmt::format("op '{}' has no {}: give one", op.spec.name, lacking));
    }
  }
  for (const Variant& variant : all_variants()) {
    if (find_op(variant.op) == nullptr) {
      throw usage_error(
          fmt::format("variant '{}' is of op '{}', which is not in this program: "
                      "link the source that registers it",
                      variant.name, variant.op));
    }
    if (!variant.targets || !variant.prepare) {
      throw usage_error(fmt::format("variant '{}' of '{}' has no {}: give one", variant.name,
                                    variant.op, variant.targets ? "prepare" : "targets"));
    }
  }
}

int run(const std::string& program, const std::vector<std::string>& args) {
  if (args.size() == 2 && args[0] == "--pipes") {
    const auto [in, out] = parse_pipes(args[1]);
    must_be_complete();
    Server server(Surroundings::of_this_process(program));
    return serve(server, in, out);
  }
  if (args.size() != 1) throw usage_error("expected one option; see --help");
  if (args[0] == "--help") {
    fmt::print("{}", usage_text(program));
  } else if (args[0] == "--version") {
    const Build build = build_info();
    fmt::print("{} {} (commit {}{}), protocol 1\n", program, tool_version(), build.commit,
               build.dirty ? ", dirty" : "");
  } else if (args[0] == "--list") {
    must_be_complete();
    fmt::print("{}", listing_text());
  } else if (args[0] == "--registrations") {
    fmt::print("{}\n", registrations_json().dump());
  } else {
    throw usage_error(fmt::format("unknown option '{}'; see --help", args[0]));
  }
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace

int worker_main(int argc, char** argv) {
  const std::string program =
      argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "nsop-worker";
  try {
    return run(program, {argv + 1, argv + argc});
  } catch (const Error& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
    return static_cast<int>(ExitCode::kEnvironment);
  }
}

}  // namespace nsop::worker
