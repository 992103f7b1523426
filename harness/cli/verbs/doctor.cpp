// nsop doctor, a verb (verbs.h): is this machine fit to measure, and what to do about it.
#include "harness/run/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "harness/cli/session.h"
#include "harness/cli/text/table.h"
#include "harness/cli/verbs.h"
#include "harness/core/io/json.h"
#include "harness/core/text.h"

namespace nsop::cli {
namespace {

struct DoctorOptions {};

run::Finding found(const std::string& name, bool there, const std::string& path,
                   const std::string& without) {
  if (there) return {name, run::Level::kOk, path, ""};
  return {name, run::Level::kBad, without, "make build"};
}

// Which other libraries can be measured beside ours; looked for, not started.
run::Finding check_peers(const Settings& settings) {
  const run::PeerPlaces places = peer_places(settings);
  const std::vector<std::string> found = run::installed_peers(places);
  std::vector<std::string> missing;
  for (const std::string& name : run::peer_names(places)) {
    if (!std::binary_search(found.begin(), found.end(), name)) missing.push_back(name);
  }
  const std::string there = found.empty() ? "none" : join(found, ", ");
  if (missing.empty()) return {"peers", run::Level::kOk, there, ""};
  return {"peers", run::Level::kWarn, there + "; not installed: " + join(missing, ", "),
          "make peers"};
}

// What nsop itself needs beside the machine.
std::vector<run::Finding> check_programs(const Settings& settings) {
  namespace fs = std::filesystem;
  std::vector<run::Finding> findings = {
      found("worker", fs::exists(settings.worker), settings.worker,
            settings.worker + " is not there"),
      found("allocation counter", !settings.preload.empty(), settings.preload,
            "libnsop_alloc.so is not beside the worker: allocations show as n/a")};
  try {
    findings.push_back({"python", run::Level::kOk, find_python(settings), ""});
  } catch (const Error& error) {
    findings.push_back({"python", run::Level::kBad, error.what(), "make setup"});
  }
  findings.push_back(check_peers(settings));
  return findings;
}

ExitCode doctor_verb(Context& context, const DoctorOptions&) {
  const char* path = std::getenv("PATH");
  std::vector<run::Finding> findings = run::examine(
      {"",
       context.settings.db,
       path == nullptr ? "" : path,
       {{"git", "git"}, {"cmake", "cmake"}, {"ninja", "ninja-build"}, {"g++", "g++"}}});
  for (run::Finding& f : check_programs(context.settings)) findings.push_back(std::move(f));
  int bad = 0, warnings = 0;
  Json list = Json::array();
  Table table({{"check"}, {"level"}, {"found"}, {"what to do"}});
  for (const run::Finding& f : findings) {
    bad += f.level == run::Level::kBad;
    warnings += f.level == run::Level::kWarn;
    list.push_back(
        {{"check", f.name}, {"level", level_text(f.level)}, {"found", f.what}, {"fix", f.fix}});
    table.add({f.name, level_text(f.level), f.what, f.fix});
  }
  if (context.json) {
    context.out << Json{{"schema", "nsop.doctor/1"}, {"findings", std::move(list)}}.dump(2) << '\n';
  } else {
    table.print(context.out);
    context.out << fmt::format("{} checks, {} warnings, {} bad\n", findings.size(), warnings, bad);
  }
  return bad > 0 ? ExitCode::kEnvironment : ExitCode::kOk;
}

}  // namespace

void bind_doctor(CLI::App& verb, Context& context) {
  bind_verb<DoctorOptions>(
      verb, context, [](CLI::App&, DoctorOptions&) {}, doctor_verb);
}

}  // namespace nsop::cli
