// nsop doctor, a verb (verbs.h): is this machine fit to measure, and what to do about it.
#include "harness/run/doctor.h"

#include <fmt/format.h>

#include <cstdlib>

#include "harness/cli/session.h"
#include "harness/cli/text/table.h"
#include "harness/cli/verbs.h"
#include "harness/core/io/json.h"
#include "harness/store/backend/address.h"

namespace nsop::cli {
namespace {

struct DoctorOptions {};

ExitCode doctor_verb(Context& context, const DoctorOptions&) {
  const char* path = std::getenv("PATH");
  const bool server = store::is_server(context.settings.db);
  std::vector<run::Finding> findings = run::examine(
      {"",
       server ? "" : context.settings.db,
       path == nullptr ? "" : path,
       {{"git", "git"}, {"cmake", "cmake"}, {"ninja", "ninja-build"}, {"g++", "g++"}}});
  if (server) findings.push_back(run::check_server(context.settings.db));
  const Settings& settings = context.settings;
  const run::OwnPrograms own{settings.worker, settings.preload,
                             [&] { return find_python(settings); }, peer_places(settings)};
  for (run::Finding& f : run::examine_programs(own)) findings.push_back(std::move(f));
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
  return run::exit_of(findings);
}

}  // namespace

void bind_doctor(CLI::App& verb, Context& context) {
  bind_verb<DoctorOptions>(
      verb, context, [](CLI::App&, DoctorOptions&) {}, doctor_verb);
}

}  // namespace nsop::cli
