// A worker for tests: one op `double n=...` (y = 2x), times that come from no clock, and faults on
// demand: `crash=VERB`, `hang=VERB`, `late=VERB`, `rubbish=VERB`, `mistyped=VERB` (fields of other
// types), `textid=VERB`, `refuse=VERB`, `bad_case=VERB`, `wrong=first|second|timed`, `crash=second`
// (when it measures again), `touch=inputs`, `chatter` (prints a lot), `ignore=term`, `tell=TOKEN`
// (which secrets it sees), `huge=output` (a hole of 1 TiB) and `pipe=output` (a pipe) in its file,
// `stray` (leaves a process in another session), `flood` (one that prints without end); answers
// that can't be true, `set=VERB FIELD JSON` (FIELD: a JSON pointer into the answer); and
// `reusable` and `known_rows`, features (`chose` says which load was told); `lacks=TARGET`; `any`
// (loads cases of every op, which are 2x, too); `slower=PERCENT` (of the time of each repetition).
// With n=7 the op may also return zeros, and what is expected depends on the outputs; `thin` makes
// the first one zero. A program, so without a header.
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <string_view>

#include "harness/core/io/json.h"
#include "harness/core/io/npy.h"
#include "harness/core/text.h"

namespace nsop::run {
namespace {

class FakeWorker {
 public:
  explicit FakeWorker(std::set<std::string> faults) : faults_(std::move(faults)) {}

  // The answer without its id.
  Json handle(const Json& request) {
    const std::string verb = request.value("do", "");
    provoke(verb);
    if (verb == "hello") return hello();
    if (verb == "describe") return describe(request);
    if (verb == "reference") return reference(request);
    if (has("bad_case=" + verb)) return refusal("bad_case", "n must be even");
    if (verb == "load") return load(request);
    if (verb == "measure") return measure(request);
    if (verb == "allocs") return allocs(request);
    if (verb == "dump") return dump(request);
    if (verb == "quit") return {{"ok", true}};
    return refusal("bad_request", "unknown verb " + verb);
  }

 private:
  bool has(const std::string& fault) const { return faults_.contains(fault); }

  static Json refusal(const std::string& code, const std::string& message) {
    return {{"ok", false}, {"error", {{"code", code}, {"message", message}}}};
  }

  void provoke(const std::string& verb) {
    if (has("stray") && verb == "load") leave_stray();
    if (has("flood") && verb == "load" && fork() == 0) {
      while (write(1, "flood\n", 6) > 0) {
      }
      _exit(0);
    }
    if (has("chatter")) std::cout << std::string(100'000, 'x') << std::endl;
    if (has("crash=" + verb)) {
      std::cerr << "about to crash\n";
      signal(SIGSEGV, SIG_DFL);  // a sanitizer would report instead of crashing
      raise(SIGSEGV);
    }
    if (has("crash=second") && verb == "measure" && measured_ == 1) raise(SIGSEGV);
    if (has("hang=" + verb)) pause();
    if (has("late=" + verb)) usleep(250'000);
  }

  Json hello() const {
    Build build;
    build.commit = "fake";
    build.reference_sha256 = "fake-reference";
    Json features = {"reference", "allocs"};
    for (const char* feature : {"reusable", "known_rows"}) {
      if (has(feature)) features.push_back(feature);
    }
    const OpSpec spec{"double", "y = 2x", {{"n", ParamKind::kCount, {}, 0, {}}}};
    return {{"ok", true},
            {"protocol", {{"min", has("newer") ? 2 : 1}, {"max", has("newer") ? 2 : 1}}},
            {"program", "fake"},
            {"engine", "none"},
            {"build", to_json(build)},
            {"features", features},
            {"ops", {to_json(spec)}},
            {"variants",
             {{{"op", "double"}, {"name", "slow"}, {"role", "before"}, {"targets", {"x86-64"}}},
              {{"op", "double"},
               {"name", "fast"},
               {"role", "ours"},
               {"targets", {"AVX2", "SCALAR"}}}}}};
  }

  // A process in a session of its own, that no signal to our group reaches.
  static void leave_stray() {
    if (fork() != 0) return;
    setsid();
    std::ofstream("/proc/self/comm") << "nsop-stray";
    for (;;) pause();
  }

  // What of the environment looks like a secret.
  static std::string tokens() {
    std::string found;
    for (const char* name : {"GH_TOKEN", "ACTIONS_RUNTIME_URL", "MY_api_key", "NSOP_HARMLESS"}) {
      if (std::getenv(name) != nullptr) found += std::string(name) + " ";
    }
    return found;
  }

  // The n of a case of any op.
  static int64_t elements(const std::string& text) {
    constexpr std::string_view kKey = " n=";
    return std::stoll(text.substr(text.find(kKey) + kKey.size()));
  }

  static Json describe(const Json& request) {
    const std::string text = request.at("case");
    const int64_t n = elements(text);
    if (n == 13) return refusal("bad_case", "double: n: 13 was not expected");
    return {{"ok", true},
            {"case", text},
            {"inputs", {{{"name", "x"}, {"shape", {n}}}}},
            {"outputs", {{{"name", "y"}, {"shape", {n}}}}},
            {"tolerance", {{"absolute", 0.0}, {"relative", 0.0}}},
            {"work", {{"flops", n}, {"macs", 0}, {"bytes", 8 * n}}},
            {"given_outputs", n == 7},
            {"memory_bytes", n == 1'000'000'000 ? int64_t{1} << 50 : 16 * n}};
  }

  static Json reference(const Json& request) {
    const std::string text = request.at("case"), dir = request.at("dir");
    const int64_t n = elements(text);
    Tensor x({n});
    TensorF64 y{{n}, std::vector<double>(static_cast<size_t>(n))};
    for (int64_t i = 0; i < n; ++i) {
      x.data()[i] = static_cast<float>(i + 1) * request.at("seed").get<float>();
      y.data[i] = 2.0 * x.data()[i];
    }
    write_npy(dir + "/input0.npy", x.shape(), x.data());
    if (n == 7 && !request.contains("outputs")) {
      return {{"ok", true}, {"inputs", {dir + "/input0.npy"}}, {"expected", Json::array()}};
    }
    if (n == 7) {
      const Tensor got = read_npy_f32(request.at("outputs").at(0));
      for (size_t i = 0; i < got.size(); ++i) y.data[i] *= got.data()[i] == 0.0F ? 0.0 : 1.0;
    }
    write_npy(dir + "/expected0.npy", y);
    return {
        {"ok", true}, {"inputs", {dir + "/input0.npy"}}, {"expected", {dir + "/expected0.npy"}}};
  }

  Json load(const Json& request) {
    std::string target = request.value("target", "best");
    if (has("lacks=" + target)) return refusal("unsupported", "no target " + target);
    if (target == "best") target = "AVX2";
    if (has("target=other")) target = "SSE4";
    if (!request.contains("case")) return refusal("bad_request", "load lacks 'case'");
    if (!has("any") && !request.at("case").get<std::string>().starts_with("double ")) {
      return refusal("unknown_op", "no such op");
    }
    if (has("refuse=load")) return refusal("unsupported", "only on Sundays");
    x_ = read_npy_f32(request.at("inputs").at(0));
    y_ = Tensor(x_.shape());
    ++loads_;
    for (size_t i = 0; i < x_.size(); ++i) y_.data()[i] = 2 * x_.data()[i];
    if (has("wrong=first") || (has("wrong=second") && loads_ == 2)) y_.data()[0] += 1;
    if (has("thin")) y_.data()[0] = 0;
    const std::string dir = request.at("dir");
    write_npy(dir + "/output0.npy", y_.shape(), y_.data());
    if (has("huge=output")) std::filesystem::resize_file(dir + "/output0.npy", uint64_t{1} << 40);
    if (has("pipe=output")) {
      std::filesystem::remove(dir + "/output0.npy");
      mkfifo((dir + "/output0.npy").c_str(), 0600);
    }
    Json answer = {{"ok", true},
                   {"target", target},
                   {"chose", has("tell=TOKEN") ? tokens() : "doubling"},
                   {"workspace_bytes", 64},
                   {"step_ns", has("slow") ? 2'000'000'000 : 1000},
                   {"outputs", {dir + "/output0.npy"}}};
    if (has("known_rows")) answer["repetition_ns"] = 5000;
    if (request.contains("known")) {
      answer["chose"] = "told " + request["known"].at("chose").get<std::string>();
      answer["step_ns"] = request["known"].at("step_ns").get<int64_t>() + 1;
    }
    return answer;
  }

  Json measure(const Json& request) {
    if (loads_ == 0) return refusal("not_loaded", "measure before load");
    if (has("wrong=timed")) y_.data()[0] += 1;
    if (has("touch=inputs")) x_.data()[0] += 1;
    Json repetitions = Json::array();
    const int n = has("slow") ? request.at("slow_repetitions").get<int>()
                              : request.at("repetitions").get<int>();
    for (int i = 0; i < n; ++i) {
      const int64_t cpu_ns = slowed(990 + i);
      repetitions.push_back(to_json(Repetition{100, slowed(1000 + i), cpu_ns, cpu_ns, 0, 0, 0}));
    }
    // An age that tells the rows which one process has served from those of fresh ones.
    return {{"ok", true}, {"process_age_s", ++measured_}, {"repetitions", repetitions}};
  }

  int64_t slowed(int64_t ns) const {
    constexpr std::string_view kFault = "slower=";
    for (const std::string& fault : faults_) {
      if (fault.starts_with(kFault)) ns += ns * std::stoll(fault.substr(kFault.size())) / 100;
    }
    return ns;
  }

  static Json allocs(const Json& request) {
    Json counts = Json::array();
    for (const int64_t n : request.at("iterations").get<std::vector<int64_t>>()) {
      counts.push_back(
          {{"iterations", n}, {"allocs", 3 * n}, {"bytes", 96 * n}, {"peak_live_bytes", 96}});
    }
    return {{"ok", true}, {"first", {{"allocs", 5}, {"bytes", 160}}}, {"counts", counts}};
  }

  Json dump(const Json& request) const {
    const std::string dir = request.at("dir");
    write_npy(dir + "/dumped_input0.npy", x_.shape(), x_.data());
    write_npy(dir + "/dumped_output0.npy", y_.shape(), y_.data());
    return {{"ok", true},
            {"inputs", {dir + "/dumped_input0.npy"}},
            {"outputs", {dir + "/dumped_output0.npy"}}};
  }

  std::set<std::string> faults_;
  Tensor x_, y_;
  int loads_ = 0, measured_ = 0;
};

// JSON that is not what the protocol says.
void distort(const std::set<std::string>& faults, const std::string& verb, Json& answer) {
  if (faults.contains("textid=" + verb)) answer["id"] = "one";
  for (const std::string& fault : faults) {
    if (!fault.starts_with("set=" + verb + " ")) continue;
    const std::vector<std::string> words = split(fault, ' ');
    answer[Json::json_pointer(words.at(1))] = Json::parse(words.at(2));
  }
  if (!faults.contains("mistyped=" + verb)) return;
  for (auto& [name, value] : answer.items()) {
    if (name != "id" && name != "ok") value = Json::array({"x", 7});
  }
}

int serve(const std::set<std::string>& faults, int in, int out) {
  FakeWorker worker(faults);
  std::string buffer;
  char c = 0;
  while (read(in, &c, 1) == 1) {
    if (c != '\n') {
      buffer += c;
      continue;
    }
    const Json request = Json::parse(buffer);
    buffer.clear();
    Json answer = worker.handle(request);
    answer["id"] = request.at("id");
    distort(faults, request.value("do", ""), answer);
    const bool rubbish = faults.contains("rubbish=" + request.value("do", ""));
    const std::string line = (rubbish ? "Segmentation faul" : answer.dump()) + "\n";
    if (write(out, line.data(), line.size()) < 0) return 1;
    if (request.value("do", "") == "quit") return 0;
  }
  return 0;
}

}  // namespace
}  // namespace nsop::run

int main(int argc, char** argv) {
  std::set<std::string> faults(argv + 1, argv + argc - 2);
  const std::vector<std::string> pipes = nsop::split(argv[argc - 1], ',');
  return nsop::run::serve(faults, std::stoi(pipes[0]), std::stoi(pipes[1]));
}
