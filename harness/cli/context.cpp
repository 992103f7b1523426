#include "harness/cli/context.h"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "harness/adapters/adapter.h"
#include "harness/adapters/program_toml.h"
#include "harness/core/files.h"
#include "harness/core/suite/toml_reader.h"
#include "harness/core/text.h"
#include "harness/judge/builds/command.h"
#include "harness/report/site/site_links.h"
#include "harness/store/backend/address.h"

namespace nsop::cli {
namespace {

namespace fs = std::filesystem;
constexpr const char* kSuites = "harness/suites";
constexpr std::array<std::string_view, 5> kKeys = {"db", "suites", "reports", "worker",
                                                   "site"};  // of nsop.toml

std::string find_upwards(fs::path from, const std::string& name) {
  while (true) {
    if (fs::exists(from / name)) return from.string();
    if (from == from.parent_path()) return {};
    from = from.parent_path();
  }
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

toml::table read_config(const std::string& root) {
  const std::string path = root + "/nsop.toml";
  if (!fs::exists(path)) return {};
  toml::table table = parse_toml(read_file(path), path);
  for (const auto& [key, node] : table) {
    if (key == "programs") continue;  // programs_of() says what is wrong with them
    if (std::find(kKeys.begin(), kKeys.end(), key.str()) == kKeys.end()) {
      throw usage_error(fmt::format("{}:{}: unknown key '{}' (keys: {}, programs)", path,
                                    node.source().begin.line, key.str(), fmt::join(kKeys, ", ")));
    }
    if (!node.is_string()) {
      throw usage_error(
          fmt::format("{}:{}: expected {} = \"...\"", path, node.source().begin.line, key.str()));
    }
  }
  return table;
}

// The folder with the suites, the renderer and the peers' scripts: the project, else the source
// tree that the program was built in, else what was installed beside it.
std::string data_folder(const std::string& root, const fs::path& program) {
  if (fs::exists(fs::path(root) / kSuites)) return root;
  const std::string tree = find_upwards(program.parent_path(), kSuites);
  if (!tree.empty()) return tree;
  const fs::path installed = program.parent_path().parent_path() / "share/nsop";
  return fs::exists(installed / kSuites) ? installed.string() : root;
}

// The library that counts allocations of the worker: beside it, else what was installed with nsop.
std::string counting_library(const fs::path& worker, const fs::path& program) {
  const std::string name = "libnsop_alloc.so";
  for (const fs::path& folder :
       {worker.parent_path(), program.parent_path().parent_path() / "lib/nsop/preload"}) {
    if (fs::exists(folder / name)) return fs::absolute(folder / name).string();
  }
  return {};
}

// Programs that the flags or nsop.toml name, unless a worker is named: theirs are measured.
judge::Foreign foreign_of(const Context& context, const toml::table& config,
                          const std::string& path) {
  judge::Foreign foreign;
  foreign.programs = adapters::programs_of(config, path);
  foreign.kind = context.adapter_flag;
  if (!foreign.kind.empty()) {
    adapters::adapter_named(foreign.kind);
    foreign.programs.clear();
  } else if (!context.program_flag.empty()) {
    std::erase_if(foreign.programs,
                  [&](const auto& program) { return program.name != context.program_flag; });
    if (foreign.programs.empty()) {
      throw usage_error(
          fmt::format("--program {}: {} names no such program; give its place and "
                      "--adapter",
                      context.program_flag, path));
    }
  }
  return foreign;
}

std::string first_of(std::initializer_list<std::string> candidates) {
  for (const std::string& c : candidates) {
    if (!c.empty()) return c;
  }
  return {};
}

}  // namespace

void Context::note(const std::string& text) {
  if (!quiet) err << message_line(store::without_passwords(text)) << std::endl;
}

void Context::complain(const std::string& text) {
  err << "nsop: " << message_line(store::without_passwords(text)) << std::endl;
}

void resolve_settings(Context& context) {
  const fs::path program = fs::weakly_canonical("/proc/self/exe");
  Settings& s = context.settings;
  s.root =
      first_of({find_upwards(fs::current_path(), "nsop.toml"),
                find_upwards(program.parent_path(), "nsop.toml"), fs::current_path().string()});
  const toml::table config = read_config(s.root);
  // A relative path in nsop.toml is relative to that file.
  const auto configured = [&](const char* key) -> std::string {
    const auto value = config[key].value<std::string>();
    return value ? (fs::path(s.root) / *value).lexically_normal().string() : "";
  };
  const std::string db = config["db"].value_or(std::string());
  s.db = first_of({context.db_flag, environment("NSOP_DB"),
                   store::is_server(db) ? db : configured("db"), s.root + "/nsop.db"});
  s.data = data_folder(s.root, program);
  s.suites = first_of({context.suites_flag, configured("suites"), s.data + "/" + kSuites});
  // A URL as it is.
  const std::string site = config["site"].value_or(std::string());
  s.site = first_of({environment("NSOP_SITE"), report::is_url(site) ? site : configured("site")});
  s.reports = first_of({configured("reports"), s.root + "/build/reports"});
  s.reference = (program.parent_path() / "nsop-worker").string();
  s.worker = first_of(
      {context.worker_flag, environment("NSOP_WORKER"), configured("worker"), s.reference});
  s.preload = counting_library(s.worker, program);
  s.own_preload = counting_library(program, program);
  s.python = environment("NSOP_PYTHON");
  s.bin = program.parent_path().string();
  s.peers = s.data + "/reference/peers/python";
  s.program = context.program_flag;
  s.foreign = foreign_of(context, config, s.root + "/nsop.toml");
  s.foreign.preload = s.own_preload;
  const bool named = !s.foreign.programs.empty() || !s.foreign.kind.empty();
  if (named && context.worker_flag.empty()) s.foreign.adapter = s.bin + "/nsop-adapter";
}

std::string find_python_with(const Settings& settings, const std::string& module) {
  const std::string code =
      "import sys, importlib.util as u; sys.exit(u.find_spec(sys.argv[1]) is None)";
  for (const std::string& python :
       {settings.python, std::string("/usr/bin/python3"), program_on_path("python3")}) {
    if (python.empty()) continue;
    if (judge::run_program({python, "-c", code, module}, judge::Output::kDiscard) == 0)
      return python;
  }
  return {};
}

std::string find_python(const Settings& settings) {
  const auto usable = [](const std::string& python) {
    return judge::run_program({python, "-c", "import pandas, matplotlib, jinja2"},
                              judge::Output::kDiscard) == 0;
  };
  for (const std::string& python :
       {settings.python, std::string("/usr/bin/python3"), std::string("python3")}) {
    if (!python.empty() && usable(python)) return python;
  }
  throw environment_error(
      "no Python with pandas, matplotlib and Jinja2: run `make setup`, or name one by NSOP_PYTHON");
}

}  // namespace nsop::cli
