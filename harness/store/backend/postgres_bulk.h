// Many rows to a server: by COPY (https://www.postgresql.org/docs/15/sql-copy.html, the text
// format), or where row-level security holds for the user, which COPY refuses, by INSERT of many
// rows at once. From it in the binary format, of which nothing is parsed.
#pragma once

#include <libpq-fe.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "harness/core/error.h"
#include "harness/store/backend/backend.h"
#include "harness/store/backend/bulk.h"

namespace nsop::store {

// The error of a statement that failed: its SQLSTATE, and what the server says.
using PostgresError = std::function<Error(const std::string& state, const std::string& message)>;

// As the server reads it back to the bit; none for NULL and for a text.
std::optional<std::string> number_text(const Value& value);

// `columns`: as SQL lists them; `backend` checks texts. Throws Error where there is no such table.
std::unique_ptr<BulkInsert> postgres_bulk(PGconn* connection, const Backend& backend,
                                          const std::string& table, const std::string& columns,
                                          PostgresError error_of);

// `text`: as Backend::bulk_query() takes it.
std::unique_ptr<BulkQuery> postgres_query(PGconn* connection, const std::string& text,
                                          Expected rows, PostgresError error_of);

}  // namespace nsop::store
