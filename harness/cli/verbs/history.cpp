// nsop history, a verb (verbs.h): what every run of a host said of a case, and where its level
// changed.
#include "harness/report/stored/history.h"

#include <fmt/format.h>

#include "harness/cli/renderer.h"
#include "harness/cli/text/history_output.h"
#include "harness/cli/verbs.h"
#include "harness/core/files.h"
#include "harness/core/host/host.h"
#include "harness/core/identity.h"
#include "harness/core/io/json.h"
#include "harness/core/text.h"
#include "harness/judge/history/past.h"
#include "harness/judge/history/row_history.h"
#include "harness/run/scratch.h"

namespace nsop::cli {
namespace {

struct HistoryOptions {
  std::string pattern, variant, host, folder, plot, branch = "HEAD";
  int threads = 0, last = 60;
};

void declare_history(CLI::App& verb, HistoryOptions& o) {
  verb.add_option("case", o.pattern, "Case or pattern, e.g. 'tanh pass=forward n=*'")->required();
  verb.add_option("--variant", o.variant, "Only this one, e.g. hwy or hwy@AVX2");
  verb.add_option("--threads", o.threads, "Only this number of threads")
      ->check(CLI::Range(1, 4096));
  verb.add_option("--host", o.host, "Start of a host's id, or `all` (default: this one)");
  verb.add_option("--history", o.folder, "Folder of files that `nsop check --history` wrote");
  verb.add_option("--branch", o.branch,
                  "Revision whose line of commits is followed; other nights are marked (HEAD)");
  verb.add_option("--last", o.last, "Newest points that are shown (60)")
      ->check(CLI::Range(1, 100000));
  verb.add_option("--plot", o.plot, "Draw the points of a single row into this file (SVG)");
}

ExitCode draw(Context& context, const judge::RowHistory& row, const HistoryOptions& o) {
  const Renderer renderer(context.settings);
  const run::ScratchFolder scratch;
  const std::string json = scratch.path() + "/plot.json";
  const Json plot = report::history_plot(row, static_cast<size_t>(o.last));
  write_file_atomically(json, plot.dump(), Durability::kScratch);
  const ExitCode code = renderer.run({"--plot", json, "--out", o.plot});
  if (code == ExitCode::kOk) context.note(o.plot);
  return code;
}

// The rows that are meant, to be drawn: one. Throws Error (usage) when there are more.
class RowToDraw {
 public:
  void add(judge::RowHistory&& row) {
    names_.push_back(row.row.text());
    row_ = std::move(row);
  }
  const judge::RowHistory& only() const {
    if (names_.size() == 1) return row_;
    throw usage_error(
        fmt::format("--plot draws one row, these are {}: {}; name the case, "
                    "--variant and --threads",
                    names_.size(), join(names_, "; ")));
  }

 private:
  std::vector<std::string> names_;
  judge::RowHistory row_;
};

judge::RowPattern pattern_of(const HistoryOptions& o) { return {o.pattern, o.variant, o.threads}; }

// What each host says, one after the other: numbers of two hosts are never compared.
ExitCode history_of_all(Context& context, const judge::Past& past, const HistoryOptions& o) {
  if (!o.plot.empty()) throw usage_error("--plot draws a row of one host: name it with --host");
  std::vector<std::string> ids = judge::hosts_with(past, pattern_of(o));
  if (ids.empty()) ids.push_back(this_host().id);  // of which it is said that there is none
  const std::map<std::string, Host> hosts = past.hosts();
  Json views = Json::array();
  for (const std::string& id : ids) {
    judge::FollowedBranch branch({context.settings.root, {}}, o.branch, utc_now(),
                                 past.commits(id));
    HistoryOutput output(context, id, static_cast<size_t>(o.last));
    judge::each_history(past, pattern_of(o), id, [&](judge::RowHistory&& row) {
      branch.follow(row);
      output.add(std::move(row));
    });
    if (const std::string note = branch.left_out(); !note.empty()) context.note(note);
    const std::string& cpu = hosts.at(id).cpu_model;
    if (context.json) {
      views.push_back(output.view(branch.head()));
      views.back()["cpu_model"] = cpu;
    } else {
      context.out << (id == ids.front() ? "" : "\n")
                  << printable(fmt::format("host {} ({})", short_id(id), cpu)) << '\n';
      output.end(branch.head());
    }
  }
  if (context.json) {
    context.out << Json{{"schema", "nsop.history-hosts/1"}, {"hosts", std::move(views)}}.dump(2)
                << '\n';
  }
  return ExitCode::kOk;
}

ExitCode history_verb(Context& context, const HistoryOptions& o) {
  const judge::Past past(context.settings.db, o.folder);
  if (o.host == "all") return history_of_all(context, past, o);
  const std::string host_id = judge::find_host(past, o.host);
  judge::FollowedBranch branch({context.settings.root, {}}, o.branch, utc_now(),
                               past.commits(host_id));
  HistoryOutput output(context, host_id, static_cast<size_t>(o.last));
  RowToDraw drawn;
  judge::each_history(past, pattern_of(o), host_id, [&](judge::RowHistory&& row) {
    branch.follow(row);
    if (o.plot.empty()) return output.add(std::move(row));
    drawn.add(std::move(row));
  });
  if (const std::string note = branch.left_out(); !note.empty()) context.note(note);
  return o.plot.empty() ? output.end(branch.head()) : draw(context, drawn.only(), o);
}

}  // namespace

void bind_history(CLI::App& verb, Context& context) {
  bind_verb<HistoryOptions>(verb, context, declare_history, history_verb);
}

}  // namespace nsop::cli
