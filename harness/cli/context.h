// What every verb is given: streams, settings, and where the project's things lie.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/judge/builds/revisions.h"

namespace nsop::cli {

// Settings, each from the first that gives it: flag, environment, nsop.toml, default.
struct Settings {
  std::string root;         // the project: the nearest folder upwards with an nsop.toml
  std::string db;           // NSOP_DB; `<root>/nsop.db`
  std::string data;         // what comes with the program: suites, the renderer, peers' scripts
  std::string suites;       // folder of suite files; `<data>/harness/suites`
  std::string reports;      // folder of generated reports; `<root>/build/reports`
  std::string worker;       // NSOP_WORKER; `nsop-worker` beside this program
  std::string reference;    // gives inputs and expected outputs: `nsop-worker` beside this program
  std::string preload;      // `libnsop_alloc.so` of the worker; empty when there is none
  std::string own_preload;  // the one of nsop's own workers
  std::string site;         // NSOP_SITE; a URL or a folder: what pages, comments and alerts link to
  std::string bin;          // folder of this program, where peers' executables lie
  std::string peers;        // folder of peers' scripts; `<data>/reference/peers/python`
  std::string program;      // --program
  std::string revision;  // of which programs of other projects are built; empty: as they lie there
  judge::Foreign foreign;  // programs that are measured in place of the worker's operations
  std::string python;  // NSOP_PYTHON; the first interpreter that has pandas, matplotlib and Jinja2
};

struct Context {
  std::ostream& out;  // data
  std::ostream& err;  // progress and diagnostics
  bool out_is_terminal = false, err_is_terminal = false;
  bool json = false, quiet = false, color = false;
  std::string db_flag{}, worker_flag{}, suites_flag{}, adapter_flag{}, program_flag{};
  std::string inconclusive = "report";  // pass, fail, report: what exit code 3 becomes
  bool git_step = false;  // `git bisect run` reads the exit code: judge::code_for_git()
  Settings settings{};    // complete once the command line is parsed
  std::function<ExitCode()> action{};  // set by the chosen verb

  // Messages are one line each, whatever a worker, a file or a name put into them (message_line()).
  // `--quiet` silences notes, never data or errors.
  void note(const std::string& text);
  // What ended a verb: `nsop: ...`.
  void complain(const std::string& text);
};

void resolve_settings(Context& context);  // throws Error (usage) for a malformed nsop.toml

// Finds an interpreter that can render reports. Throws Error (environment) that says what to
// install.
std::string find_python(const Settings& settings);

// The first of NSOP_PYTHON, /usr/bin/python3 and python3 that has the module (which is not
// imported); empty when none has.
std::string find_python_with(const Settings& settings, const std::string& module);

// Makes the action of a verb `body` over options of type O that `declare` binds.
template <typename O>
void bind_verb(CLI::App& verb, Context& context, std::function<void(CLI::App&, O&)> declare,
               std::function<ExitCode(Context&, const O&)> body) {
  auto options = std::make_shared<O>();
  declare(verb, *options);
  verb.callback([&context, options, body] {
    context.action = [&context, options, body] { return body(context, *options); };
  });
}

// Declares a verb below another one: `nsop baseline set`.
template <typename O>
void add_verb(CLI::App& parent, Context& context, const std::string& name, const std::string& help,
              std::function<void(CLI::App&, O&)> declare,
              std::function<ExitCode(Context&, const O&)> body) {
  bind_verb<O>(*parent.add_subcommand(name, help), context, std::move(declare), std::move(body));
}

}  // namespace nsop::cli
