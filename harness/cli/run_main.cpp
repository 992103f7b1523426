#include "harness/cli/run_main.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/adapters/adapter.h"
#include "harness/cli/verbs.h"
#include "harness/core/case.h"
#include "harness/judge/nightly/search.h"
#include "harness/run/workers/interrupt.h"
#include "harness/run/workers/worker_client.h"

namespace nsop::cli {
namespace {

void add_footer(CLI::App& verb) {
  verb.footer("Options of every verb, such as --db and --json: nsop --help");
  for (CLI::App* one : verb.get_subcommands(nullptr)) add_footer(*one);
}

std::string adapter_names() {
  std::vector<std::string> names;
  for (const adapters::AdapterKind& kind : adapters::adapter_kinds()) names.emplace_back(kind.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void declare(CLI::App& app, Context& context) {
  app.set_version_flag("--version", NSOP_VERSION);
  app.add_flag("--json", context.json, "Machine-readable output with a schema field");
  app.add_flag("-q,--quiet", context.quiet, "No progress and no notes");
  app.add_flag_callback(
      "--no-color", [&context] { context.color = false; }, "No colours");
  app.add_option(
      "--db", context.db_flag,
      "Database: a file, postgresql://… or service=NAME (NSOP_DB, nsop.toml; default nsop.db)");
  app.add_option("--worker", context.worker_flag, "Worker program (NSOP_WORKER)");
  app.add_option("--adapter", context.adapter_flag,
                 "Measure programs of other projects, asked in this way: " + adapter_names());
  app.add_option("--program", context.program_flag,
                 "The program of nsop.toml, or with --adapter the place of one");
  app.add_option("--suites", context.suites_flag, "Folder of suite files");
  app.add_option("--inconclusive", context.inconclusive,
                 "What an inconclusive end is: report (exit 3), pass (0) or fail (1)")
      ->check(CLI::IsMember({"report", "pass", "fail"}));
  app.require_subcommand(1);
  app.fallthrough();
  for (const Verb& verb : kVerbs) verb.bind(*app.add_subcommand(verb.name, verb.help), context);
  for (CLI::App* verb : app.get_subcommands(nullptr)) add_footer(*verb);
}

// What CLI11 makes of a mistake, and where more is said: the help of the verb that was meant.
std::string mistake(const CLI::App& app, const std::string& text) {
  const CLI::App* verb = &app;
  std::string command = "nsop";
  while (!verb->get_subcommands().empty()) {
    verb = verb->get_subcommands().front();
    command += " " + verb->get_name();
  }
  if (text != CLI::RequiredError::Subcommand(1).what()) {
    return fmt::format("{}; see {} --help", text, command);
  }
  std::vector<std::string> names;
  for (const CLI::App* one : verb->get_subcommands(nullptr)) names.push_back(one->get_name());
  return fmt::format("a verb is missing after `{}` (verbs: {}); see {} --help", command,
                     fmt::join(names, ", "), command);
}

// CLI11 says only that a word was not expected; a mistyped verb deserves a suggestion.
std::string verb_hint(const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  for (const Verb& verb : kVerbs) names.emplace_back(verb.name);
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i].starts_with('-')) continue;
    if (std::find(names.begin(), names.end(), arguments[i]) != names.end()) return {};
    const auto hit = nearest(arguments[i], names);
    std::sort(names.begin(), names.end());
    return fmt::format("unknown verb '{}'{} (verbs: {})", arguments[i],
                       hit ? fmt::format("; did you mean '{}'?", *hit) : "",
                       fmt::join(names, ", "));
  }
  return {};
}

// A step of `git bisect run`, as far as that can be said of arguments that may not parse.
bool is_git_step(const std::vector<std::string>& arguments) {
  const auto has = [&](const char* word) {
    return std::find(arguments.begin(), arguments.end(), word) != arguments.end();
  };
  return has("bisect") && has("--step");
}

int finish(ExitCode code, const Context& context) {
  if (context.git_step) return judge::code_for_git(code);
  if (code == ExitCode::kInconclusive && context.inconclusive == "pass") return 0;
  if (code == ExitCode::kInconclusive && context.inconclusive == "fail") return 1;
  return static_cast<int>(code);
}

int fail(Context& context, const std::string& message, ExitCode code) {
  context.complain(message);
  return finish(code, context);
}

int act(Context& context) {
  try {
    const ExitCode code = context.action();
    context.out.flush();
    if (!context.out) {
      return fail(context, "standard output can't be written; free space or redirect it elsewhere",
                  ExitCode::kEnvironment);
    }
    return finish(code, context);
  } catch (const run::Interrupted& interrupted) {
    return 128 + interrupted.signal;
  } catch (const Error& error) {
    return fail(context, error.what(), error.code());
  } catch (const run::WorkerFailure& failure) {
    return fail(context, failure.what(), ExitCode::kEnvironment);
  } catch (const std::bad_alloc&) {
    return fail(context, "out of memory", ExitCode::kEnvironment);
  } catch (const std::exception& error) {
    return fail(context, fmt::format("internal error: {}", error.what()), ExitCode::kEnvironment);
  }
}

int dispatch(const std::vector<std::string>& arguments, Context& context) {
  CLI::App app{"Measures tensor kernels, tells regressions from noise, writes the reports.",
               "nsop"};
  declare(app, context);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend() - 1);
  try {
    app.parse(reversed);
  } catch (const CLI::Success& done) {  // --help, --version
    return app.exit(done, context.out, context.err);
  } catch (const CLI::ParseError& error) {
    const std::string hint = verb_hint(arguments);
    return fail(context, hint.empty() ? mistake(app, error.what()) : hint, ExitCode::kUsage);
  }
  try {
    resolve_settings(context);
  } catch (const Error& error) {
    return fail(context, error.what(), error.code());
  }
  return act(context);
}

}  // namespace

int run_main(const std::vector<std::string>& arguments, Context& context) {
  context.git_step = is_git_step(arguments);
  return dispatch(arguments, context);
}

}  // namespace nsop::cli
