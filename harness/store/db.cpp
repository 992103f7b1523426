#include "harness/store/db.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "harness/core/files.h"
#include "harness/store/backend/address.h"
#include "harness/store/backend/file_check.h"
#include "harness/store/history/summaries.h"
#include "harness/store/schema.h"
#include "harness/store/store.h"
#include "harness/store/unfinished.h"

namespace nsop::store {
namespace {

constexpr int kDefaultTimeoutMs = 60'000;  // an import of the largest file takes 20 s

}  // namespace

std::string real_path(const std::string& path) {
  std::error_code ignored;
  const auto real = std::filesystem::weakly_canonical(std::filesystem::absolute(path), ignored);
  return real.empty() ? path : real.string();
}

int lock_timeout_ms() { return timeout_ms("NSOP_DB_TIMEOUT_MS", kDefaultTimeoutMs); }

Error locked_error(const std::string& path) {
  return environment_error(fmt::format(
      "{}: another process has kept it locked for {} ms; try again when that one is done "
      "(nothing of this step was stored)",
      path, lock_timeout_ms()));
}

Database::Database(const std::string& address, bool read_only)
    : path_(is_server(address) ? shown_address(address) : real_path(address)),
      read_only_(read_only),
      backend_(is_server(address) ? postgres_backend(*this, address) : sqlite_backend(*this)) {
  guard([&] {
    backend_->open(read_only);
    check_schema();
  });
}

Database::Database(const std::string& address, const Raw& raw)
    : path_(is_server(address) ? shown_address(address) : real_path(address)),
      backend_(is_server(address) ? raw_postgres_backend(*this, address)
                                  : raw_sqlite_backend(*this, raw.mode)) {
  guard([&] { backend_->open(false); });
}

void Database::check_schema() {
  const int version = schema_version(*this), newest = backend_->migrations().back().version;
  if (version > newest) {
    throw bad_data(fmt::format(
        "{}: has schema {}, this nsop knows up to {}; use a newer nsop, or name another database",
        path_, version, newest));
  }
  if (version < 1) {
    throw bad_data(fmt::format("{}: has no schema; restore a backup or remove it", path_));
  }
  if (read_only_) {
    if (version < newest) {
      throw bad_data(fmt::format("{}: has schema {}, this nsop needs {}; run `nsop db migrate`",
                                 path_, version, newest));
    }
    return;
  }
  upgrade(*this, backend_->migrations());
  try {
    complete_summaries(*this);
  } catch (const Error&) {  // locked or damaged: whoever reads does without, and says what is wrong
  }
  backend_->opened_for_writing();
}

Transaction::Transaction(Database& db, Kind kind) : db_(db) {
  if (kind != Kind::kRead && db.read_only()) {
    throw environment_error(fmt::format("{}: is open for reading only", db.path()));
  }
  db_.backend().begin(kind);
}

Transaction::~Transaction() {
  if (open_) db_.backend().rollback();
}

void Transaction::commit() {
  db_.backend().commit();
  open_ = false;
}

Error renamed(const Error& error, const std::string& from, const std::string& to) {
  std::string message = error.what();
  for (size_t at = 0; (at = message.find(from, at)) != std::string::npos; at += to.size()) {
    message.replace(at, from.size(), to);
  }
  return Error(error.code(), message);
}

void write_backup(const std::string& source, const std::string& to_path,
                  const std::function<void(const std::string& temporary)>& fill) {
  if (is_server(to_path)) {
    throw usage_error(fmt::format("{}: a backup is a file; `nsop db copy` fills another server",
                                  shown_address(to_path)));
  }
  const std::string target = real_path(to_path);
  check_folder(target);
  if (file_exists(target)) {
    throw usage_error(fmt::format("{}: exists already; name a file that doesn't", target));
  }
  check_writable(target);
  remove_unfinished(target);
  const std::string temporary = unfinished_name(target);
  bool is_new = false;
  try {
    fill(temporary);
    is_new = publish_file(temporary, target);
  } catch (const Error& error) {
    for (const char* part : {"", "-journal", "-wal", "-shm"}) unlink((temporary + part).c_str());
    // SQLite names the database that it copies, whichever of the two has no space left.
    const bool of_source = error.code() != ExitCode::kEnvironment;
    throw renamed(of_source ? error : renamed(error, source, target), temporary, target);
  }
  if (!is_new) {
    throw usage_error(fmt::format("{}: exists already; name a file that doesn't", target));
  }
}

}  // namespace nsop::store
