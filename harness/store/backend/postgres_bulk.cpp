#include "harness/store/backend/postgres_bulk.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace nsop::store {
namespace {

constexpr size_t kSentAtOnce = 1 << 20;     // bytes
constexpr size_t kMostParameters = 10'000;  // of a statement; the protocol's limit is 65,535

using PgResult = std::unique_ptr<PGresult, void (*)(PGresult*)>;

void append_text(std::string& to, std::string_view text) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find_first_of("\\\n\r\t", begin), text.size());
    to.append(text, begin, end - begin);
    if (end == text.size()) return;
    to += '\\';
    switch (text[end]) {
      case '\n':
        to += 'n';
        break;
      case '\r':
        to += 'r';
        break;
      case '\t':
        to += 't';
        break;
      default:
        to += '\\';
    }
    begin = end + 1;
  }
}

// What both have in common: a statement that fails becomes an Error.
class PostgresRows : public BulkInsert {
 public:
  PostgresRows(PGconn* connection, const Backend& backend, PostgresError error_of)
      : connection_(connection), backend_(backend), error_of_(std::move(error_of)) {}

 protected:
  void check_texts(std::span<const Value> values) const {
    for (const Value& value : values) {
      if (const auto* text = std::get_if<std::string_view>(&value)) backend_.check_text(*text);
    }
  }

  Error error_from(const PGresult* result) const {
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    return error_of_(state == nullptr ? "" : state, PQerrorMessage(connection_));
  }

  Error lost() const { return error_of_("", PQerrorMessage(connection_)); }

  PGconn* connection_;

 private:
  const Backend& backend_;
  PostgresError error_of_;
};

class PostgresCopy : public PostgresRows {
 public:
  PostgresCopy(PGconn* connection, const Backend& backend, const std::string& table,
               const std::string& columns, PostgresError error_of)
      : PostgresRows(connection, backend, std::move(error_of)),
        statement_(fmt::format("COPY {} ({}) FROM STDIN", table, columns)) {}

  void add(std::span<const Value> values) override {
    check_texts(values);
    append_row(values);
    if (rows_.size() >= kSentAtOnce) finish();
  }

  void finish() override {
    if (rows_.empty()) return;
    const PgResult begun(PQexec(connection_, statement_.c_str()), PQclear);
    if (PQresultStatus(begun.get()) != PGRES_COPY_IN) throw error_from(begun.get());
    const bool sent =
        PQputCopyData(connection_, rows_.data(), static_cast<int>(rows_.size())) == 1 &&
        PQputCopyEnd(connection_, nullptr) == 1;
    rows_.clear();
    if (!sent) throw lost();
    std::optional<Error> refused;
    for (;;) {  // until there is no result the connection takes no other statement
      const PgResult result(PQgetResult(connection_), PQclear);
      if (!result) break;
      if (PQresultStatus(result.get()) != PGRES_COMMAND_OK && !refused) {
        refused = error_from(result.get());
      }
    }
    if (refused) throw Error(*refused);
  }

 private:
  void append_row(std::span<const Value> values) {
    bool first = true;
    for (const Value& value : values) {
      if (!std::exchange(first, false)) rows_ += '\t';
      if (const auto* text = std::get_if<std::string_view>(&value)) {
        append_text(rows_, *text);
      } else {
        rows_ += number_text(value).value_or("\\N");
      }
    }
    rows_ += '\n';
  }

  std::string statement_, rows_;
};

class PostgresInsert : public PostgresRows {
 public:
  PostgresInsert(PGconn* connection, const Backend& backend, const std::string& table,
                 const std::string& columns, PostgresError error_of)
      : PostgresRows(connection, backend, std::move(error_of)),
        statement_(fmt::format("INSERT INTO {} ({}) VALUES ", table, columns)),
        columns_(static_cast<size_t>(std::count(columns.begin(), columns.end(), ',')) + 1) {}

  void add(std::span<const Value> values) override {
    check_texts(values);
    for (const Value& value : values) {
      const auto* text = std::get_if<std::string_view>(&value);
      values_.push_back(text == nullptr ? number_text(value) : std::string(*text));
      bytes_ += values_.back() ? values_.back()->size() : 0;
    }
    if (bytes_ >= kSentAtOnce || values_.size() + columns_ > kMostParameters) finish();
  }

  void finish() override {
    if (values_.empty()) return;
    std::string statement = statement_;
    std::vector<const char*> places;
    for (const std::optional<std::string>& value : values_) {
      const bool begins = places.size() % columns_ == 0;
      places.push_back(value ? value->c_str() : nullptr);
      fmt::format_to(std::back_inserter(statement), "{}${}{}",
                     begins ? (places.size() == 1 ? "(" : ", (") : ", ", places.size(),
                     places.size() % columns_ == 0 ? ")" : "");
    }
    const PgResult done(
        PQexecParams(connection_, statement.c_str(), static_cast<int>(places.size()), nullptr,
                     places.data(), nullptr, nullptr, 0),
        PQclear);
    values_.clear();
    bytes_ = 0;
    if (PQresultStatus(done.get()) != PGRES_COMMAND_OK) throw error_from(done.get());
  }

 private:
  std::string statement_;
  size_t columns_, bytes_ = 0;
  std::vector<std::optional<std::string>> values_;  // row by row; none: NULL
};

}  // namespace

std::optional<std::string> number_text(const Value& value) {
  if (const auto* whole = std::get_if<long long>(&value)) return fmt::format("{}", *whole);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  return std::nullopt;
}

std::unique_ptr<BulkInsert> postgres_bulk(PGconn* connection, const Backend& backend,
                                          const std::string& table, const std::string& columns,
                                          PostgresError error_of) {
  const char* const name = table.c_str();
  const PgResult secured(PQexecParams(connection, "SELECT row_security_active($1::text)", 1,
                                      nullptr, &name, nullptr, nullptr, 0),
                         PQclear);
  if (PQresultStatus(secured.get()) != PGRES_TUPLES_OK) {
    const char* state = PQresultErrorField(secured.get(), PG_DIAG_SQLSTATE);
    throw error_of(state == nullptr ? "" : state, PQerrorMessage(connection));
  }
  if (std::string_view(PQgetvalue(secured.get(), 0, 0)) == "t") {
    return std::make_unique<PostgresInsert>(connection, backend, table, columns,
                                            std::move(error_of));
  }
  return std::make_unique<PostgresCopy>(connection, backend, table, columns, std::move(error_of));
}

}  // namespace nsop::store
