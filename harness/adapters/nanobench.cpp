// Programs that write the JSON of nanobench into a file, an adapter of adapter.h.
//
// Template: https://nanobench.ankerl.com/reference.html (ankerl::nanobench::templates::json). Such
// a program has no flags of its own: it measures all that it has, as it likes, and the row that was
// asked for is taken.
#include <fmt/format.h>

#include <filesystem>

#include "harness/adapters/adapter.h"
#include "harness/adapters/child.h"
#include "harness/adapters/results.h"
#include "harness/core/error.h"

namespace nsop::adapters {
namespace {

foreign::ForeignRead run(const Program& program, const std::string& scratch) {
  const std::string file = scratch + "/nanobench.json";
  std::filesystem::remove(file);
  ChildOptions options{program.run, program.folder, false};
  bool named = false;
  for (std::string& word : options.command) {
    const size_t at = word.find("{out}");
    if (at == std::string::npos) continue;
    word.replace(at, std::string("{out}").size(), file);
    named = true;
  }
  if (!named) options.command.push_back(file);
  const ChildResult result = run_child(options);
  if (result.status != 0) {
    throw Error(ExitCode::kFailed, fmt::format("{}: {}", program.run.at(0), end_text(result)));
  }
  return read_results(file, "nanobench",
                      fmt::format("{}: it wrote nothing into the file that {}", program.run.at(0),
                                  named ? "{out} stands for"
                                        : "its last argument names: write {out} where it "
                                          "belongs"));
}

class Nanobench : public Adapter {
 public:
  std::string engine() const override { return "nanobench, of the program"; }

  Listing list(const Program& program, const std::string& scratch) const override {
    Listing listing = listed_in(run(program, scratch));
    for (Found& found : listing.cases) found.threads = program.threads;
    return listing;
  }

  Timed time(const Program& program, const TimeRequest& request,
             const std::string& scratch) const override {
    return timed_in(run(program, scratch), request.name, Clock::kWall);
  }
};

}  // namespace

const Adapter& nanobench_adapter() {
  static const Nanobench adapter;
  return adapter;
}

}  // namespace nsop::adapters
