// Nouns to the texts that are stored and exchanged, and back.
//
// A body is the JSON text of a noun. Strings that aren't UTF-8 are stored with U+FFFD in place of
// the bad bytes. Numbers must be finite, except the errors of a check (a kernel may well return
// NaN): those are stored as null and read back as NaN. Everything throws Error (bad data).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/core/io/json.h"

namespace nsop::store {

struct InvocationRecord {
  // The invocation without its repetitions, with `metrics` (summaries by name) and
  // `samples_sha256`.
  std::string body;
  // The repetitions by field, `{"iterations":[..],"wall_ns":[..],..}`; empty: pruned.
  std::string samples;
  bool operator==(const InvocationRecord&) const = default;
};

struct RunRecord {
  std::string body;  // without state, end and hash
  std::string state, ended_utc, sha256;
  std::string host;                           // body
  std::map<std::string, std::string> builds;  // bodies by id
  std::vector<InvocationRecord> invocations;  // by session, round, slot, phase, id
  bool operator==(const RunRecord&) const = default;
};

// JSON text of a value, checked as said above.
std::string body_text(const Json& json);

std::string pack_run(const Run& run);
Run unpack_run(const std::string& body, const std::string& state, const std::string& ended_utc,
               const std::string& sha256);

InvocationRecord pack(const Invocation& invocation);
Invocation unpack(const InvocationRecord& record);

std::string pack_samples(const std::vector<Repetition>& repetitions);
std::vector<Repetition> unpack_samples(const std::string& samples);

// A record with what it says of itself, for checking; its text is parsed once.
struct StatedInvocation {
  Invocation invocation;
  std::string samples_sha256;
  std::map<std::string, double> metrics;
};
StatedInvocation read_record(const InvocationRecord& record);
StatedInvocation read_record(Json body, const std::string& samples);
// The same where the samples are read already.
StatedInvocation read_record(Json body, std::vector<Repetition> repetitions);

// Throws unless the samples have the stated hash and give the stated metrics.
void check_record(const InvocationRecord& record, const StatedInvocation& stated);

}  // namespace nsop::store
