// Rows from a server in the binary format (postgres_bulk.h):
// https://www.postgresql.org/docs/15/libpq-exec.html#LIBPQ-PQEXECPREPARED
#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/store/backend/postgres_bulk.h"

namespace nsop::store {
namespace {

using PgResult = std::unique_ptr<PGresult, void (*)(PGresult*)>;

// Of types, as the server numbers them in pg_type.dat.
constexpr Oid kInt2 = 21, kInt4 = 23, kInt8 = 20, kFloat8 = 701;

// In the order of the network, the largest byte first.
uint64_t bytes_in_order(const char* data, int count) {
  uint64_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 8 | static_cast<unsigned char>(data[i]);
  return value;
}

class PostgresQuery : public BulkQuery {
 public:
  PostgresQuery(PGconn* connection, const std::string& text, Expected rows, PostgresError error_of)
      : connection_(connection), rows_(rows), error_of_(std::move(error_of)) {
    static int made = 0;
    name_ = fmt::format("nsop_query_{}", ++made);
    const PgResult done(PQprepare(connection_, name_.c_str(), text.c_str(), 0, nullptr), PQclear);
    expect(done.get(), PGRES_COMMAND_OK);
  }
  // Of a connection that is lost, or a transaction that failed, nothing is left to give back.
  ~PostgresQuery() override { PQclear(PQexec(connection_, ("DEALLOCATE " + name_).c_str())); }
  PostgresQuery(const PostgresQuery&) = delete;
  PostgresQuery& operator=(const PostgresQuery&) = delete;

  void each(std::span<const Value> in, const Use& use) override {
    ask(in);
    try {
      while (const PgResult found = next()) {
        if (PQresultStatus(found.get()) != PGRES_SINGLE_TUPLE) {
          expect(found.get(), PGRES_TUPLES_OK);
        }
        for (int row = 0; row < PQntuples(found.get()); ++row) {
          read(found.get(), row);
          use(values_);
        }
      }
    } catch (...) {
      while (next()) continue;  // until there is no result the connection takes no other statement
      throw;
    }
  }

 private:
  void ask(std::span<const Value> in) {
    std::vector<std::optional<std::string>> texts;
    for (const Value& value : in) {
      const auto* text = std::get_if<std::string_view>(&value);
      texts.push_back(text == nullptr ? number_text(value) : std::string(*text));
    }
    std::vector<const char*> places;
    for (const auto& text : texts) places.push_back(text ? text->c_str() : nullptr);
    const int sent =
        PQsendQueryPrepared(connection_, name_.c_str(), static_cast<int>(places.size()),
                            places.data(), nullptr, nullptr, 1);
    const bool one_by_one = rows_ == Expected::kMore;
    if (sent == 0 || (one_by_one && PQsetSingleRowMode(connection_) == 0)) {
      throw error_of_("", PQerrorMessage(connection_));
    }
  }

  PgResult next() const { return {PQgetResult(connection_), PQclear}; }

  void read(const PGresult* found, int row) {
    values_.resize(static_cast<size_t>(PQnfields(found)));
    for (size_t i = 0; i < values_.size(); ++i) {
      const int column = static_cast<int>(i);
      values_[i] = value_of(found, row, column, PQftype(found, column));
    }
  }

  static Value value_of(const PGresult* found, int row, int column, Oid type) {
    if (PQgetisnull(found, row, column) != 0) return {};
    const char* const data = PQgetvalue(found, row, column);
    switch (type) {
      case kInt2:
        return static_cast<long long>(static_cast<int16_t>(bytes_in_order(data, 2)));
      case kInt4:
        return static_cast<long long>(static_cast<int32_t>(bytes_in_order(data, 4)));
      case kInt8:
        return static_cast<long long>(bytes_in_order(data, 8));
      case kFloat8:
        return std::bit_cast<double>(bytes_in_order(data, 8));
      default:  // a text is the same in both formats
        return std::string_view(data, static_cast<size_t>(PQgetlength(found, row, column)));
    }
  }

  void expect(const PGresult* result, ExecStatusType status) const {
    if (PQresultStatus(result) == status) return;
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    throw error_of_(state == nullptr ? "" : state, PQerrorMessage(connection_));
  }

  PGconn* connection_;
  Expected rows_;
  std::string name_;
  PostgresError error_of_;
  std::vector<Value> values_;
};

}  // namespace

std::unique_ptr<BulkQuery> postgres_query(PGconn* connection, const std::string& text,
                                          Expected rows, PostgresError error_of) {
  return std::make_unique<PostgresQuery>(connection, text, rows, std::move(error_of));
}

}  // namespace nsop::store
