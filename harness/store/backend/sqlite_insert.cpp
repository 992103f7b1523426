#include "harness/store/backend/sqlite_insert.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nsop::store {
namespace {

class Insert : public BulkInsert {
 public:
  Insert(sqlite_api::sqlite3* connection, const std::string& table, const std::string& columns,
         SqliteError error_of)
      : connection_(connection), error_of_(std::move(error_of)) {
    std::string places = "?";
    for (auto more = std::count(columns.begin(), columns.end(), ','); more > 0; --more) {
      places += ", ?";
    }
    const std::string text = fmt::format("INSERT INTO {} ({}) VALUES ({})", table, columns, places);
    check(sqlite_api::sqlite3_prepare_v2(connection_, text.c_str(), -1, &statement_, nullptr));
  }
  ~Insert() override { sqlite_api::sqlite3_finalize(statement_); }
  Insert(const Insert&) = delete;
  Insert& operator=(const Insert&) = delete;

  void add(std::span<const Value> values) override {
    int place = 0;
    for (const Value& value : values) check(bind(++place, value));
    const int code = sqlite_api::sqlite3_step(statement_);
    const bool done = code == SQLITE_DONE;
    const std::string said = done ? "" : sqlite_api::sqlite3_errmsg(connection_);
    sqlite_api::sqlite3_reset(statement_);
    if (!done) throw error_of_(code, said);
  }

  void finish() override {}

 private:
  // A text stays where it is until the statement has run.
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

  void check(int code) {
    if (code == SQLITE_OK) return;
    throw error_of_(code, sqlite_api::sqlite3_errmsg(connection_));
  }

  sqlite_api::sqlite3* connection_;
  sqlite_api::sqlite3_stmt* statement_ = nullptr;
  SqliteError error_of_;
};

}  // namespace

std::unique_ptr<BulkInsert> sqlite_insert(sqlite_api::sqlite3* connection, const std::string& table,
                                          const std::string& columns, SqliteError error_of) {
  return std::make_unique<Insert>(connection, table, columns, std::move(error_of));
}

}  // namespace nsop::store
