// Many rows to a table and from it, as fast as the database takes and gives them.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <variant>

namespace nsop::store {

// What a column gets or has; std::monostate: NULL. A text that is added must live until add()
// returns, one that was read lives until use() does.
using Value = std::variant<std::monostate, long long, double, std::string_view>;

// The caller owns the transaction, which ends after it. Other statements may run between its calls.
class BulkInsert {
 public:
  virtual ~BulkInsert() = default;

  // Adds a row, in the order of the columns; it may be in the table from finish() on only. Throws
  // Error, and from finish() what the database says of rows that were added before.
  virtual void add(std::span<const Value> values) = 0;
  virtual void finish() = 0;
};

// How many rows a query will have: of many each is taken while the server makes the next.
enum class Expected { kThousands, kMore };

// A query that may be asked again and again with other values, prepared once. It must end before
// its database does.
class BulkQuery {
 public:
  virtual ~BulkQuery() = default;

  using Use = std::function<void(std::span<const Value> row)>;
  // Calls use(row) for each row, in the order of the query's columns; meanwhile its connection
  // takes no other statement. Throws Error.
  virtual void each(std::span<const Value> in, const Use& use) = 0;
};

}  // namespace nsop::store
