#include "harness/run/workers/worker_client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "harness/core/error.h"
#include "harness/core/io/json_field.h"
#include "harness/core/text.h"

namespace nsop::run {
namespace {

constexpr int64_t kQuickMs = 30'000;
constexpr int64_t kReferenceMs = 600'000;

std::vector<std::string> thread_environment(int threads) {
  std::vector<std::string> environment;
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
                           "BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS"}) {
    environment.push_back(fmt::format("{}={}", name, threads));
  }
  environment.push_back("OMP_DYNAMIC=false");
  environment.push_back("OMP_PROC_BIND=true");
  return environment;
}

// The loader splits LD_PRELOAD at blanks and colons and knows no quotes, so a library whose path
// has one is named by a file that this program keeps open. The loader leaves out what can't be
// opened, and the worker then says that it counts nothing.
std::string preloadable(const std::string& library) {
  if (library.find_first_of(" :") == std::string::npos) return library;
  static std::mutex mutex;
  static std::map<std::string, int> open_files;
  const std::lock_guard lock(mutex);
  int& file = open_files.try_emplace(library, -1).first->second;
  if (file < 0) file = open(library.c_str(), O_RDONLY | O_CLOEXEC);
  return file < 0 ? library : fmt::format("/proc/{}/fd/{}", getpid(), file);
}

ProcessOptions process_options(const WorkerCommand& worker, const std::vector<int>& cpus,
                               int threads) {
  ProcessOptions options{worker.command, cpus, thread_environment(threads)};
  options.environment.insert(options.environment.end(), worker.environment.begin(),
                             worker.environment.end());
  if (!worker.preload.empty()) {
    options.environment.push_back("LD_PRELOAD=" + preloadable(worker.preload));
  }
  return options;
}

template <typename T>
T at(const Json& json, const char* key) {
  try {
    return json_field<T>(json, key);
  } catch (const Error&) {
    throw WorkerFailure(Status::kError,
                        fmt::format("answer lacks field '{}' or it has the wrong type", key));
  }
}

WorkerFailure impossible(const char* verb, const std::string& problem) {
  return {Status::kError, fmt::format("{}: {}", verb, problem)};
}

// A count or a size in bytes: whole, and small enough for sums and products of a few.
int64_t amount(const Json& json, const char* verb, const char* key) {
  constexpr int64_t kMost = int64_t{1} << 53;
  const auto value = at<int64_t>(json, key);
  if (value < 0 || value > kMost) {
    throw impossible(verb, fmt::format("{} is {}, expected 0 to 2^53", key, value));
  }
  return value;
}

// The same of a field that may be missing, of an answer that need not even be an object.
template <typename T>
T at_or(const Json& json, const char* key, T otherwise) {
  return json.is_object() && !json.contains(key) ? otherwise : at<T>(json, key);
}

// A name that goes into cases, the database and reports: ASCII without blanks, quotes and the signs
// that cases and selectors are made of.
std::string word(const Json& json, const char* key) {
  constexpr size_t kMost = 100;
  auto text = at<std::string>(json, key);
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 0x7f &&
           std::string_view("\"'`\\@=,|<>").find(c) == std::string_view::npos;
  });
  if (text.empty() || text.size() > kMost || !plain) {
    throw impossible("hello", fmt::format("{} '{}' is no name of 1 to {} letters, digits and signs",
                                          key, message_line(text.substr(0, 40)), kMost));
  }
  return text;
}

std::vector<std::string> words(const Json& json, const char* key) {
  std::vector<std::string> texts;
  for (const std::string& text : at<std::vector<std::string>>(json, key)) {
    texts.push_back(word({{key, text}}, key));
  }
  return texts;
}

Role role_from_text(const std::string& text) {
  if (text == "before") return Role::kBefore;
  if (text == "probe") return Role::kProbe;
  return text == "peer" ? Role::kPeer : Role::kOurs;
}

}  // namespace

bool Hello::has(const std::string& feature) const {
  return std::find(features.begin(), features.end(), feature) != features.end();
}

WorkerClient::WorkerClient(const WorkerCommand& worker, const std::vector<int>& cpus, int threads)
    : process_(process_options(worker, cpus, threads)), hello_ms_(worker.hello_ms) {}

Json WorkerClient::ask_raw(Json request, int64_t timeout_ms) {
  const int64_t id = next_id_++;
  const std::string verb = request.value("do", "");
  request["id"] = id;
  const auto failed = [&](Status status, const std::string& what) {
    const std::string end = process_.finish(status == Status::kTimeout ? 0 : 2000);
    const std::string printed = process_.printed_tail();
    return WorkerFailure(status, fmt::format("worker {} at '{}': {}{}", what, verb, end,
                                             printed.empty() ? "" : "; it printed: " + printed));
  };
  std::string line;
  if (!process_.write_line(request.dump())) throw failed(Status::kError, "died");
  switch (process_.read_line(line, timeout_ms)) {
    case Process::Read::kEnd:
      throw failed(Status::kError, "died");
    case Process::Read::kTimeout:
      process_.kill_group();
      throw failed(Status::kTimeout, fmt::format("gave no answer within {} s", timeout_ms / 1000));
    case Process::Read::kTooLong:
      process_.kill_group();
      throw failed(Status::kError, "answered without an end of line");
    case Process::Read::kLine:
      break;
  }
  const Json answer = Json::parse(line, nullptr, false);
  if (!answer.is_object() || !answer.contains("id") || answer["id"] != id ||
      !answer.contains("ok") || !answer["ok"].is_boolean()) {
    process_.kill_group();
    throw failed(Status::kError, "answered something that is not the protocol");
  }
  return answer;
}

Json WorkerClient::ask(Json request, int64_t timeout_ms) {
  const Json answer = ask_raw(std::move(request), timeout_ms);
  if (at<bool>(answer, "ok")) return answer;
  const Json error = at<Json>(answer, "error");
  const auto code = at<std::string>(error, "code");
  const auto message = at<std::string>(error, "message");
  if (code == "bad_case") throw usage_error(message_line(message));
  throw WorkerFailure(
      code == "unsupported" || code == "unknown_op" ? Status::kUnsupported : Status::kError,
      message_line(message));
}

Hello WorkerClient::hello() { return hello_from_answer(ask({{"do", "hello"}}, hello_ms_)); }

Hello hello_from_answer(const Json& answer) {
  const Json protocol = at<Json>(answer, "protocol");
  if (at<int>(protocol, "min") > 1 || at<int>(protocol, "max") < 1) {
    throw WorkerFailure(
        Status::kError,
        fmt::format("worker speaks protocol {}, this nsop version 1", protocol.dump()));
  }
  Hello hello;
  hello.program = message_line(at<std::string>(answer, "program"));
  hello.engine = message_line(at_or<std::string>(answer, "engine", ""));
  hello.features = at_or<std::vector<std::string>>(answer, "features", {});
  try {
    hello.build = build_from_json(at<Json>(answer, "build"));
    for (const Json& op : at<Json>(answer, "ops")) {
      word(op, "name");
      hello.ops.push_back(op_spec_from_json(op));
    }
  } catch (const Error& error) {
    throw WorkerFailure(Status::kError, std::string("hello: ") + error.what());
  }
  for (const Json& v : at<Json>(answer, "variants")) {
    hello.variants.push_back(
        {word(v, "op"), word(v, "name"), message_line(at_or<std::string>(v, "summary", "")),
         role_from_text(at_or<std::string>(v, "role", "ours")), words(v, "targets")});
  }
  for (const Json& one : at_or<Json>(answer, "left_out", Json::array())) {
    hello.left_out.push_back(message_line(
        fmt::format("{}: {}", at<std::string>(one, "case"), at<std::string>(one, "reason"))));
  }
  return hello;
}

CaseDescription WorkerClient::describe(const std::string& case_text) {
  const Json answer = ask({{"do", "describe"}, {"case", case_text}}, kQuickMs);
  CaseDescription d;
  d.text = at<std::string>(answer, "case");
  const Json common = at<Json>(answer, "tolerance");
  for (const Json& o : at<Json>(answer, "outputs")) {
    d.outputs.push_back({at<std::string>(o, "name"), at<Shape>(o, "shape")});
    const Json& own = o.contains("tolerance") ? o.at("tolerance") : common;
    d.tolerances.push_back({at<double>(own, "absolute"), at<double>(own, "relative")});
  }
  d.given_outputs = at_or(answer, "given_outputs", false);
  const Json work = at<Json>(answer, "work");
  d.memory_bytes = at<int64_t>(answer, "memory_bytes");
  d.threads = at_or(answer, "threads", 1);
  if (d.threads < 1) throw impossible("describe", fmt::format("threads is {}", d.threads));
  d.facts = {at<double>(work, "flops"), at<double>(work, "macs"), at<double>(work, "bytes"), 0, 0};
  double floats = 0, written = 0;
  for (const Json& i : at<Json>(answer, "inputs")) {
    floats += static_cast<double>(element_count(at<Shape>(i, "shape")));
  }
  for (const OutputSpec& o : d.outputs) written += static_cast<double>(element_count(o.shape));
  d.facts.working_set_bytes = (floats + written) * sizeof(float);
  d.facts.written_bytes = written * sizeof(float);
  return d;
}

void WorkerClient::reference(const std::string& case_text, uint64_t seed, const std::string& dir,
                             const std::vector<std::string>& outputs) {
  Json request = {{"do", "reference"}, {"case", case_text}, {"seed", seed}, {"dir", dir}};
  if (!outputs.empty()) request["outputs"] = outputs;
  ask(std::move(request), kReferenceMs);
}

Loaded WorkerClient::load(const RowKey& row, const std::vector<std::string>& inputs,
                          const std::string& dir, int64_t timeout_ms, const LoadedFacts& known) {
  Json request = {{"do", "load"},
                  {"case", row.case_text},
                  {"variant", row.variant},
                  {"target", row.target},
                  {"threads", row.threads},
                  {"inputs", inputs},
                  {"dir", dir}};
  if (known.repetition_ns > 0) {
    request["known"] = {
        {"step_ns", known.step_ns}, {"repetition_ns", known.repetition_ns}, {"chose", known.chose}};
  }
  const Json answer = ask(std::move(request), timeout_ms);
  Loaded loaded;
  loaded.target = at<std::string>(answer, "target");
  loaded.chose = message_line(at_or<std::string>(answer, "chose", ""));
  if (answer.contains("workspace_bytes")) {
    loaded.workspace_bytes = amount(answer, "load", "workspace_bytes");
  }
  loaded.step_ns = amount(answer, "load", "step_ns");
  if (known.repetition_ns == 0 && loaded.step_ns / 1'000'000 > timeout_ms) {
    throw impossible("load", fmt::format("step_ns is {}, and load took less", loaded.step_ns));
  }
  if (answer.contains("repetition_ns")) {
    loaded.repetition_ns = amount(answer, "load", "repetition_ns");
  }
  loaded.outputs = at<std::vector<std::string>>(answer, "outputs");
  return loaded;
}

Measured WorkerClient::measure(const MeasureOptions& o, int64_t timeout_ms) {
  Json request = {{"do", "measure"},
                  {"warmup_ns", o.warmup_ns},
                  {"repetitions", o.repetitions},
                  {"min_time_ns", o.min_time_ns},
                  {"slow_repetitions", o.slow_repetitions}};
  if (o.instructions) request["counters"] = true;
  const Json answer = ask(std::move(request), timeout_ms);
  Measured measured;
  measured.process_age_s = at_or(answer, "process_age_s", 0.0);
  if (measured.process_age_s < 0) throw impossible("measure", "process_age_s is negative");
  try {
    for (const Json& r : at<Json>(answer, "repetitions")) {
      measured.repetitions.push_back(repetition_from_json(r));
    }
  } catch (const Error& error) {
    throw impossible("measure", message_line(error.what()));
  }
  if (measured.repetitions.empty()) throw impossible("measure", "no repetitions");
  for (const Repetition& r : measured.repetitions) {
    const bool same =
        std::equal(r.metrics.begin(), r.metrics.end(), measured.repetitions[0].metrics.begin(),
                   measured.repetitions[0].metrics.end(),
                   [](const auto& a, const auto& b) { return a.first == b.first; });
    if (!same) throw impossible("measure", "repetitions with different metrics");
  }
  return measured;
}

Counted WorkerClient::count_allocs(const std::vector<int>& iterations, int64_t timeout_ms) {
  const Json answer = ask({{"do", "allocs"}, {"iterations", iterations}}, timeout_ms);
  const Json first = at<Json>(answer, "first");
  Counted counted{amount(first, "allocs", "allocs"), amount(first, "allocs", "bytes"), {}};
  for (const Json& c : at<Json>(answer, "counts")) {
    counted.windows.push_back({amount(c, "allocs", "iterations"), amount(c, "allocs", "allocs"),
                               amount(c, "allocs", "bytes"),
                               amount(c, "allocs", "peak_live_bytes")});
  }
  const bool own = at_or(answer, "own_iterations", false);  // its program chose how many
  const bool as_asked =
      std::equal(counted.windows.begin(), counted.windows.end(), iterations.begin(),
                 iterations.end(), [own](const CountWindow& window, int asked) {
                   return own ? window.iterations > 0 : window.iterations == asked;
                 });
  if (!as_asked) throw impossible("allocs", "an answer for every iteration count was expected");
  return counted;
}

WorkerClient::Dumped WorkerClient::dump(const std::string& dir) {
  const Json answer = ask({{"do", "dump"}, {"dir", dir}}, kQuickMs);
  return {at<std::vector<std::string>>(answer, "inputs"),
          at<std::vector<std::string>>(answer, "outputs")};
}

void WorkerClient::quit() {
  ask({{"do", "quit"}}, kQuickMs);
  process_.finish(5000);
}

}  // namespace nsop::run
