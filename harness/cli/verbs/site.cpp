// nsop site, a verb (verbs.h): the store as static pages to look at, without a server.
#include "harness/report/site/site.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/renderer.h"
#include "harness/cli/session.h"
#include "harness/cli/verbs.h"
#include "harness/core/host/host.h"
#include "harness/core/identity.h"
#include "harness/judge/history/past.h"
#include "harness/run/scratch.h"

namespace nsop::cli {
namespace {

struct SiteOptions {
  std::string folder, since, host, history, judge;
  std::vector<std::pair<std::string, std::string>> compared;
};

void declare_site(CLI::App& verb, SiteOptions& o) {
  verb.add_option("folder", o.folder, "Folder of the site; an earlier site there is replaced")
      ->required();
  verb.add_option("--since", o.since, "Only runs from this day on, e.g. 2026-11-01");
  verb.add_option("--host", o.host, "Only this host: start of its id (default: all)");
  verb.add_option("--history", o.history, "Folder of files that `nsop check --history` wrote");
  verb.add_option("--compare", o.compared,
                  "Also compare these two runs: @last~1, uuid prefix, commit or baseline "
                  "(repeatable)");
  verb.add_option("--judge", o.judge,
                  "Page that `make judge-eval` wrote (default reports/generated/judge.md)");
}

// Throws Error (usage) for a text that is no day.
void must_be_day(const std::string& text) {
  if (text.empty() || utc_seconds(text + "T00:00:00Z")) return;
  throw usage_error(fmt::format("--since {}: expected a day, e.g. 2026-11-01", text));
}

// Throws Error (usage) for a folder that isn't there: the site would lack nights and say nothing.
void must_be_there(const std::string& folder) {
  if (folder.empty() || std::filesystem::is_directory(folder)) return;
  throw usage_error(fmt::format("--history {}: no such folder", folder));
}

std::vector<report::RunPair> compared_of(const store::Store& store, const SiteOptions& o) {
  std::vector<report::RunPair> pairs;
  for (const auto& [before, after] : o.compared) {
    const std::string host = this_host().id;
    pairs.push_back({store.resolve_run(before, host), store.resolve_run(after, host)});
    report::must_be_comparable(store, pairs.back());
  }
  return pairs;
}

void write_model(const Context& context, const SiteOptions& o, const std::string& path) {
  const store::Store store = open_for_reading(context.settings);
  judge::BuildPlace place;
  place.repository = context.settings.root;
  report::SiteChoice choice;
  choice.since = o.since;
  if (!o.host.empty()) {
    choice.host = judge::find_host(judge::Past(context.settings.db, o.history), o.host);
  }
  std::ofstream out(path, std::ios::binary);
  const std::string judge =
      o.judge.empty() ? context.settings.root + "/reports/generated/judge.md" : o.judge;
  report::write_site(
      {store, context.settings.db, o.history, judge, place, named_suites(context.settings, {}),
       choice, compared_of(store, o), NSOP_VERSION},
      [&](const Json& line) { out << line.dump() << '\n'; });
  out.flush();
  if (!out) throw environment_error(fmt::format("{}: can't be written", path));
}

ExitCode site_verb(Context& context, const SiteOptions& o) {
  must_be_day(o.since);
  must_be_there(o.history);
  const Renderer renderer(context.settings);
  const run::ScratchFolder scratch;
  const std::string model = scratch.path() + "/site.ndjson";
  write_model(context, o, model);
  const ExitCode code = renderer.run({"--site", model, "--out", o.folder});
  if (code == ExitCode::kOk) context.note(o.folder + "/index.html");
  return code;
}

}  // namespace

void bind_site(CLI::App& verb, Context& context) {
  bind_verb<SiteOptions>(verb, context, declare_site, site_verb);
}

}  // namespace nsop::cli
