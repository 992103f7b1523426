#include "harness/store/record/exchange_parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <tuple>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/core/identity.h"
#include "harness/core/io/json_field.h"
#include "harness/core/io/limited_json.h"
#include "harness/store/record/digest.h"
#include "harness/store/record/limits.h"
#include "harness/store/record/sample_text.h"
#include "harness/store/record/thinning.h"

namespace nsop::store {
namespace {

constexpr size_t kMostStated = 500'000;     // repetitions: some 50 MB
constexpr int64_t kMostAheadS = 2 * 86400;  // clocks of two machines differ by less

// `{"a":1}` with more members before and after the ones it has.
std::string spliced(const std::string& before, const std::string& body, const std::string& after) {
  return "{" + before + "," + body.substr(1, body.size() - 2) + after + "}\n";
}

template <typename T>
T take(Json& json, const char* key) {
  T value = json_field<T>(json, key);
  json.erase(key);
  return value;
}

void require(bool condition, const std::string& message) {
  if (!condition) throw bad_data(message);
}

// Lines in their order: run, host, builds, invocations, end.
class Reader {
 public:
  Reader(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  ReadExchange read() {
    while (pos_ < text_.size() && !ended_) next_line();
    if (!ended_) fail("truncated: the end line is missing; fetch the file again");
    ++line_;
    if (pos_ != text_.size()) fail("there is more after the end line");
    return {std::move(record_), std::move(stated_)};
  }

 private:
  std::string here() const { return fmt::format("{}:{}", where_, line_); }
  [[noreturn]] void fail(const std::string& message) const {
    throw bad_data(here() + ": " + message);
  }

  void next_line() {
    ++line_;
    const size_t start = pos_;
    const size_t stop = text_.find('\n', start);
    if (stop == std::string_view::npos) fail("truncated: the last line is cut off; fetch it again");
    pos_ = stop + 1;
    const std::string_view line = text_.substr(start, stop - start);
    try {
      if (read_plain(line)) return;
    } catch (const Error& error) {
      fail(error.what());
    } catch (const nlohmann::json::exception& error) {
      fail(error.what());
    }
    Json json = parse_limited(line, here());
    if (!json.is_object()) fail("expected a JSON object");
    try {
      dispatch(json, start);
    } catch (const Error& error) {
      fail(error.what());
    } catch (const nlohmann::json::exception& error) {
      fail(error.what());
    }
  }

  // An invocation's line as write_exchange() writes it, whose samples no JSON parser need read;
  // false: it is another one.
  bool read_plain(std::string_view line) {
    constexpr std::string_view kBegin = R"({"type":"invocation",)", kSamples = R"(,"samples":)";
    if (thinned_ || (rank_ != 2 && rank_ != 3) || !line.starts_with(kBegin)) return false;
    const size_t at = line.rfind(kSamples);
    if (at == line.npos || at < kBegin.size() || !line.ends_with('}')) return false;
    InvocationRecord one;
    one.samples = line.substr(at + kSamples.size(), line.size() - 1 - at - kSamples.size());
    auto repetitions = read_sample_text(one.samples);
    if (!repetitions) return false;
    one.body = fmt::format("{{{}}}", line.substr(kBegin.size(), at - kBegin.size()));
    Json json;
    try {
      json = parse_limited(one.body, "");
    } catch (const Error&) {
      return false;  // the whole line says where
    }
    if (json.contains("type") || json.contains("samples") || body_text(json) != one.body) {
      return false;
    }
    for (const Repetition& repetition : *repetitions) {
      const std::string problem = problem_of(repetition);
      if (!problem.empty()) throw bad_data(problem);
    }
    rank_ = 3;
    take_invocation(std::move(one), read_record(std::move(json), std::move(*repetitions)));
    return true;
  }

  // Run, host, builds, invocations, end: the place of a line in a file.
  static int rank_of(const std::string& type) {
    constexpr std::array kTypes = {"run", "host", "build", "invocation", "end"};
    const auto at = std::find(kTypes.begin(), kTypes.end(), type);
    require(at != kTypes.end(), fmt::format("unknown type '{}'", type.substr(0, 40)));
    return static_cast<int>(at - kTypes.begin());
  }

  void dispatch(Json& json, size_t start) {
    const int rank = rank_of(take<std::string>(json, "type"));
    const bool repeats = rank == rank_ && (rank == 2 || rank == 3);
    const bool without_invocations = rank_ == 1 && rank == 4;
    require(rank == rank_ + 1 || repeats || without_invocations,
            "lines must come as run, host, builds, invocations, end");
    rank_ = rank;
    if (rank == 0) read_run(json);
    if (rank == 1) read_host(json);
    if (rank == 2) read_build(json);
    if (rank == 3) read_invocation(json);
    if (rank == 4) read_end(json, start);
  }

  void read_run(Json& json) {
    const auto schema = take<std::string>(json, "schema");
    require(schema == kExchangeSchema,
            fmt::format(
                "schema is '{}', this nsop reads '{}'; use the nsop that wrote it or a newer one",
                schema.substr(0, 40), kExchangeSchema));
    record_.state = take<std::string>(json, "state");
    record_.ended_utc = take<std::string>(json, "ended_utc");
    record_.sha256 = take<std::string>(json, "sha256");
    record_.body = body_text(json);
    run_ = unpack_run(record_.body, record_.state, record_.ended_utc, record_.sha256);
    check_run(run_);
    require(
        *utc_seconds(run_.started_utc) < *utc_seconds(utc_now()) + kMostAheadS,
        fmt::format("started_utc {} lies in the future; set the clock of this machine, or of the "
                    "one that measured",
                    run_.started_utc));
    thinned_ = is_thinned(record_.body);
    require(run_.state == RunState::kRunning ? run_.sha256.empty() : run_.sha256.size() == 64,
            "a finished run needs its sha256, a running one has none");
  }

  void read_host(const Json& json) {
    require(host_from_json(json).id == run_.host_id, "this is not the host of the run");
    record_.host = body_text(json);
  }

  void read_build(const Json& json) {
    const std::string id = build_from_json(json).id;
    check_id("build", id, 128);
    require(record_.builds.emplace(id, body_text(json)).second, "the build is there twice");
  }

  void read_invocation(Json& json) {
    InvocationRecord one;
    require(json.contains("samples"), "field 'samples' is missing");
    if (!json["samples"].is_null()) one.samples = body_text(json["samples"]);
    json.erase("samples");
    one.body = body_text(json);
    if (thinned_) one = completed(one);
    StatedInvocation stated =
        thinned_ ? read_record(one) : read_record(std::move(json), one.samples);
    take_invocation(std::move(one), std::move(stated));
  }

  void take_invocation(InvocationRecord one, StatedInvocation stated) {
    const Invocation& invocation = stated.invocation;
    check_invocation(invocation);
    require(invocation.run_id == run_.id, "the invocation belongs to another run");
    require(record_.builds.contains(invocation.build_id), "its build is not in the file");
    used_builds_.insert(invocation.build_id);
    require(invocation.repetitions.size() <= kMaxRepetitions, "too many repetitions");
    require(record_.invocations.size() < kMaxInvocations, "too many invocations");
    check_record(one, stated);
    const auto order = std::make_tuple(invocation.session, invocation.round, invocation.slot,
                                       invocation.phase != Phase::kCount, invocation.id);
    require(record_.invocations.empty() || last_ < order, "invocations are out of order");
    last_ = order;
    record_.invocations.push_back(std::move(one));
    told_repetitions_ += stated.invocation.repetitions.size();
    if (told_repetitions_ <= kMostStated) stated_.push_back(std::move(stated));
  }

  void read_end(Json& json, size_t start) {
    const auto lines = take<int64_t>(json, "n");
    require(lines == line_ - 1, fmt::format("{} lines before this one, {} were written: the file "
                                            "was changed or damaged; fetch it again",
                                            line_ - 1, lines));
    require(take<std::string>(json, "sha256") == sha256_hex(text_.substr(0, start)),
            "the lines before this one don't have its sha256: the file was changed or damaged; "
            "fetch it again");
    require(used_builds_.size() == record_.builds.size(), "a build belongs to no invocation");
    require(record_.state == "running" || run_digest(record_) == record_.sha256,
            "the run doesn't have its sha256: it was changed before it was exported");
    ended_ = true;
  }

  std::string_view text_;
  const std::string& where_;
  size_t pos_ = 0;
  int64_t line_ = 0;
  int rank_ = -1;
  bool ended_ = false;
  RunRecord record_;
  std::vector<StatedInvocation> stated_;  // of the first invocations
  size_t told_repetitions_ = 0;           // of all invocations so far
  Run run_;
  bool thinned_ = false;
  std::set<std::string> used_builds_;
  std::tuple<int, int, int, bool, std::string> last_;
};

}  // namespace

RunRecord parse_exchange(const std::string& ndjson, const std::string& where) {
  return read_exchange(ndjson, where).record;
}

ReadExchange read_exchange(const std::string& ndjson, const std::string& where) {
  if (ndjson.size() > kMaxImportBytes) {
    throw bad_data(fmt::format("{}: larger than {} MiB", where, kMaxImportBytes >> 20));
  }
  return Reader(ndjson, where).read();
}

std::string write_exchange(const RunRecord& record) {
  const auto quoted = [](const std::string& text) { return Json(text).dump(); };
  std::string text =
      spliced(fmt::format(R"("schema":"{}","type":"run")", kExchangeSchema), record.body,
              fmt::format(R"(,"state":{},"ended_utc":{},"sha256":{})", quoted(record.state),
                          quoted(record.ended_utc), quoted(record.sha256)));
  text += spliced(R"("type":"host")", record.host, "");
  for (const auto& [id, body] : record.builds) text += spliced(R"("type":"build")", body, "");
  const bool thin = is_thinned(record.body);
  for (const InvocationRecord& one : record.invocations) {
    text += spliced(R"("type":"invocation")", thin ? thin_line(one.body) : one.body,
                    R"(,"samples":)" + (one.samples.empty() ? "null" : one.samples));
  }
  const auto lines = std::count(text.begin(), text.end(), '\n');
  return text +
         fmt::format("{{\"type\":\"end\",\"n\":{},\"sha256\":\"{}\"}}\n", lines, sha256_hex(text));
}

}  // namespace nsop::store
