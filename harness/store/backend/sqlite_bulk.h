// Rows by one prepared statement, without SOCI between:
// https://www.sqlite.org/c3ref/bind_blob.html, https://www.sqlite.org/c3ref/column_blob.html
#pragma once

#include <soci/sqlite3/soci-sqlite3.h>

#include <functional>
#include <memory>
#include <string>

#include "harness/core/error.h"
#include "harness/store/backend/bulk.h"

namespace nsop::store {

// The error of a call that failed: its result code, and what SQLite says.
using SqliteError = std::function<Error(int code, const std::string& message)>;

// `columns`: as SQL lists them. A row is in the table when add() returns.
std::unique_ptr<BulkInsert> sqlite_insert(sqlite_api::sqlite3* connection, const std::string& table,
                                          const std::string& columns, SqliteError error_of);

// `text`: as Backend::bulk_query() takes it.
std::unique_ptr<BulkQuery> sqlite_query(sqlite_api::sqlite3* connection, const std::string& text,
                                        SqliteError error_of);

}  // namespace nsop::store
