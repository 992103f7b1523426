// The same random operations on a file and on a server: the same answers, the same errors, and in
// the end the same content, byte for byte.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdio>
#include <functional>
#include <vector>

#include "harness/core/identity.h"
#include "harness/store/backend/address.h"
#include "harness/store/copy.h"
#include "harness/store/testing/generators_support.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::store {
namespace {

using namespace test;

int operations = 0, refused_operations = 0, imports = 0, extensions = 0;

std::string without(std::string text, const std::string& path) {
  for (size_t at = 0; (at = text.find(path, at)) != std::string::npos;) text.erase(at, path.size());
  return text;
}

// rc::gen::inRange() gives small numbers only while values are to be small.
rc::Gen<int> evenly(int count) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, count));
}

class Both {
 public:
  Both() {
    on_both([](Store& store) {
      for (const char* host : {"host-a", "host-b"}) store.put_host(example_host(host));
      for (const char* build : {"build-a", "build-b"}) store.put_build(example_build(build));
    });
  }

  void step() {
    const std::string run = fmt::format("run-{}", *rc::gen::inRange(1, 5));
    const std::string host = *rc::gen::element<std::string>("host-a", "host-b");
    const std::string name = *rc::gen::element<std::string>("main", "other");
    switch (*evenly(14)) {
      case 0: {
        const nsop::Run begun = any_run(run, host);
        return on_both([&](Store& store) { store.begin_run(begun); });
      }
      case 1:
      case 2:
      case 3: {
        const Invocation one =
            any_invocation(run, *rc::gen::element<std::string>("build-a", "build-b", "build-c"),
                           *rc::gen::inRange(0, 6));
        return on_both([&](Store& store) { store.append(one); });
      }
      case 4: {
        const RunState state = *rc::gen::element(RunState::kComplete, RunState::kAborted);
        const std::string at = *any_time();
        return on_both([&](Store& store) { store.end_run(run, state, at); });
      }
      case 5:
        return on_both([&](Store& store) { store.resume_run(run); });
      case 6: {
        const Baseline baseline{name, host, run, *any_name(), *any_time()};
        return on_both([&](Store& store) { store.set_baseline(baseline); });
      }
      case 7:
        return on_both([&](Store& store) { store.remove_run(run, "why not"); });
      case 8: {
        const std::string before =
            *rc::gen::element<std::string>("2000-01-01T00:00:00Z", "2025-01-01T00:00:00Z", "never");
        return on_both([&](Store& store) { store.prune(before, false); });
      }
      case 9:
      case 10:
        return import();
      case 11:
      case 12:
        return extend(run, host);
      default: {
        const AlertEvent event{*rc::gen::element<std::string>("e1", "e2", "e3"), "a1",        host,
                               *rc::gen::element<std::string>("open", "close"),  *any_time(), "{}"};
        return on_both([&](Store& store) { store.append_alert_event(event); });
      }
    }
  }

  // A run that came from elsewhere, or one that both have or had; at times a damaged text.
  void import() {
    std::string text = *rc::gen::arbitrary<bool>() ? text_from_elsewhere() : text_of_here();
    if (!text.empty() && *rc::gen::inRange(0, 8) == 0) {
      text.erase(*rc::gen::inRange<size_t>(0, text.size()), 1);
    }
    on_both([&](Store& store) { import_run(store, text, "file"); });
    ++imports;
  }

  // What a merge of shards does: again and again, with more of the same run.
  void extend(const std::string& id, const std::string& host) {
    nsop::Run run = any_run(id, host);
    run.state = *rc::gen::element(RunState::kComplete, RunState::kAborted, RunState::kAborted);
    run.ended_utc = *any_time();
    std::vector<Invocation> shards;
    const int count = *rc::gen::inRange(0, 4);
    for (int i = 0; i < count; ++i) {
      shards.push_back(any_invocation(id, *rc::gen::element<std::string>("build-a", "build-b"),
                                      *rc::gen::inRange(0, 6)));
    }
    const std::vector<Build> builds = {
        example_build(*rc::gen::element<std::string>("build-a", "build-b")),
        example_build("build-b")};
    const auto open = *rc::gen::element(std::set<int>(), std::set<int>{0});
    std::vector<std::string> said;
    on_both([&](Store& store) {
      const ExtendedRun extended = store.extend_run(run, example_host(host), builds, shards, open);
      said.push_back(fmt::format("added {}, known {}, other {}", extended.added, extended.known,
                                 extended.is_other));
    });
    if (said.size() == 2) RC_ASSERT(said[0] == said[1]);
    ++extensions;
  }

  void compare() {
    RC_ASSERT(content(file_) == content(server_));
    RC_ASSERT(file_.verify().problems == std::vector<std::string>());
    RC_ASSERT(server_.verify().problems == std::vector<std::string>());
  }

  // What a copy of either says, file to server and server to file.
  void copy() {
    const std::string there = dir_.db("copy.db"), here = dir_.file("copy.db");
    copy_history(file_path_, there);
    copy_history(server_path_, here);
    RC_ASSERT(content(Store(there)) == content(Store(here)));
    RC_ASSERT(copy_history(file_path_, there).runs == 0);
    const std::string saved = dir_.file("backup.db");
    server_.backup(saved);
    RC_ASSERT(content(Store(saved)) == content(server_));
  }

 private:
  std::string text_from_elsewhere() {
    const std::string path = dir_.file(fmt::format("elsewhere-{}.db", ++elsewhere_));
    Store store(path);
    store.put_host(example_host("host-a"));
    store.put_build(example_build("build-a"));
    const std::string id = fmt::format("run-{}", *rc::gen::inRange(3, 8));
    store.begin_run(any_run(id, "host-a"));
    for (int n = 0; n < 2; ++n) {
      const Invocation one = any_invocation(id, "build-a", n);
      outcome([&] { store.append(one); });  // some are refused
    }
    store.end_run(id, *rc::gen::element(RunState::kComplete, RunState::kAborted), *any_time());
    exported_.push_back(export_run(store, id));
    return exported_.back();
  }

  // Of now, or of before: then the run may be gone, pruned or another one by now.
  std::string text_of_here() {
    for (const RunSummary& one : file_.runs()) {
      if (one.run.state != RunState::kRunning) exported_.push_back(export_run(file_, one.run.id));
    }
    return exported_.empty() ? "" : *rc::gen::elementOf(exported_);
  }

  void on_both(const std::function<void(Store&)>& f) {
    ++operations;
    const Outcome a = outcome([&] { f(file_); }), b = outcome([&] { f(server_); });
    RC_ASSERT(a.code == b.code);
    if (a.code == ExitCode::kOk) return;
    ++refused_operations;
    // What a constraint refuses, each says in its own words.
    if (a.message.find("refused a value") != std::string::npos) return;
    RC_ASSERT(without(a.message, file_path_) ==
              without(b.message, "postgresql://" + shown_server()));
  }

  std::string shown_server() const { return shown_address(server_path_).substr(13); }

  // All that can be read; times at which something was removed aside.
  static std::string content(const Store& store) {
    std::string text;
    for (const RunSummary& one : store.runs()) {
      text += fmt::format("{} {} {} {} {} {}\n", one.run.id, one.cpu_model, one.ok, one.not_ok,
                          fmt::join(one.commits, " "), fmt::join(one.baselines, " "));
      if (one.run.state != RunState::kRunning) text += export_run(store, one.run.id);
      for (const Invocation& i : store.invocations(one.run.id)) text += i.id + " ";
      text += store.previous_run(one.run.id).value_or("none") + "\n";
    }
    for (const BaselineEvent& e : store.baseline_events()) {
      text += fmt::format("{} {} {} {} {} {}\n", e.action, e.baseline.name, e.baseline.host_id,
                          e.baseline.run_id, e.baseline.reason, e.baseline.set_utc);
    }
    for (const Baseline& b : store.baselines()) text += b.name + b.host_id + b.run_id + "\n";
    for (const AlertEvent& e : store.alert_events()) {
      text += fmt::format("{} {} {} {}\n", e.id, e.host_id, e.action, e.at_utc);
    }
    for (const RemovedRun& r : store.removed_runs()) {
      text += fmt::format("{} {} {} {}\n", r.run_id, r.host_id, r.sha256, r.invocations);
    }
    for (const PrunedRun& p : store.pruned_runs()) {
      text += fmt::format("{} {} {} {}\n", p.run_id, p.sha256, p.thinned_sha256, p.invocations);
    }
    for (const RowKey& row : store.row_keys()) {
      for (const char* host : {"host-a", "host-b"}) {
        for (const RowInRun& one : store.history(host).of(row)) {
          text += fmt::format("{} {} {} {} {} {}\n", row.text(), one.run_id.str(), one.ns,
                              one.wall_ns, one.excess.value_or(-1), one.first_ns.value_or(-1));
        }
      }
    }
    return text;
  }

  TempDir dir_;
  std::string file_path_ = dir_.file("nsop.db"), server_path_ = dir_.db();
  Store file_{file_path_}, server_{server_path_};
  std::vector<std::string> exported_;
  int elsewhere_ = 0;
};

TEST(Differential, AFileAndAServerAnswerTheSame) {
  if (!on_server()) GTEST_SKIP() << "of a server";
  const bool same = rc::check("a file and a server answer the same", [] {
    Both both;
    const int steps = *rc::gen::inRange(1, 40);
    for (int i = 0; i < steps; ++i) both.step();
    both.compare();
    both.copy();
  });
  EXPECT_TRUE(same);
  EXPECT_GT(operations, 100);
  EXPECT_GT(refused_operations, 10);
  EXPECT_GT(imports, 10);
  EXPECT_GT(extensions, 10);
  std::printf(
      "operations on a file and a server: %d (%d imports, %d extensions), refused by both %d, "
      "differences %d\n",
      operations, imports, extensions, refused_operations, same ? 0 : 1);
}

}  // namespace
}  // namespace nsop::store
