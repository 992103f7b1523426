#include "harness/store/record/packing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/core/io/json.h"
#include "harness/store/record/metrics.h"
#include "harness/store/record/sample_text.h"

namespace nsop::store {
namespace {

using Numbers = std::vector<int64_t>;

// Which of the earlier columns each is told less of; -1: none.
constexpr std::array kBases = {-1, -1, 1, 2, -1, -1, -1};
static_assert(kBases.size() == kSampleColumns.size());

int64_t told(const Repetition& r, size_t column) {
  const int64_t value = r.*kSampleColumns[column].field;
  const int base = kBases[column];
  return base < 0 ? value : value - r.*kSampleColumns[static_cast<size_t>(base)].field;
}

std::string packed_column(const std::vector<Repetition>& repetitions, size_t column) {
  Numbers numbers;
  for (const Repetition& r : repetitions) numbers.push_back(told(r, column));
  const bool constant = std::all_of(numbers.begin(), numbers.end(),
                                    [&](int64_t one) { return one == numbers.front(); });
  if (constant) return fmt::format("{}", numbers.front());
  for (size_t i = numbers.size(); i-- > 1;) numbers[i] -= numbers[i - 1];
  return fmt::format("[{}]", fmt::join(numbers, ","));
}

// Reads packed samples from left to right; they are what packed_samples() writes, to the byte.
class PackedReader {
 public:
  explicit PackedReader(const std::string& text) : at_(text.data()), end_(at_ + text.size()) {}

  std::vector<Repetition> read() {
    take('[');
    const int64_t count = number();
    if (count < 1 || count > kMost) throw bad();
    std::vector<Repetition> repetitions(static_cast<size_t>(count));
    for (size_t column = 0; column < kSampleColumns.size(); ++column) {
      take(',');
      read_column(column, repetitions);
    }
    take(']');
    if (at_ != end_) throw bad();
    return repetitions;
  }

 private:
  static constexpr int64_t kMost = 1 << 20;

  static Error bad() { return bad_data("packed samples can't be read"); }

  bool is_next(char c) const { return at_ != end_ && *at_ == c; }
  void take(char c) {
    if (!is_next(c)) throw bad();
    ++at_;
  }
  int64_t number() {
    int64_t value = 0;
    const auto [stop, error] = std::from_chars(at_, end_, value);
    if (error != std::errc()) throw bad();
    at_ = stop;
    return value;
  }
  // Damaged texts may overflow it.
  static int64_t plus(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }

  void read_column(size_t column, std::vector<Repetition>& repetitions) {
    const auto field = kSampleColumns[column].field;
    const int base = kBases[column];
    const bool is_list = is_next('[');
    int64_t value = is_list ? 0 : number();
    for (Repetition& r : repetitions) {
      if (is_list) {
        take(&r == repetitions.data() ? '[' : ',');
        value = plus(value, number());
      }
      r.*field = base < 0 ? value : plus(value, r.*kSampleColumns[static_cast<size_t>(base)].field);
    }
    if (is_list) take(']');
  }

  const char* at_;
  const char* end_;
};

std::vector<Repetition> repetitions_of(const std::string& packed) {
  std::vector<Repetition> repetitions = PackedReader(packed).read();
  for (const Repetition& r : repetitions) {
    const std::string problem = problem_of(r);
    if (!problem.empty()) throw bad_data(problem);
  }
  return repetitions;
}

bool is_packed(const std::string& samples) { return samples.starts_with('['); }

std::vector<Repetition> samples_of(const std::string& packed) {
  return is_packed(packed) ? repetitions_of(packed) : unpack_samples(packed);
}

std::string quoted(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
  });
  if (plain) return '"' + text + '"';
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The body up to the shape's fields, and after them, without the braces' insides.
struct Ends {
  std::string before, after;
};

Ends ends_of(const Invocation& one, const std::map<std::string, double>& metrics,
             const std::string& samples_sha256) {
  Ends ends;
  ends.before = fmt::format(
      R"({{"id":{},"run_id":{},"phase":"{}","session":{},"round":{},"slot":{},"build_id":{},)"
      R"("row":{{"case":{},"variant":{},"target":{},"threads":{}}},"status":"{}",)",
      quoted(one.id), quoted(one.run_id), one.phase == Phase::kTime ? "time" : "count", one.session,
      one.round, one.slot, quoted(one.build_id), quoted(one.row.case_text), quoted(one.row.variant),
      quoted(one.row.target), one.row.threads, status_text(one.status));
  ends.after =
      fmt::format(R"(,"process_age_s":{},{}"at_utc":{},"metrics":{},"samples_sha256":"{}"}})",
                  Json(one.process_age_s).dump(),
                  one.first_ns == 0 ? "" : fmt::format(R"("first_ns":{},)", one.first_ns),
                  quoted(one.at_utc), Json(metrics).dump(), samples_sha256);
  return ends;
}

// The invocation with what its shape and samples say of it.
Invocation joined(Invocation one, const Shape& shape, const std::string& samples) {
  one.reason = shape.fields.reason;
  one.chose = shape.fields.chose;
  one.inputs_sha256 = shape.fields.inputs_sha256;
  one.check = shape.fields.check;
  one.allocs = shape.fields.allocs;
  one.instructions = shape.fields.instructions;
  one.warnings = shape.fields.warnings;
  one.workspace_bytes = shape.fields.workspace_bytes;
  one.repetitions = samples_of(samples);
  return one;
}

// Do packed samples and shape give back what went into them? Then they give the body, too, of which
// `one`'s ends are ends.
bool come_back(const Invocation& one, const std::string& samples, const std::string& packed,
               const Shape& shape) {
  if (shape.fields.allocs != one.allocs || shape.fields.instructions != one.instructions) {
    return false;
  }
  return is_packed(packed) ? samples_of(packed) == one.repetitions : packed == samples;
}

// The part of the body between its ends, as a JSON object; nothing if they aren't its ends.
std::optional<std::string> shape_of(const std::string& body, const Ends& ends) {
  const bool fits = body.size() > ends.before.size() + ends.after.size() &&
                    body.starts_with(ends.before) && body.ends_with(ends.after);
  if (!fits) return std::nullopt;
  return "{" +
         body.substr(ends.before.size(), body.size() - ends.before.size() - ends.after.size()) +
         "}";
}

}  // namespace

namespace {

// Of repetitions that the samples were read to.
std::string packed_samples(const std::vector<Repetition>& repetitions, const std::string& samples) {
  if (repetitions.empty() || sample_text(repetitions) != samples) return samples;
  std::string text = fmt::format("[{}", repetitions.size());
  for (size_t column = 0; column < kSampleColumns.size(); ++column) {
    text += "," + packed_column(repetitions, column);
  }
  return text + "]";
}

}  // namespace

std::string packed_samples(const std::string& samples) {
  if (samples.empty()) return samples;
  try {
    return packed_samples(unpack_samples(samples), samples);
  } catch (const Error&) {
    return samples;  // damaged: kept as it is
  }
}

std::string unpacked_samples(const std::string& packed) {
  return is_packed(packed) ? sample_text(samples_of(packed)) : packed;
}

const Shape& Shapes::of(const std::string& text) {
  if (known_.size() >= kMost) known_.clear();
  const auto known = known_.find(text);
  return known != known_.end() ? known->second
                               : known_.emplace(text, read_shape(text)).first->second;
}

PackedInvocation packed(const InvocationRecord& record, const StatedInvocation* stated,
                        const Invocation& columns, Shapes& shapes) {
  PackedInvocation result{columns, {}, {}, {}};
  result.samples = stated == nullptr
                       ? packed_samples(record.samples)
                       : packed_samples(stated->invocation.repetitions, record.samples);
  try {
    if (stated != nullptr && !record.samples.empty()) {
      Invocation one = columns;
      one.repetitions = stated->invocation.repetitions;
      one.allocs = stated->invocation.allocs;
      one.instructions = stated->invocation.instructions;
      const auto shape =
          shape_of(record.body, ends_of(one, metrics_of(one), sha256_hex(record.samples)));
      if (shape && come_back(one, record.samples, result.samples, shapes.of(*shape))) {
        result.shape = *shape;
        return result;
      }
    }
  } catch (const Error&) {  // damaged, or of another version: kept as it is
  } catch (const nlohmann::json::exception&) {
  }
  result.body = record.body;
  return result;
}

Shape read_shape(const std::string& text) {
  const Json fields = parse_json(text, "stored shape");
  if (!fields.is_object()) throw bad_data("stored shape: expected a JSON object");
  Json body = to_json(Invocation{});
  body.update(fields);
  return {text, unpack({body.dump(), ""})};
}

Composed composed(const PackedInvocation& packed, const Shape& shape) {
  if (packed.samples.empty()) throw bad_data("its samples are lost");
  Composed result;
  result.invocation = joined(packed.columns, shape, packed.samples);
  result.record.samples =
      is_packed(packed.samples) ? sample_text(result.invocation.repetitions) : packed.samples;
  result.metrics = metrics_of(result.invocation);
  const Ends ends = ends_of(result.invocation, result.metrics, sha256_hex(result.record.samples));
  result.record.body = ends.before + shape.text.substr(1, shape.text.size() - 2) + ends.after;
  return result;
}

InvocationRecord unpacked(const PackedInvocation& packed, const Shape& shape) {
  if (packed.body.empty()) return composed(packed, shape).record;
  return {packed.body, unpacked_samples(packed.samples)};
}

Invocation invocation_of(const PackedInvocation& packed, const Shape& shape) {
  if (!packed.body.empty()) return unpack({packed.body, unpacked_samples(packed.samples)});
  return joined(packed.columns, shape, packed.samples);
}

}  // namespace nsop::store
