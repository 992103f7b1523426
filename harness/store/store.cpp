// Opening and writing.
#include "harness/store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "harness/core/error.h"
#include "harness/store/backend/address.h"
#include "harness/store/history/summaries.h"
#include "harness/store/query.h"
#include "harness/store/record/digest.h"
#include "harness/store/rows/invocation_rows.h"
#include "harness/store/rows/invocation_writer.h"
#include "harness/store/rows/rows.h"
#include "harness/store/schema.h"
#include "harness/store/store_db.h"

namespace nsop::store {
namespace {

void require_running(const std::string& run_id, const RunRow& run) {
  if (run.state == "running") return;
  throw usage_error(fmt::format("run {} is {}; {}", run_id, run.state,
                                run.state == "aborted"
                                    ? "resume it first"
                                    : "a complete run never changes: start another one"));
}

using Sessions = std::map<std::string, int>;  // of invocations, by id

Sessions sessions_of(Database& db, long long seq, const std::string& run_id) {
  Sessions sessions;
  for (const InvocationRow& row : InvocationReader(db).of_run(seq, run_id)) {
    sessions[row.packed.columns.id] = row.packed.columns.session;
  }
  return sessions;
}

bool has_others(Sessions stored, const std::vector<Invocation>& given, const std::set<int>& open) {
  for (const Invocation& one : given) stored.erase(one.id);
  return std::any_of(stored.begin(), stored.end(),
                     [&](const auto& one) { return !open.contains(one.second); });
}

// No other writer changes the run until the transaction ends.
void lock_run(Database& db, const std::string& run_id) {
  db.backend().lock("contents", true);
  db.backend().lock("run " + run_id, false);
}

}  // namespace

Store::Store(const std::string& address, Mode mode)
    : db_(std::make_unique<Db>(address, mode == Mode::kReadOnly)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

void Store::put_host(const Host& host) {
  db_->guard([&] {
    Transaction transaction(*db_);
    insert_host(*db_, host, body_text(to_json(host)));
    transaction.commit();
  });
}

void Store::put_build(const Build& build) {
  db_->guard([&] {
    Transaction transaction(*db_);
    insert_build(*db_, build, body_text(to_json(build)));
    transaction.commit();
  });
}

void Store::begin_run(const Run& run) {
  db_->guard([&] {
    Transaction transaction(*db_);
    insert_run(*db_, pack_run(run));
    transaction.commit();
  });
}

void Store::append(const Invocation& invocation) {
  db_->guard([&] {
    const InvocationRecord record = pack(invocation);
    Transaction transaction(*db_, Transaction::Kind::kAppend);
    lock_run(*db_, invocation.run_id);
    const RunRow run = find_run(*db_, invocation.run_id);
    require_running(invocation.run_id, run);
    InvocationWriter writer(*db_, run.seq);
    writer.add(record);
    writer.finish();
    transaction.commit();
  });
}

void Store::end_run(const std::string& run_id, RunState state, const std::string& ended_utc) {
  if (state == RunState::kRunning) throw usage_error("a run ends as complete or aborted");
  db_->guard([&] {
    Transaction transaction(*db_);
    lock_run(*db_, run_id);
    require_running(run_id, find_run(*db_, run_id));
    RunRecord record = load_record(*db_, run_id);
    record.state = run_state_text(state);
    record.ended_utc = ended_utc;
    set_state(*db_, run_id, record.state, ended_utc, run_digest(record));
    if (state == RunState::kComplete) store_summaries(*db_, find_run(*db_, run_id).seq);
    transaction.commit();
  });
}

void Store::resume_run(const std::string& run_id) {
  db_->guard([&] {
    Transaction transaction(*db_);
    lock_run(*db_, run_id);
    const RunRow run = find_run(*db_, run_id);
    if (run.state == "complete") require_running(run_id, run);
    set_state(*db_, run_id, "running", "", "");
    transaction.commit();
  });
}

ExtendedRun Store::extend_run(const Run& run, const Host& host, const std::vector<Build>& builds,
                              const std::vector<Invocation>& invocations,
                              const std::set<int>& open) {
  return db_->guard([&] {
    ExtendedRun extended;
    Transaction transaction(*db_);
    lock_run(*db_, run.id);
    const bool is_new = !first_value<std::string>(*db_, "SELECT id FROM run WHERE id = :i", run.id);
    const bool is_complete = !is_new && find_run(*db_, run.id).state == "complete";
    Sessions known;
    if (!is_new) known = sessions_of(*db_, find_run(*db_, run.id).seq, run.id);
    extended.is_other = !is_complete && has_others(known, invocations, open);
    if (extended.is_other) return extended;
    insert_host(*db_, host, body_text(to_json(host)));
    for (const Build& build : builds) insert_build(*db_, build, body_text(to_json(build)));
    const long long seq = is_new ? insert_run(*db_, pack_run(run)) : find_run(*db_, run.id).seq;
    if (!is_new && !is_complete) {
      set_state(*db_, run.id, "running", "", "");
      restate_run(*db_, pack_run(run));
    }
    InvocationWriter writer(*db_, seq);
    for (const Invocation& one : invocations) {
      if (known.contains(one.id)) {
        ++extended.known;
        continue;
      }
      if (is_complete) {
        throw bad_data(fmt::format("run {} is complete and lacks invocation {}", run.id, one.id));
      }
      writer.add(pack(one));
      ++extended.added;
    }
    writer.finish();
    if (is_complete) return extended;
    RunRecord record = load_record(*db_, run.id);
    record.state = run_state_text(run.state);
    record.ended_utc = run.ended_utc;
    set_state(*db_, run.id, record.state, record.ended_utc, run_digest(record));
    if (run.state == RunState::kComplete) store_summaries(*db_, seq);
    transaction.commit();
    return extended;
  });
}

void Store::backup(const std::string& to_path) const {
  db_->guard([&] { db_->backend().backup(to_path); });
}

int Store::schema_version() const {
  return db_->guard([&] { return store::schema_version(*db_); });
}

bool database_exists(const std::string& address) {
  if (!is_server(address)) return std::filesystem::exists(address);
  Database db(address, Database::Raw{});
  return db.guard([&] { return schema_version(db) > 0; });
}

Store open_existing(const std::string& address, Mode mode) {
  // To ask a server takes a connection, as to open does, which says the same.
  const bool says_so = is_server(address) && mode == Mode::kReadOnly;
  if (!says_so && !database_exists(address)) {
    throw usage_error(fmt::format("{}: no database yet; fill one with `nsop run` or `nsop import`",
                                  shown_address(address)));
  }
  return Store(address, mode);
}

}  // namespace nsop::store
