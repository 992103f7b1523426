#include "harness/store/rows/compaction.h"

#include <optional>
#include <string>
#include <tuple>

#include "harness/core/error.h"
#include "harness/store/query.h"
#include "harness/store/rows/invocation_writer.h"

namespace nsop::store {
namespace {

using Text = std::string;
using OldRow = std::tuple<Text, long long, long long, long long, Text, Text, Text, Text, Text,
                          long long, Text, Text, Text>;

constexpr const char* kOldRows =
    "SELECT i.id, i.session, i.round, i.slot, i.phase, b.id, k.case_text, k.variant, k.target, "
    "k.threads, i.status, i.body, COALESCE(i.samples, '') FROM invocation i JOIN build b ON b.seq "
    "= i.build JOIN row_key k ON k.seq = i.row WHERE i.run = :r ORDER BY i.seq";

void move_row(InvocationWriter& writer, const Text& run_id, const OldRow& old) {
  const auto& [id, session, round, slot, phase, build, text, variant, target, threads, status, body,
               samples] = old;
  const InvocationRecord record{body, samples};
  std::optional<StatedInvocation> stated;
  try {
    stated = read_record(record);
  } catch (const Error&) {  // damaged: verify says so
  }
  Invocation columns;
  columns.id = id;
  columns.run_id = run_id;
  columns.session = static_cast<int>(session);
  columns.round = static_cast<int>(round);
  columns.slot = static_cast<int>(slot);
  columns.phase = phase == "time" ? Phase::kTime : Phase::kCount;
  columns.build_id = build;
  columns.row = {text, variant, target, static_cast<int>(threads)};
  columns.status = status_from_text(status);
  if (stated) {
    columns.process_age_s = stated->invocation.process_age_s;
    columns.at_utc = stated->invocation.at_utc;
  }
  writer.add_as_it_is(record, stated ? &*stated : nullptr, columns);
}

}  // namespace

void compact_invocations(Database& db) {
  for (const auto& [run, run_id] :
       all<std::tuple<long long, Text>>(db, "SELECT seq, id FROM run ORDER BY seq")) {
    InvocationWriter writer(db, run, "compact_invocation");
    for (const OldRow& old : all<OldRow>(db, kOldRows, run)) move_row(writer, run_id, old);
    writer.finish();
  }
}

}  // namespace nsop::store
