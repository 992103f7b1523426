// Export and import of whole runs (store.h, rows/rows.h).
#include <fmt/format.h>

#include "harness/store/history/summaries.h"
#include "harness/store/query.h"
#include "harness/store/record/exchange_parse.h"
#include "harness/store/record/thinning.h"
#include "harness/store/rows/invocation_writer.h"
#include "harness/store/rows/kept.h"
#include "harness/store/rows/rows.h"
#include "harness/store/store_db.h"

namespace nsop::store {
namespace {

std::string conflict(const char* what, const std::string& id) {
  return fmt::format("{} {} is stored already with other content; nothing was imported", what, id);
}

void insert_nouns(Database& db, const RunRecord& record, const std::string& where) {
  const Host host = host_from_json(parse_json(record.host, where));
  insert_host(db, host, record.host);
  if (first_value<std::string>(db, "SELECT body FROM host WHERE id = :i", host.id) != record.host) {
    throw bad_data(conflict("host", host.id));
  }
  for (const auto& [id, body] : record.builds) {
    insert_build(db, build_from_json(parse_json(body, where)), body);
    if (first_value<std::string>(db, "SELECT body FROM build WHERE id = :i", id) != body) {
      throw bad_data(conflict("build", id));
    }
  }
}

using Stated = std::vector<StatedInvocation>;

void insert_record(Database& db, const RunRecord& record, const Stated& stated,
                   const std::string& run_id, const std::string& where) {
  insert_nouns(db, record, where);
  const long long run = insert_run(db, record.body);
  InvocationWriter writer(db, run);
  for (size_t i = 0; i < record.invocations.size(); ++i) {
    const InvocationRecord& one = record.invocations[i];
    i < stated.size() ? writer.add(one, stated[i]) : writer.add(one);
  }
  writer.finish();
  set_state(db, run_id, record.state, record.ended_utc, record.sha256);
  if (record.state == "complete") store_summaries(db, run);
}

// `stated`: what the first invocations say.
Imported add_read(Database& db, const RunRecord& record, const Stated& stated,
                  const std::string& where) {
  const std::string run_id =
      unpack_run(record.body, record.state, record.ended_utc, record.sha256).id;
  bool is_new = false;
  try {
    db.guard([&] {
      Transaction transaction(db);
      db.backend().lock("contents", true);
      db.backend().lock("run " + run_id, false);
      if (first_value<std::string>(db, "SELECT id FROM run WHERE id = :i", run_id)) {
        // A thinned run says nothing that the stored one, whole or thinned, does not; what was
        // pruned stays so.
        const bool known = is_thinned(record.body) || was_pruned(db, run_id, record.sha256) ||
                           load_record(db, run_id) == record;
        if (!known) throw bad_data(conflict("run", run_id));
        return;
      }
      insert_record(db, record, stated, run_id, where);
      transaction.commit();
      is_new = true;
    });
  } catch (const Error& error) {
    if (error.code() != ExitCode::kBadData) throw;
    throw bad_data(fmt::format("{}: {}", where, error.what()));
  }
  return {run_id, is_new};
}

}  // namespace

std::string export_run(const Store& store, const std::string& run_id, Samples samples) {
  Database& db = *store.db_;
  return db.guard([&] {
    Transaction snapshot(db, Transaction::Kind::kRead);
    const RunRecord record = load_record(db, run_id);
    return write_exchange(samples == Samples::kAll ? record : thinned(record));
  });
}

std::string import_run(Store& store, const std::string& ndjson, const std::string& where) {
  return import_exchange(store, read_exchange(ndjson, where), where).run_id;
}

Imported import_exchange(Store& store, const ReadExchange& read, const std::string& where) {
  return add_read(*store.db_, read.record, read.stated, where);
}

Imported import_record(Store& store, const RunRecord& record, const std::string& where) {
  return add_record(*store.db_, record, where);
}

Imported add_record(Database& db, const RunRecord& record, const std::string& where) {
  return add_read(db, record, {}, where);
}

}  // namespace nsop::store
