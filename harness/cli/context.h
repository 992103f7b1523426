// What every verb is given: streams, settings, and where the project's things lie.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "harness/core/error.h"

namespace nsop::cli {

// Settings, each from the first that gives it: flag, environment, nsop.toml, default.
struct Settings {
  std::string root;       // the project: the nearest folder upwards with an nsop.toml
  std::string db;         // NSOP_DB; `<root>/nsop.db`
  std::string suites;     // folder of suite files; `<root>/harness/suites`
  std::string reports;    // folder of generated reports; `<root>/build/reports`
  std::string worker;     // NSOP_WORKER; `nsop-worker` beside this program
  std::string reference;  // gives inputs and expected outputs: `nsop-worker` beside this program
  std::string preload;    // `libnsop_alloc.so` beside the worker; empty when it isn't there
  std::string bin;        // folder of this program, where peers' executables lie
  std::string peers;      // folder of peers' scripts; `<root>/reference/peers/python`
  std::string python;  // NSOP_PYTHON; the first interpreter that has pandas, matplotlib and Jinja2
};

struct Context {
  std::ostream& out;  // data
  std::ostream& err;  // progress and diagnostics
  bool out_is_terminal = false, err_is_terminal = false;
  bool json = false, quiet = false, color = false;
  std::string db_flag{}, worker_flag{}, suites_flag{};
  std::string inconclusive = "report";  // pass, fail, report: what exit code 3 becomes
  Settings settings{};                  // complete once the command line is parsed
  std::function<ExitCode()> action{};   // set by the chosen verb

  // `--quiet` silences notes, never data or errors.
  void note(const std::string& text);
};

void resolve_settings(Context& context);  // throws Error (usage) for a malformed nsop.toml

// Finds an interpreter that can render reports. Throws Error (environment) that says what to
// install.
std::string find_python(const Settings& settings);

// The first of NSOP_PYTHON, /usr/bin/python3 and python3 that has the module (which is not
// imported); empty when none has.
std::string find_python_with(const Settings& settings, const std::string& module);

// One function per verb: declares its options and, if chosen, sets context.action.
using AddVerb = void (*)(CLI::App& app, Context& context);
void add_alert(CLI::App& app, Context& context);
void add_baseline(CLI::App& app, Context& context);
void add_bisect(CLI::App& app, Context& context);
void add_check(CLI::App& app, Context& context);
void add_db(CLI::App& app, Context& context);
void add_diff(CLI::App& app, Context& context);
void add_doctor(CLI::App& app, Context& context);
void add_export(CLI::App& app, Context& context);
void add_gate(CLI::App& app, Context& context);
void add_history(CLI::App& app, Context& context);
void add_import(CLI::App& app, Context& context);
void add_list(CLI::App& app, Context& context);
void add_report(CLI::App& app, Context& context);
void add_run(CLI::App& app, Context& context);
void add_verify(CLI::App& app, Context& context);

// Declares a verb whose action is `body` over options of type O that `declare` binds.
template <typename O>
CLI::App* add_verb(CLI::App& parent, Context& context, const std::string& name,
                   const std::string& help, std::function<void(CLI::App&, O&)> declare,
                   std::function<ExitCode(Context&, const O&)> body) {
  CLI::App* verb = parent.add_subcommand(name, help);
  auto options = std::make_shared<O>();
  declare(*verb, *options);
  verb->callback([&context, options, body] {
    context.action = [&context, options, body] { return body(context, *options); };
  });
  return verb;
}

// The whole program: parses, runs the verb, turns errors into one line and an exit code.
int run_main(const std::vector<std::string>& arguments, Context& context);

}  // namespace nsop::cli
