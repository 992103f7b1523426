#include "harness/store/backend/sqlite_bulk.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace nsop::store {
namespace {

class SqliteStatement {
 public:
  SqliteStatement(sqlite_api::sqlite3* connection, const std::string& text, SqliteError error_of)
      : connection_(connection), error_of_(std::move(error_of)) {
    check(sqlite_api::sqlite3_prepare_v2(connection_, text.c_str(), -1, &statement_, nullptr));
  }
  ~SqliteStatement() { sqlite_api::sqlite3_finalize(statement_); }
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;

  // A text stays where it is until the statement has run.
  void bind(std::span<const Value> values) {
    int place = 0;
    for (const Value& value : values) check(bind(++place, value));
  }

  // Is there a row? The statement begins anew after its last one, and after an error.
  bool step() {
    const int code = sqlite_api::sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    const std::string said = code == SQLITE_DONE ? "" : sqlite_api::sqlite3_errmsg(connection_);
    reset();
    if (code != SQLITE_DONE) throw error_of_(code, said);
    return false;
  }
  void reset() noexcept { sqlite_api::sqlite3_reset(statement_); }
  void check(int code) {
    if (code == SQLITE_OK) return;
    throw error_of_(code, sqlite_api::sqlite3_errmsg(connection_));
  }
  sqlite_api::sqlite3_stmt* handle() { return statement_; }

 private:
  int bind(int place, const Value& value) {
    if (const auto* text = std::get_if<std::string_view>(&value)) {
      return sqlite_api::sqlite3_bind_text(statement_, place, text->data(),
                                           static_cast<int>(text->size()), nullptr);
    }
    if (const auto* whole = std::get_if<long long>(&value)) {
      return sqlite_api::sqlite3_bind_int64(statement_, place, *whole);
    }
    if (const auto* number = std::get_if<double>(&value)) {
      return sqlite_api::sqlite3_bind_double(statement_, place, *number);
    }
    return sqlite_api::sqlite3_bind_null(statement_, place);
  }

  sqlite_api::sqlite3* connection_;
  sqlite_api::sqlite3_stmt* statement_ = nullptr;
  SqliteError error_of_;
};

std::string insert_text(const std::string& table, const std::string& columns) {
  std::string places = "?";
  for (auto more = std::count(columns.begin(), columns.end(), ','); more > 0; --more) {
    places += ", ?";
  }
  return fmt::format("INSERT INTO {} ({}) VALUES ({})", table, columns, places);
}

class SqliteInsert : public BulkInsert {
 public:
  SqliteInsert(sqlite_api::sqlite3* connection, const std::string& table,
               const std::string& columns, SqliteError error_of)
      : statement_(connection, insert_text(table, columns), std::move(error_of)) {}

  void add(std::span<const Value> values) override {
    statement_.bind(values);
    statement_.step();
  }

  void finish() override {}

 private:
  SqliteStatement statement_;
};

class SqliteQuery : public BulkQuery {
 public:
  SqliteQuery(sqlite_api::sqlite3* connection, const std::string& text, SqliteError error_of)
      : statement_(connection, text, std::move(error_of)),
        row_(static_cast<size_t>(sqlite_api::sqlite3_column_count(statement_.handle()))) {}

  void each(std::span<const Value> in, const Use& use) override {
    statement_.bind(in);
    try {
      while (statement_.step()) {
        for (size_t i = 0; i < row_.size(); ++i) row_[i] = value_of(static_cast<int>(i));
        use(row_);
      }
    } catch (...) {
      statement_.reset();  // what use() throws must not leave the query running
      throw;
    }
  }

 private:
  Value value_of(int column) {
    switch (sqlite_api::sqlite3_column_type(statement_.handle(), column)) {
      case SQLITE_INTEGER:
        return static_cast<long long>(
            sqlite_api::sqlite3_column_int64(statement_.handle(), column));
      case SQLITE_FLOAT:
        return sqlite_api::sqlite3_column_double(statement_.handle(), column);
      case SQLITE_NULL:
        return {};
      default:
        break;
    }
    const auto* text = sqlite_api::sqlite3_column_text(statement_.handle(), column);
    const int bytes = sqlite_api::sqlite3_column_bytes(statement_.handle(), column);
    return std::string_view(reinterpret_cast<const char*>(text), static_cast<size_t>(bytes));
  }

  SqliteStatement statement_;
  std::vector<Value> row_;
};

}  // namespace

std::unique_ptr<BulkQuery> sqlite_query(sqlite_api::sqlite3* connection, const std::string& text,
                                        SqliteError error_of) {
  return std::make_unique<SqliteQuery>(connection, text, std::move(error_of));
}

std::unique_ptr<BulkInsert> sqlite_insert(sqlite_api::sqlite3* connection, const std::string& table,
                                          const std::string& columns, SqliteError error_of) {
  return std::make_unique<SqliteInsert>(connection, table, columns, std::move(error_of));
}

}  // namespace nsop::store
