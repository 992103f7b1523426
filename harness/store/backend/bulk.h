// Adding many rows to a table, as fast as its database takes them.
#pragma once

#include <span>
#include <string_view>
#include <variant>

namespace nsop::store {

// What a column gets; std::monostate: NULL. A text must live until add() returns.
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

}  // namespace nsop::store
