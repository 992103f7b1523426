#include "harness/store/backend/bulk.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <vector>

#include "harness/store/query.h"
#include "harness/store/testing/generators_support.h"

namespace nsop::store {
namespace {

using namespace test;

constexpr const char* kTable =
    "CREATE TEMPORARY TABLE bulk (place BIGINT NOT NULL UNIQUE, whole BIGINT, number DOUBLE "
    "PRECISION, body TEXT)";

struct BulkRow {
  std::optional<long long> whole;
  std::optional<double> number;
  std::optional<std::string> text;
};

class BulkTest : public ::testing::Test {
 protected:
  BulkTest() : store_(path_), db_(path_, false) { db_.script(kTable); }

  static void add(BulkInsert& into, long long place, const BulkRow& row) {
    into.add(std::array<Value, 4>{place, row.whole ? Value(*row.whole) : Value(),
                                  row.number ? Value(*row.number) : Value(),
                                  row.text ? Value(*row.text) : Value()});
  }

  static std::string text_of(const Value& value) {
    if (const auto* whole = std::get_if<long long>(&value)) return fmt::format("i{}", *whole);
    if (const auto* number = std::get_if<double>(&value)) return fmt::format("d{:a}", *number);
    if (const auto* text = std::get_if<std::string_view>(&value)) return fmt::format("t{}", *text);
    return "null";
  }
  // What a query for bulk reads of the rows from one place to before another: place by place the
  // three values.
  std::vector<std::string> read(long long from, long long to, Expected rows) {
    const auto query = db_.backend().bulk_query(
        "SELECT place, whole, number, body FROM bulk WHERE place >= $1 AND place < $2 ORDER BY "
        "place",
        rows);
    std::vector<std::string> found;
    query->each(std::array<Value, 2>{to, to},
                [](const auto&) { FAIL() << "from a place to itself"; });
    query->each(std::array<Value, 2>{from, to}, [&](std::span<const Value> row) {
      ASSERT_EQ(row.size(), 4u);
      ASSERT_EQ(std::get<long long>(row[0]), from + static_cast<long long>(found.size() / 3));
      for (size_t i = 1; i < 4; ++i) found.push_back(text_of(row[i]));
    });
    return found;
  }
  static std::vector<std::string> between(const std::vector<BulkRow>& rows, size_t from,
                                          size_t to) {
    std::vector<std::string> wanted;
    for (size_t i = from; i < std::min(to, rows.size()); ++i) {
      const BulkRow& row = rows[i];
      wanted.push_back(text_of(row.whole ? Value(*row.whole) : Value()));
      wanted.push_back(text_of(row.number ? Value(*row.number) : Value()));
      wanted.push_back(text_of(row.text ? Value(*row.text) : Value()));
    }
    return wanted;
  }

  std::unique_ptr<BulkInsert> insertion() {
    return db_.backend().bulk_insert("bulk", "place, whole, number, body");
  }

  // From here on a user adds rows for whom row-level security holds.
  void become_limited_user() {
    db_.script(
        "DROP ROLE IF EXISTS nsop_limited; CREATE ROLE nsop_limited; GRANT ALL ON bulk TO "
        "nsop_limited; ALTER TABLE bulk ENABLE ROW LEVEL SECURITY; CREATE POLICY allowed ON bulk "
        "USING (true) WITH CHECK (place >= 0); SET ROLE nsop_limited");
  }

  bool stores_to_the_bit();

  long long count() { return first_value<long long>(db_, "SELECT COUNT(*) FROM bulk").value(); }

  TempDir dir_;
  std::string path_ = dir_.db();
  Store store_;
  Database db_;
};

bool BulkTest::stores_to_the_bit() {
  return rc::check("rows are stored as they are", [&] {
    std::vector<BulkRow> rows(static_cast<size_t>(*rc::gen::inRange(0, 20)));
    for (BulkRow& row : rows) {
      if (*rc::gen::arbitrary<bool>()) row.whole = *any_count();
      if (*rc::gen::arbitrary<bool>()) row.number = *any_number();
      if (*rc::gen::arbitrary<bool>()) row.text = *any_column();
    }
    Transaction transaction(db_);  // taken back
    const auto insert = insertion();
    for (size_t i = 0; i < rows.size(); ++i) add(*insert, static_cast<long long>(i), rows[i]);
    insert->finish();
    size_t at = 0;
    each<std::tuple<long long, long long, long long, double, long long, std::string>>(
        db_,
        "SELECT CASE WHEN whole IS NULL THEN 0 ELSE 1 END, COALESCE(whole, 0), CASE WHEN number IS "
        "NULL THEN 0 ELSE 1 END, COALESCE(number, 0.0), CASE WHEN body IS NULL THEN 0 ELSE 1 END, "
        "COALESCE(body, '') FROM bulk ORDER BY place",
        [&](const auto& stored) {
          const auto& [has_whole, whole, has_number, number, has_text, text] = stored;
          const BulkRow& row = rows.at(at++);
          RC_ASSERT(row.whole.has_value() == (has_whole == 1) && row.whole.value_or(0) == whole);
          RC_ASSERT(row.number.has_value() == (has_number == 1));
          RC_ASSERT(row.number.value_or(0) == number);
          RC_ASSERT(row.text.has_value() == (has_text == 1) && row.text.value_or("") == text);
        });
    RC_ASSERT(at == rows.size());
    for (const Expected many : {Expected::kThousands, Expected::kMore}) {
      RC_ASSERT(read(1, 15, many) == between(rows, 1, 15));
    }
  });
}

TEST_F(BulkTest, WhatIsAddedIsThereToTheBit) { EXPECT_TRUE(stores_to_the_bit()); }

// COPY refuses such a user.
TEST_F(BulkTest, AUserWithLimitsAddsRowsWithinThem) {
  if (!on_server()) GTEST_SKIP() << "a file has no users";
  become_limited_user();
  EXPECT_TRUE(stores_to_the_bit());
  const auto insert = insertion();
  for (int i = 0; i < 6000; ++i) add(*insert, i, {i, 0.5, "x"});  // more than a statement holds
  insert->finish();
  EXPECT_EQ(count(), 6000);
  const Outcome refused = outcome([&] {
    add(*insert, -1, {});
    insert->finish();
  });
  EXPECT_EQ(refused.code, ExitCode::kEnvironment);
  EXPECT_NE(refused.message.find("this user may not do that"), std::string::npos)
      << refused.message;
  EXPECT_EQ(count(), 6000);
}

TEST_F(BulkTest, MoreThanIsSentAtOnceIsAllThere) {
  const std::string text(100'000, 'x');
  const auto insert = insertion();
  for (int i = 0; i < 50; ++i) add(*insert, i, {i, 0.5, text});
  insert->finish();
  EXPECT_EQ(count(), 50);
  EXPECT_EQ(first_value<long long>(db_, "SELECT SUM(LENGTH(body)) FROM bulk"), 5'000'000);
  add(*insert, 50, {});
  insert->finish();
  EXPECT_EQ(count(), 51);
}

TEST_F(BulkTest, OtherStatementsRunBetweenRows) {
  const auto insert = insertion();
  add(*insert, 1, {7, {}, {}});
  execute(db_, "INSERT INTO bulk (place, whole) VALUES (:p, :w)", 2LL, 8LL);
  add(*insert, 3, {9, {}, {}});
  insert->finish();
  EXPECT_EQ(first_value<long long>(db_, "SELECT SUM(whole) FROM bulk"), 24);
}

TEST_F(BulkTest, WhatTheDatabaseRefusesIsBadDataAndTheConnectionGoesOn) {
  const Outcome refused = outcome([&] {
    Transaction transaction(db_);
    const auto insert = insertion();
    add(*insert, 1, {});
    add(*insert, 1, {});
    insert->finish();
    transaction.commit();
  });
  EXPECT_EQ(refused.code, ExitCode::kBadData);
  EXPECT_NE(refused.message.find("the database refused a value"), std::string::npos)
      << refused.message;
  EXPECT_EQ(count(), 0);
}

TEST_F(BulkTest, AQueryOfATableThatIsMissingIsAnErrorOfItsOwn) {
  const Outcome missing = outcome(
      [&] { db_.backend().bulk_query("SELECT 1 FROM no_such_table", Expected::kThousands); });
  EXPECT_EQ(missing.code, ExitCode::kBadData);
  EXPECT_NE(missing.message.find("no_such_table"), std::string::npos) << missing.message;
  EXPECT_EQ(count(), 0) << "the connection goes on";
}

TEST_F(BulkTest, AQueryIsAskedWithTextsNumbersAndNothing) {
  const auto insert = insertion();
  add(*insert, 1, {7, 0.5, "a'b"});
  add(*insert, 2, {8, 0.25, "c"});
  insert->finish();
  const auto places = [&](const std::string& condition, const Value& value) {
    std::string found;
    db_.backend()
        .bulk_query("SELECT place FROM bulk WHERE " + condition + " ORDER BY place",
                    Expected::kThousands)
        ->each(std::array<Value, 1>{value}, [&](std::span<const Value> row) {
          found += fmt::format("{} ", std::get<long long>(row[0]));
        });
    return found;
  };
  EXPECT_EQ(places("body = $1", std::string_view("a'b")), "1 ");
  EXPECT_EQ(places("number < $1", 0.5), "2 ");
  EXPECT_EQ(places("whole >= $1", 7LL), "1 2 ");
  EXPECT_EQ(places("body = $1", Value()), "") << "nothing equals NULL";
}

TEST_F(BulkTest, AQueryGoesOnAfterWhatItsReaderThrew) {
  const auto insert = insertion();
  for (int i = 0; i < 3; ++i) add(*insert, i, {i, {}, {}});
  insert->finish();
  const auto query =
      db_.backend().bulk_query("SELECT whole FROM bulk WHERE place >= $1", Expected::kMore);
  const Outcome thrown = outcome([&] {
    query->each(std::array<Value, 1>{0LL}, [](const auto&) { throw usage_error("enough"); });
  });
  EXPECT_EQ(thrown.message, "enough");
  int rows = 0;
  query->each(std::array<Value, 1>{1LL}, [&](const auto&) { ++rows; });
  EXPECT_EQ(rows, 2);
}

TEST_F(BulkTest, ATableThatIsMissingIsAnErrorOfItsOwn) {
  const Outcome missing = outcome([&] {
    const auto insert = db_.backend().bulk_insert("no_such_table", "place");
    insert->add(std::array<Value, 1>{1LL});
    insert->finish();
  });
  EXPECT_EQ(missing.code, ExitCode::kBadData);
  EXPECT_NE(missing.message.find("no_such_table"), std::string::npos) << missing.message;
}

TEST_F(BulkTest, ATextThatAServerCantStoreIsNamed) {
  const std::string text("nul\0in", 6);
  const Outcome stored = outcome([&] {
    const auto insert = insertion();
    add(*insert, 1, {{}, {}, text});
    insert->finish();
  });
  if (on_server()) {
    EXPECT_EQ(stored.code, ExitCode::kBadData);
    EXPECT_NE(stored.message.find("no text with a NUL character"), std::string::npos);
  } else {
    EXPECT_EQ(stored.code, ExitCode::kOk) << stored.message;
    EXPECT_EQ(first_value<std::string>(db_, "SELECT body FROM bulk"), text);
  }
}

}  // namespace
}  // namespace nsop::store
