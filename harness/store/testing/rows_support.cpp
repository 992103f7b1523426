#include "harness/store/testing/rows_support.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "harness/core/files.h"
#include "harness/store/backend/address.h"
#include "harness/store/db.h"

namespace nsop::store::test {

bool on_server() { return std::getenv("NSOP_TEST_SERVER") != nullptr; }

std::string server_address(const std::string& database) {
  std::string address = std::getenv("NSOP_TEST_SERVER");
  const size_t begin = address.find("///") + 3;
  return database.empty() ? address : address.replace(begin, address.find('?') - begin, database);
}

namespace {

std::string database_of(const std::string& address) {
  const size_t begin = address.find("///") + 3;
  return address.substr(begin, address.find('?') - begin);
}

void on_the_server(const std::string& statement) {
  Database(server_address(""), Database::Raw{""}).script(statement);
}

}  // namespace

TempDir::TempDir() {
  // In memory where there is such a folder: syncing thousands of small transactions takes minutes.
  const std::filesystem::path memory = "/dev/shm";
  const bool fast = access(memory.c_str(), W_OK) == 0;
  const auto parent = fast ? memory : std::filesystem::temp_directory_path();
  std::string name = (parent / "nsop-store-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw environment_error("no temporary folder");
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  for (const auto& [given, name] : databases_) {
    on_the_server("DROP DATABASE " + name + " WITH (FORCE)");
  }
}

std::string TempDir::db(const std::string& name) {
  if (!on_server()) return file(name);
  static int count = 0;
  auto& own = databases_[name];
  if (own.empty()) {
    own = fmt::format("nsop_{}_{}", getpid(), ++count);
    on_the_server("CREATE DATABASE " + own + " TEMPLATE template0");
  }
  return server_address(own);
}

Host example_host(const std::string& id) {
  Host host;
  host.id = id;
  host.cpu_vendor = "AuthenticAMD";
  host.cpu_model = "EPYC \"Test\"";
  host.family = 25;
  host.cores = host.threads = 2;
  host.cache_bytes = {{"L1d", 32768}, {"L2", 1 << 20}};
  host.isa = {"avx2", "fma"};
  return host;
}

Build example_build(const std::string& id, const std::string& commit) {
  Build build;
  build.id = id;
  build.commit = commit;
  build.compiler = "g++ 12.2.0";
  build.flags = "-O2";
  return build;
}

Run example_run(const std::string& id, const std::string& started_utc) {
  Run run;
  run.id = id;
  run.host_id = "host-a";
  run.conditions.governor = "performance";
  run.conditions.allowed_cpus = {0, 1};
  run.profile = "quick";
  run.seed = UINT64_MAX;
  run.facts["relu pass=forward n=10 range=-3:3"] = {10, 0, 80, 80, 40};
  run.plan_json = R"({"rounds":6})";
  run.invocations_planned = 3;
  run.started_utc = started_utc;
  run.tool_version = "0.1.0";
  return run;
}

Invocation example_invocation(const std::string& run_id, int n) {
  Invocation one;
  one.id = fmt::format("{}-i{}", run_id, n);
  one.run_id = run_id;
  one.session = 0;
  one.round = n / 4;
  one.slot = n % 4;
  one.build_id = "build-a";
  one.row = {"relu pass=forward n=10 range=-3:3", "hwy", "AVX2", 1};
  one.inputs_sha256 = std::string(64, 'a');
  one.check.ok = true;
  one.check.max_abs_error = 1e-7;
  for (int i = 0; i < 3; ++i) one.repetitions.push_back({1000, 2000 + n + i, 1990, 1980, 0, 1, 0});
  one.at_utc = "2026-01-01T00:00:01Z";
  return one;
}

void add_run(Store& store, const Run& run, int invocations, bool seal) {
  store.put_host(example_host(run.host_id));
  store.put_build(example_build());
  store.begin_run(run);
  for (int n = 0; n < invocations; ++n) store.append(example_invocation(run.id, n));
  if (seal) store.end_run(run.id, RunState::kComplete, "2026-01-01T00:10:00Z");
}

Outcome outcome(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {};
}

void old_database(const std::string& path, const std::string& dump) {
  Database(path, Database::Raw{"mode=rwc"}).script(read_file(dump));
}

Kept::Kept(const std::string& address)
    : address_(address),
      content_(is_server(address) ? database_of(address) + "_kept" : read_file(address)) {
  if (is_server(address)) {
    on_the_server("CREATE DATABASE " + content_ + " TEMPLATE " + database_of(address));
  }
}

Kept::~Kept() {
  if (is_server(address_)) on_the_server("DROP DATABASE " + content_);
}

void Kept::put_back() const {
  if (!is_server(address_)) return write_file_atomically(address_, content_);
  const std::string name = database_of(address_);
  on_the_server("DROP DATABASE " + name + " WITH (FORCE)");
  on_the_server("CREATE DATABASE " + name + " TEMPLATE " + content_);
}

void raw_sql(const std::string& address, const std::string& statements) {
  Database db(address, Database::Raw{"mode=rw"});
  if (!is_server(address)) {
    db.script("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON");
  }
  db.script(statements);
}

void damage(const std::string& address, const std::string& statements) {
  raw_sql(address,
          (is_server(address) ? "SET session_replication_role = replica; " : "") + statements);
}

int in_child(const std::function<int()>& f) {
  const pid_t child = fork();
  if (child == 0) {
    int code = 99;
    try {
      code = f();
    } catch (const Error& error) {
      code = static_cast<int>(error.code());
    } catch (...) {
    }
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace nsop::store::test
