// Typed statements: only long long, double and std::string are bound or fetched, one row at a time
// (bulk binds are broken in SOCI's other backends), and whether data came is always part of the
// type.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/store/db.h"

namespace nsop::store {

template <typename T>
concept Scalar =
    std::same_as<T, long long> || std::same_as<T, double> || std::same_as<T, std::string>;

// Throws Error (bad data) for a text that the database would change.
template <Scalar T>
void check_value(Database& db, const T& value) {
  if constexpr (std::same_as<T, std::string>) db.backend().check_text(value);
}

template <Scalar... In>
void prepare(Database& db, soci::statement& statement, const std::string& text, const In&... in) {
  (check_value(db, in), ...);
  (statement.exchange(soci::use(in)), ...);
  statement.alloc();
  statement.prepare(text);
  statement.define_and_bind();
}

// Runs a statement that returns nothing; how many rows it changed.
template <Scalar... In>
long long execute(Database& db, const std::string& text, const In&... in) {
  soci::statement statement(db.sql());
  prepare(db, statement, text, in...);
  statement.execute(true);
  return statement.get_affected_rows();
}

// Calls `f(row)` for each row of a query; it may move from it. `Row` is a std::tuple of scalars,
// none of which may be NULL.
template <typename Row, typename F, Scalar... In>
void each(Database& db, const std::string& text, F&& f, const In&... in) {
  soci::statement statement(db.sql());
  Row row;
  std::apply([&](Scalar auto&... out) { (statement.exchange(soci::into(out)), ...); }, row);
  prepare(db, statement, text, in...);
  statement.execute(false);
  while (statement.fetch()) f(row);
}

// A query that is asked again and again with other values, prepared once. It must end before its
// database does.
template <typename Row, Scalar... In>
class Repeated {
 public:
  Repeated(Database& db, const std::string& text) : db_(db), statement_(db.sql()) {
    std::apply([&](Scalar auto&... out) { (statement_.exchange(soci::into(out)), ...); }, row_);
    std::apply([&](Scalar auto&... in) { (statement_.exchange(soci::use(in)), ...); }, in_);
    statement_.alloc();
    statement_.prepare(text);
    statement_.define_and_bind();
  }
  Repeated(const Repeated&) = delete;  // the statement refers to its values
  Repeated& operator=(const Repeated&) = delete;

  // Calls `f(row)` for each row; it may move from it.
  template <typename F>
  void each(F&& f, const In&... in) {
    (check_value(db_, in), ...);
    in_ = {in...};
    statement_.execute(false);
    while (statement_.fetch()) f(row_);
  }

  // The value of a column of the first row, if there is one.
  auto first_value(const In&... in) {
    std::optional<std::tuple_element_t<0, Row>> value;
    each([&](Row& row) { value = value ? value : std::get<0>(row); }, in...);
    return value;
  }

 private:
  Database& db_;
  Row row_;
  std::tuple<In...> in_;
  soci::statement statement_;
};

// All rows of a query.
template <typename Row, Scalar... In>
std::vector<Row> all(Database& db, const std::string& text, const In&... in) {
  std::vector<Row> rows;
  each<Row>(
      db, text, [&](Row& row) { rows.push_back(std::move(row)); }, in...);
  return rows;
}

// The first row, if there is one.
template <typename Row, Scalar... In>
std::optional<Row> first(Database& db, const std::string& text, const In&... in) {
  soci::statement statement(db.sql());
  Row row;
  std::apply([&](Scalar auto&... out) { (statement.exchange(soci::into(out)), ...); }, row);
  prepare(db, statement, text, in...);
  if (!statement.execute(true)) return std::nullopt;
  return row;
}

// The same for one column.
template <Scalar T, Scalar... In>
std::optional<T> first_value(Database& db, const std::string& text, const In&... in) {
  const auto row = first<std::tuple<T>>(db, text, in...);
  if (!row) return std::nullopt;
  return std::get<0>(*row);
}

// Runs `INSERT ... RETURNING seq`; the number of the new row.
template <Scalar... In>
long long insert(Database& db, const std::string& text, const In&... in) {
  const auto row = first<std::tuple<long long>>(db, text, in...);
  if (!row) throw bad_data(db.path() + ": a new row has no number; run `nsop db verify`");
  return std::get<0>(*row);
}

// The number that `find` gives of a row that writers share, or that of `add` where there is none.
template <typename Find, typename Add>
long long shared_row(Database& db, Find&& find, Add&& add) {
  if (const std::optional<long long> known = find()) return *known;
  db.backend().lock("texts", false);
  if (const std::optional<long long> known = find()) return *known;  // another was quicker
  return add();
}

inline std::string text_of(const Value& value) {
  return std::string(std::get<std::string_view>(value));
}

// The rows of a query that is asked once, with these texts, as BulkQuery::each() gives them: some
// thousands of them.
inline void each_in_bulk(Database& db, const std::string& text,
                         const std::vector<std::string_view>& in, const BulkQuery::Use& use) {
  const std::vector<Value> asked(in.begin(), in.end());
  db.backend().bulk_query(text, Expected::kThousands)->each(asked, use);
}

}  // namespace nsop::store
