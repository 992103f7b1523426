// How an invocation lies in the database: columns, a shape that it shares with those that differ
// in nothing else, and packed samples. Whatever these don't give back to the byte is kept whole.
#pragma once

#include <map>
#include <string>

#include "harness/core/sample.h"
#include "harness/store/record/record.h"

namespace nsop::store {

struct PackedInvocation {
  // Columns: id to status, process_age_s, first_ns and at_utc. The rest is the shape's and the
  // samples'.
  Invocation columns;
  // JSON: the fields of the body from `reason` to `workspace_bytes`. Empty: see `body`.
  std::string shape;
  std::string body;  // the whole body, where columns, shape and samples don't give it
  // `[n, iterations, wall_ns, process_cpu_ns, thread_cpu_ns, involuntary_switches, minor_faults,
  // major_faults]`: a number is that of every repetition, a list the first one and the differences
  // to the one before; process CPU time is less wall time, thread CPU time less process CPU time.
  // An object: samples as they are exchanged. Empty: pruned.
  std::string samples;
};

// What a shape says, parsed once for all that share it.
struct Shape {
  std::string text;
  Invocation fields;
};
Shape read_shape(const std::string& text);

// Shapes by their texts, each parsed once.
class Shapes {
 public:
  const Shape& of(const std::string& text);  // valid until the next call

 private:
  static constexpr size_t kMost = 10'000;
  std::map<std::string, Shape> known_;
};

// `stated` is what the record says; nullptr: it can't be read. `columns` are those of the record,
// or of a table that should repeat them.
PackedInvocation packed(const InvocationRecord& record, const StatedInvocation* stated,
                        const Invocation& columns, Shapes& shapes);

// The record that was packed. `shape` isn't read where the body is whole. Throws Error (bad data).
InvocationRecord unpacked(const PackedInvocation& packed, const Shape& shape);
// unpack() of that record, in less time; without repetitions if its samples are lost.
Invocation invocation_of(const PackedInvocation& packed, const Shape& shape);

// Both, where the body isn't whole.
struct Composed {
  InvocationRecord record;
  Invocation invocation;
  std::map<std::string, double> metrics;  // metrics_of(invocation)
};
Composed composed(const PackedInvocation& packed, const Shape& shape);

std::string packed_samples(const std::string& samples);
std::string unpacked_samples(const std::string& packed);

}  // namespace nsop::store
