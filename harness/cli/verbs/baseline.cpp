// nsop baseline, a verb (verbs.h): named pointers to runs.
#include <fmt/format.h>

#include <set>

#include "harness/cli/session.h"
#include "harness/cli/text/table.h"
#include "harness/cli/verbs.h"
#include "harness/core/host/host.h"
#include "harness/core/identity.h"
#include "harness/core/io/json.h"
#include "harness/judge/history/releases.h"

namespace nsop::cli {
namespace {

struct SetOptions {
  std::string name, run = "@last", reason;
};
struct RemoveOptions {
  std::string name, reason, host;
};
struct BaselineListOptions {};

ExitCode set_baseline(Context& context, const SetOptions& o) {
  open_for_reading(context.settings);
  store::Store store(context.settings.db);
  const Run run = store.run(store.resolve_run(o.run, this_host().id));
  judge::must_be_baseline(run);
  store.set_baseline({o.name, run.host_id, run.id, o.reason, utc_now()});
  context.note(fmt::format("baseline {} is run {} now", o.name, short_id(run.id)));
  return ExitCode::kOk;
}

// The host whose baseline is meant: by the start of its id, else this one.
std::string host_of_baseline(const store::Store& store, const RemoveOptions& o) {
  if (o.host.empty()) return this_host().id;
  std::set<std::string> hosts;
  for (const store::Baseline& b : store.baselines()) {
    if (b.name == o.name && b.host_id.starts_with(o.host)) hosts.insert(b.host_id);
  }
  if (hosts.size() == 1) return *hosts.begin();
  throw usage_error(
      fmt::format("--host {}: {} hosts of that beginning have a baseline '{}'; "
                  "`nsop baseline list` shows them",
                  o.host, hosts.size(), o.name));
}

ExitCode remove_baseline(Context& context, const RemoveOptions& o) {
  open_for_reading(context.settings);
  store::Store store(context.settings.db);
  store.remove_baseline(o.name, host_of_baseline(store, o), o.reason);
  context.note(fmt::format("baseline {} is removed; its run stays", o.name));
  return ExitCode::kOk;
}

ExitCode list_baselines(Context& context, const BaselineListOptions&) {
  const std::vector<store::Baseline> baselines = open_for_reading(context.settings).baselines();
  if (context.json) {
    Json list = Json::array();
    for (const store::Baseline& b : baselines) {
      list.push_back({{"name", b.name},
                      {"run", b.run_id},
                      {"host", b.host_id},
                      {"set", b.set_utc},
                      {"reason", b.reason}});
    }
    context.out << Json{{"schema", "nsop.list/1"}, {"baselines", list}}.dump(2) << '\n';
    return ExitCode::kOk;
  }
  Table table({{"name"}, {"run"}, {"host"}, {"set"}, {"reason"}});
  for (const store::Baseline& b : baselines) {
    table.add({b.name, short_id(b.run_id), short_id(b.host_id), b.set_utc, b.reason});
  }
  table.print(context.out);
  return ExitCode::kOk;
}

}  // namespace

void bind_baseline(CLI::App& verb, Context& context) {
  verb.require_subcommand(1);
  add_verb<SetOptions>(
      verb, context, "set", "Make NAME point to a run (default @last) on this host",
      [](CLI::App& v, SetOptions& o) {
        v.add_option("name", o.name, "Name")->required();
        v.add_option("run", o.run, "Run: @last, uuid prefix, commit or baseline");
        v.add_option("--reason", o.reason, "Why; kept with it")->required();
      },
      set_baseline);
  add_verb<RemoveOptions>(
      verb, context, "remove", "Forget a name on this host, or on another that is named",
      [](CLI::App& v, RemoveOptions& o) {
        v.add_option("name", o.name, "Name")->required();
        v.add_option("--reason", o.reason, "Why; kept with it")->required();
        v.add_option("--host", o.host, "Start of a host's id, e.g. of published values");
      },
      remove_baseline);
  add_verb<BaselineListOptions>(
      verb, context, "list", "Show all", [](CLI::App&, BaselineListOptions&) {}, list_baselines);
}

}  // namespace nsop::cli
