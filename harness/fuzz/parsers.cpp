// What reads texts of unknown origin, each as a target of libFuzzer
// (https://llvm.org/docs/LibFuzzer.html): NSOP_FUZZ names the parser, `list` prints their names.
// A text is accepted or refused with an Error; anything else ends the program. No header:
// libFuzzer's own main calls the two functions by their names.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

#include "harness/audit/audit.h"
#include "harness/core/case.h"
#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/core/io/json.h"
#include "harness/core/io/limited_json.h"
#include "harness/core/io/npy.h"
#include "harness/core/suite/goal.h"
#include "harness/core/suite/known_changes.h"
#include "harness/core/suite/releases.h"
#include "harness/core/suite/suite.h"
#include "harness/core/text.h"
#include "harness/foreign/name.h"
#include "harness/foreign/read.h"
#include "harness/foreign/record.h"
#include "harness/judge/gate/stored.h"
#include "harness/judge/history/alert.h"
#include "harness/judge/history/nights.h"
#include "harness/run/plan/plan.h"
#include "harness/run/workers/worker_client.h"
#include "harness/store/record/exchange_parse.h"
#include "harness/store/record/packing.h"

namespace nsop {
namespace {

const OpSpec& conv_spec() {
  static const OpSpec spec{"conv",
                           "an op with a key of every kind",
                           {{"pass", ParamKind::kChoice, {"forward", "backward"}, 0, {}},
                            {"in", ParamKind::kShape, {}, 4, {}},
                            {"k", ParamKind::kCount, {}, 0, {}},
                            {"p", ParamKind::kIndex, {}, 0, {}},
                            {"bias", ParamKind::kFlag, {}, 0, {}},
                            {"alpha", ParamKind::kNumber, {}, 0, "1"},
                            {"range", ParamKind::kRange, {}, 0, "-1:1"}}};
  return spec;
}

void parse_case(const std::string& text) {
  if (case_op(text) != conv_spec().name) return;  // callers find the spec by the op
  for (const Case& one : expand_cases(text, conv_spec())) {
    if (Case::parse(one.text(), conv_spec()).text() != one.text()) std::abort();
  }
}

// With an end line that is true, or hardly any input would be read to its end. `heads`: lines that
// it doesn't count.
std::string sealed(const std::string& text, int heads) {
  std::string lines = text;
  if (!lines.ends_with('\n')) lines += '\n';
  const auto count = std::count(lines.begin(), lines.end(), '\n') - heads;
  lines +=
      fmt::format("{{\"type\":\"end\",\"n\":{},\"sha256\":\"{}\"}}\n", count, sha256_hex(lines));
  return lines;
}

void parse_exchange(const std::string& text) { store::parse_exchange(sealed(text, 0), "x"); }

void parse_night(const std::string& text) { judge::parse_night(sealed(text, 1), "x"); }

// A file of alert events, and what they make.
void parse_alerts(const std::string& text) {
  const auto events = judge::merged_events({}, judge::parse_events(text, "x"));
  judge::strange_events(events);
  for (const judge::Alert& alert : judge::alerts_of(events, "2026-06-01T00:00:00Z")) {
    parse_json(judge::alert_json(alert).dump(), "an alert");
  }
}

// A worker's answer to `hello`; what is kept of it is printed.
void parse_hello(const std::string& text) {
  const Json answer = Json::parse(text, nullptr, false);
  if (!answer.is_object()) return;  // the client asks no further
  try {
    const run::Hello hello = run::hello_from_answer(answer);
    for (const run::VariantInfo& variant : hello.variants) {
      if (variant.name.empty() || printable(variant.name) != variant.name) std::abort();
    }
  } catch (const run::WorkerFailure&) {
  }
}

// A stored plan stays what it is.
void parse_plan(const std::string& text) {
  const std::string kept = run::plan_to_json(run::plan_from_json(text), {});
  if (run::plan_to_json(run::plan_from_json(kept), {}) != kept) std::abort();
}

void parse_npy(const std::string& text) {
  const int fd = memfd_create("fuzz", 0);
  if (fd < 0 || write(fd, text.data(), text.size()) < 0) std::abort();
  const std::string path = fmt::format("/proc/self/fd/{}", fd);
  for (const auto& read : {+[](const std::string& p) { read_npy_f32(p); },
                           +[](const std::string& p) { read_npy_f64(p); },
                           +[](const std::string& p) { read_npy_as_f32(p); }}) {
    try {
      read(path);
    } catch (const Error&) {
    }
  }
  close(fd);
}

void parse_answer(const std::string& text) {
  const Json json = parse_limited(text, "x");
  for (const auto& read :
       {+[](const Json& j) { repetition_from_json(j); },
        +[](const Json& j) { alloc_counts_from_json(j); },
        +[](const Json& j) { build_from_json(j); }, +[](const Json& j) { op_spec_from_json(j); },
        +[](const Json& j) { host_from_json(j); },
        +[](const Json& j) { invocation_from_json(j); }}) {
    try {
      read(json);
    } catch (const Error&) {
    }
  }
}

// Whatever is in a message, it is one printable line, and stays what it is.
void make_message(const std::string& text) {
  const std::string line = message_line(text);
  const bool plain = line.find_first_of("\n\r\x1b") == std::string::npos;
  if (!plain || line.size() > 4100 || line.starts_with("::") || printable(line) != line ||
      line.find("##[") != std::string::npos) {
    std::abort();
  }
}

// An invocation's body and, after a line end, its samples: what is stored of them gives them back.
void pack_invocation(const std::string& text) {
  const size_t end = text.find('\n');
  if (end == std::string::npos) return;
  const store::InvocationRecord record{text.substr(0, end), text.substr(end + 1)};
  const store::StatedInvocation stated = store::read_record(record);
  store::Shapes shapes;
  const store::PackedInvocation kept = store::packed(record, &stated, stated.invocation, shapes);
  const store::Shape shape = kept.shape.empty() ? store::Shape{} : store::read_shape(kept.shape);
  if (store::unpacked(kept, shape) != record) std::abort();
}

// Packed samples of a damaged database: refused, or what they say can be packed again.
void unpack_stored_samples(const std::string& text) {
  const std::string samples = store::unpacked_samples(text);
  if (store::unpacked_samples(store::packed_samples(samples)) != samples) std::abort();
}

// What is said of a report stands on its lines, and no text of it becomes a command of a CI runner.
void audit_report(const std::string& text) {
  const auto lines =
      std::count(text.begin(), text.end(), '\n') + std::count(text.begin(), text.end(), '\r') + 1;
  const std::vector<audit::Finding> found = audit::audit(text);
  for (const audit::Finding& f : found) {
    if (f.line < 1 || f.line > lines) std::abort();
  }
  const std::string commands = audit::as_annotations("x", found);
  const auto count = std::count(commands.begin(), commands.end(), '\n');
  if (count > static_cast<long>(found.size())) std::abort();
}

// A file of another tool: whatever is stored of it holds, and stays, what can have been measured.
// The first line names the format; without a known one it is detected.
void parse_foreign(const std::string& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string name = text.substr(0, end);
  const bool named = foreign::find_format(name) != nullptr;
  foreign::ForeignOptions options{.format = named ? name : "", .salvage = true};
  if (name == "csv") options.read.columns = "name=n,time=t:ns,repetition=r,param=p";
  std::istringstream in(named ? text.substr(std::min(end + 1, text.size())) : text);
  foreign::ForeignRead read = foreign::read_foreign(in, "x", options);
  for (const foreign::ForeignRecord& one : foreign::records_of(
           read.file, *read.format, {"host", "2026-01-01T00:00:00Z", std::string(64, '0'), "1"})) {
    if (store::parse_exchange(store::write_exchange(one.record), "x") != one.record) std::abort();
    for (const store::InvocationRecord& record : one.record.invocations) {
      const Invocation invocation = store::unpack(record);
      if (!foreign::parse_case_text(invocation.row.case_text)) std::abort();
      for (const Repetition& r : invocation.repetitions) {
        if (!problem_of(r).empty()) std::abort();
      }
    }
  }
}

struct Parser {
  const char* name;
  void (*parse)(const std::string& text);
};

constexpr Parser kParsers[] = {
    {"alerts", parse_alerts},
    {"answer", parse_answer},
    {"audit", audit_report},
    {"case", parse_case},
    {"exchange", parse_exchange},
    {"foreign", parse_foreign},
    {"gate_plan", [](const std::string& text) { judge::parse_gate_plan(text); }},
    {"goal", [](const std::string& text) { parse_goal(text); }},
    {"hello", parse_hello},
    {"invocation", pack_invocation},
    {"known_changes", [](const std::string& text) { parse_known_changes(text, "x"); }},
    {"message", make_message},
    {"night", parse_night},
    {"npy", parse_npy},
    {"plan", parse_plan},
    {"releases", [](const std::string& text) { parse_releases(text, "x"); }},
    {"samples", unpack_stored_samples},
    {"suite", [](const std::string& text) { parse_suite(text, "x", {}); }},
};

const Parser& chosen() {
  const char* name = std::getenv("NSOP_FUZZ");
  for (const Parser& parser : kParsers) {
    if (name != nullptr && std::strcmp(name, parser.name) == 0) return parser;
  }
  const bool list = name != nullptr && std::strcmp(name, "list") == 0;
  for (const Parser& parser : kParsers) std::fprintf(list ? stdout : stderr, "%s\n", parser.name);
  if (!list) std::fprintf(stderr, "NSOP_FUZZ: expected one of these\n");
  std::exit(list ? 0 : 2);
}

}  // namespace
}  // namespace nsop

// The name is libFuzzer's. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  nsop::chosen();
  return 0;
}

// The name is libFuzzer's. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const nsop::Parser& parser = nsop::chosen();
  try {
    parser.parse(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const nsop::Error&) {  // refused, with a message
  }
  return 0;
}
