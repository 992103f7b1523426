#include "harness/adapters/server.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/hash.h"
#include "harness/core/io/npy.h"
#include "harness/core/text.h"
#include "harness/foreign/name.h"
#include "harness/worker/protocol/request.h"

namespace nsop::adapters {
namespace {

using worker::Refusal;

constexpr const char* kTarget = "native";
constexpr size_t kDigestBytes = 32;
constexpr int64_t kMostNs = int64_t{3600} * 1'000'000'000;

OpSpec spec_of(const Program& program, const Listing& listing) {
  ParamSpec name{"name", ParamKind::kChoice, {}, 0, {}};
  for (const Found& found : listing.cases)
    name.choices.push_back(foreign::percent_encoded(found.name));
  return {program.name, "benchmarks of " + program.run.at(0), {name}};
}

// `PROGRAM name=NAME` taken apart.
struct CaseName {
  std::string program, name;
};

CaseName case_field(const Json& request) {
  const std::string line = worker::text_field(request, "case");
  const std::vector<std::string> words = split(line, ' ');
  constexpr std::string_view kKey = "name=";
  if (words.size() != 2 || !words[1].starts_with(kKey)) {
    throw Refusal("bad_case", fmt::format("'{}': expected 'PROGRAM name=BENCHMARK'", line));
  }
  const auto name = foreign::percent_decoded(words[1].substr(kKey.size()));
  if (!name) throw Refusal("bad_case", fmt::format("'{}': is no encoded name", words[1]));
  return {words[0], *name};
}

// The bytes of a SHA-256 as numbers.
template <typename T>
std::vector<T> digest_of(const std::string& text) {
  const std::string hex = sha256_hex(text);
  std::vector<T> bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<T>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

// Everything that the program consists of, as far as its command line tells.
std::string files_sha256(const Program& program) {
  std::string all;
  for (const std::string& word : program.run) {
    std::filesystem::path path = std::filesystem::path(program.folder) / word;
    if (&word == &program.run.front() && word.find('/') == std::string::npos) {
      path = program_on_path(word);
    }
    std::error_code error;
    all += std::filesystem::is_regular_file(path, error) ? sha256_file(path) : word;
    all += '\n';
  }
  return sha256_hex(all);
}

// Do the programs that this process starts inherit libnsop_alloc.so?
bool is_counting() { return dlsym(RTLD_DEFAULT, "nsop_alloc_start") != nullptr; }

bool is_compared(const Program& program) { return !program.compare.empty(); }

// Of a row that another process has loaded, what that told: a program need not run for it again,
// unless its output is wanted.
const Json* known_row(const Program& program, const Json& request) {
  if (is_compared(program) || !request.contains("known")) return nullptr;
  return &request.at("known");
}

const Adapter& adapter_of(const Program& program) { return adapter_named(program.adapter); }

}  // namespace

Server::Server(std::vector<Program> programs, std::string scratch)
    : programs_(std::move(programs)), scratch_(std::move(scratch)) {}

Json Server::answer(const std::string& verb, const Json& request) {
  if (verb == "hello") return hello();
  if (verb == "describe") return describe(request);
  if (verb == "reference") return reference(request);
  if (verb == "load") return load(request);
  if (verb == "measure") return measure(request);
  if (verb == "allocs") return allocs(request);
  if (verb == "dump") return dump(request);
  throw Refusal("bad_request", fmt::format("unknown verb '{}'", verb));
}

const std::vector<Listing>& Server::listings() {
  if (!listings_) {
    std::vector<Listing> all;
    for (const Program& p : programs_) {
      all.push_back(chosen(p, adapter_of(p).list(p, scratch_)));
    }
    listings_ = std::move(all);
  }
  return *listings_;
}

Json Server::hello() {
  Build build;
  build.commit = programs_.at(0).commit.empty() ? "unknown" : programs_[0].commit;
  build.libc = fmt::format("glibc {}", gnu_get_libc_version());
  Json ops = Json::array(), variants = Json::array(), left_out = Json::array();
  std::string files;
  for (size_t i = 0; i < programs_.size(); ++i) {
    const Program& program = programs_[i];
    const Listing& listing = listings()[i];
    ops.push_back(to_json(spec_of(program, listing)));
    variants.push_back({{"op", program.name},
                        {"name", program.adapter},
                        {"role", "ours"},
                        {"summary", "measured as the program measures itself"},
                        {"targets", {kTarget}}});
    for (const LeftOut& one : listing.left_out) {
      left_out.push_back(
          {{"case", fmt::format("{} name={}", program.name, foreign::percent_encoded(one.name))},
           {"reason", one.reason}});
    }
    build.engine += (i == 0 ? "" : "; ") + adapter_of(program).engine();
    files += files_sha256(program) + "\n";
  }
  build.binary_sha256 = sha256_hex(files);
  Json features = {"reference", "known_rows"};
  if (is_counting()) features.push_back("allocs");
  return {{"protocol", {{"min", 1}, {"max", 1}}},
          {"program", "nsop-adapter"},
          {"build", to_json(build)},
          {"features", std::move(features)},
          {"ops", ops},
          {"variants", variants},
          {"left_out", left_out},
          {"engine", build.engine}};
}

const Program& Server::program_named(const std::string& name) const {
  const auto it = std::find_if(programs_.begin(), programs_.end(),
                               [&](const Program& p) { return p.name == name; });
  if (it == programs_.end()) throw Refusal("unknown_op", fmt::format("no program '{}'", name));
  return *it;
}

Json Server::describe(const Json& request) {
  const CaseName c = case_field(request);
  const Program& program = program_named(c.program);
  const Listing& listing = listings()[static_cast<size_t>(&program - programs_.data())];
  const auto it = std::find_if(listing.cases.begin(), listing.cases.end(),
                               [&](const Found& found) { return found.name == c.name; });
  if (it == listing.cases.end()) {
    throw Refusal("bad_case", fmt::format("{} has no benchmark '{}'", program.name, c.name));
  }
  Json outputs = Json::array();
  if (is_compared(program)) {
    outputs.push_back({{"name", "SHA-256 of standard output"}, {"shape", {kDigestBytes}}});
  }
  return {{"case", worker::text_field(request, "case")},
          {"inputs", Json::array()},
          {"outputs", outputs},
          {"tolerance", {{"absolute", 0.0}, {"relative", 0.0}}},
          {"work", {{"flops", 0.0}, {"macs", 0.0}, {"bytes", 0.0}}},
          {"threads", std::max(it->threads, program.threads)},
          {"memory_bytes", 0}};
}

Json Server::reference(const Json& request) const {
  const CaseName c = case_field(request);
  const Program& program = program_named(c.program);
  worker::seed_field(request, "seed");
  Json expected = Json::array();
  if (is_compared(program)) {
    const std::string path = worker::text_field(request, "dir") + "/expected0.npy";
    const Timed timed = adapter_of(program).time(program, {c.name, 1, 1}, scratch_);
    write_npy(path, TensorF64{{kDigestBytes}, digest_of<double>(timed.printed)});
    expected.push_back(path);
  }
  return {{"case", worker::text_field(request, "case")},
          {"inputs", Json::array()},
          {"expected", expected}};
}

Json Server::load(const Json& request) {
  const CaseName c = case_field(request);
  const Program& program = program_named(c.program);
  const std::string variant = worker::text_field(request, "variant");
  if (variant != program.adapter) {
    throw Refusal("unsupported", fmt::format("{} has no variant '{}'", program.name, variant));
  }
  worker::integer_field(request, "threads", {1, kMostThreads}, 1);
  row_.reset();
  Row row{&program, c.name, 0, 0, {}, {}};
  if (const Json* known = known_row(program, request)) {
    row.step_ns = worker::integer_field(*known, "step_ns", {0, kMostNs});
    row.repetition_ns = worker::integer_field(*known, "repetition_ns", {1, kMostNs});
    row.chose = worker::text_field(*known, "chose");
  } else {
    load_by_running(row);
  }
  row_ = std::move(row);
  Json answer = {{"target", kTarget},
                 {"chose", row_->chose},
                 {"workspace_bytes", 0},
                 {"step_ns", row_->step_ns},
                 {"repetition_ns", row_->repetition_ns}};
  answer.update(dump(request));
  return answer;
}

void Server::load_by_running(Row& row) const {
  try {
    const Timed timed = adapter_of(*row.program).time(*row.program, {row.name, 1, 1}, scratch_);
    const Repetition& first = timed.repetitions.front();
    row.step_ns = first.wall_ns / first.iterations;
    row.repetition_ns = first.wall_ns;
    row.chose = timed.note;
    row.printed = timed.printed;
  } catch (const Error& error) {
    if (error.code() != ExitCode::kInconclusive) throw;
    throw Refusal("unsupported", error.what());
  }
}

const Server::Row& Server::loaded() const {
  if (!row_) throw Refusal("not_loaded", "no row is loaded");
  return *row_;
}

Json Server::measure(const Json& request) const {
  const Row& row = loaded();
  const int64_t min_time_ns =
      worker::integer_field(request, "min_time_ns", {1, kMostNs}, 2'000'000);
  const int64_t many = worker::integer_field(request, "repetitions", {1, 100'000}, 10);
  const int64_t few = worker::integer_field(request, "slow_repetitions", {1, 100'000}, 3);
  const bool slow = row.step_ns > min_time_ns;
  const TimeRequest wanted{row.name, static_cast<int>(slow ? few : many), min_time_ns, row.step_ns};
  const Timed timed = adapter_of(*row.program).time(*row.program, wanted, scratch_);
  Json repetitions = Json::array();
  for (const Repetition& r : timed.repetitions) repetitions.push_back(to_json(r));
  return {{"process_age_s", 0.0}, {"repetitions", std::move(repetitions)}};
}

Json Server::allocs(const Json& request) const {
  const Row& row = loaded();
  if (!is_counting()) {
    throw Refusal("unsupported", "allocations aren't counted in this process: no counting preload");
  }
  std::vector<int> wanted;
  for (const int64_t n : worker::integers_field(request, "iterations", {1, 1'000'000})) {
    wanted.push_back(static_cast<int>(n));
  }
  if (wanted.empty()) throw Refusal("bad_request", "iterations: expected a number");
  try {
    const Counted counted =
        adapter_of(*row.program).count(*row.program, {row.name, wanted}, scratch_);
    Json counts = Json::array();
    for (const AllocWindow& w : counted.windows) {
      counts.push_back({{"iterations", w.iterations},
                        {"allocs", w.allocs},
                        {"bytes", w.bytes},
                        {"peak_live_bytes", w.peak_live_bytes}});
    }
    return {{"first", {{"allocs", counted.first.allocs}, {"bytes", counted.first.bytes}}},
            {"counts", std::move(counts)},
            {"own_iterations", counted.own_iterations}};
  } catch (const Error& error) {
    if (error.code() != ExitCode::kInconclusive) throw;
    throw Refusal("unsupported", error.what());
  }
}

Json Server::dump(const Json& request) const {
  const Row& row = loaded();
  Json outputs = Json::array();
  if (is_compared(*row.program)) {
    const std::string path = worker::text_field(request, "dir") + "/output0.npy";
    write_npy(path, {kDigestBytes}, digest_of<float>(row.printed));
    outputs.push_back(path);
  }
  return {{"inputs", Json::array()}, {"outputs", outputs}};
}

}  // namespace nsop::adapters
