// Writing invocations of one run; the caller owns the transaction.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "harness/store/db.h"
#include "harness/store/record/packing.h"

namespace nsop::store {

// Keeps what invocations share and prepares its statement once, so one writer should serve a run.
class InvocationWriter {
 public:
  // `run` is the row number of the run; `table` where they go.
  InvocationWriter(Database& db, long long run, const std::string& table = "invocation");
  ~InvocationWriter();
  InvocationWriter(const InvocationWriter&) = delete;
  InvocationWriter& operator=(const InvocationWriter&) = delete;

  // Throws Error (bad data) for an invalid record.
  void add(const InvocationRecord& record);
  void add(const InvocationRecord& record, const StatedInvocation& stated);  // what it says
  // The same without a check, and not counted: `stated` is what the record says, nullptr where it
  // can't be read; `columns` what the table's columns say of it.
  void add_as_it_is(const InvocationRecord& record, const StatedInvocation* stated,
                    const Invocation& columns);
  // Stores what was added, and how many of each build. Nothing may be added afterwards.
  void finish();

 private:
  struct Counts {
    long long ok = 0, not_ok = 0;
  };
  class Statements;

  long long build(const std::string& id);
  long long row(const RowKey& key);
  long long shape(const std::string& text);

  Database& db_;
  long long run_;
  std::unique_ptr<Statements> statements_;
  Shapes parsed_;
  std::map<std::string, long long> builds_, shapes_;
  std::map<RowKey, long long> rows_;
  std::map<long long, Counts> counts_;
};

}  // namespace nsop::store
