#include "harness/store/backend/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/core/error.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::store {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Address, TellsServersFromFiles) {
  for (const char* one : {"postgresql://h/d", "postgres://h/d", "service=perf", "PostgreSQL://h/d",
                          "host=h dbname=d", " Host = h", "\tpostgres://h/d"}) {
    EXPECT_TRUE(is_server(one)) << one;
  }
  for (const char* one : {"nsop.db", "/a/postgresql://x", "service.db", "file:x", "", "./host=h",
                          "a=b.db", "my passwords.db", "../password=x.db", "://x"}) {
    EXPECT_FALSE(is_server(one)) << one;
    EXPECT_EQ(shown_address(one), one);
  }
}

TEST(Address, IsShownWithoutItsPassword) {
  EXPECT_EQ(shown_address("postgresql://bot:s3cret@db.example.org:6543/perf?sslmode=require"),
            "postgresql://bot@db.example.org:6543/perf");
  EXPECT_EQ(shown_address("postgresql:///perf?host=/run/pg&user=bot&password=s3cret"),
            "postgresql://bot@/run/pg/perf");
  EXPECT_EQ(shown_address("service=perf password=s3cret"), "service=perf");
  EXPECT_EQ(shown_address("Postgres://bot:s3cret@h/d"), "postgresql://bot@h/d");
  EXPECT_EQ(shown_address("host=h user=bot password='s3 cret' dbname=d"), "postgresql://bot@h/d");
  for (const char* one : {"postgresql://bot:s3cret%@h/d", "mysql://bot:s3cret@h/d",
                          "PASSWORD=s3cret host=h", "hots=h sslpassword = s3cret"}) {
    EXPECT_EQ(shown_address(one), "postgresql://****");
  }
}

TEST(Address, AnUnreadableOneIsRefusedWithoutQuotingIt) {
  for (const char* one :
       {"postgresql://bot:s3cret%@h/d", "postgresql://bot:s3cret@h/d?nonsense=1", "service='s3cret",
        "mysql://bot:s3cret@h/d", "postgresql+x://bot:s3cret@h/d", "PASSWORD=s3cret host=h",
        "hots=h password=s3cret"}) {
    const auto result = test::outcome([&] { connection_string(one); });
    EXPECT_EQ(result.code, ExitCode::kUsage) << one;
    EXPECT_THAT(result.message, Not(HasSubstr("s3cret")));
  }
}

TEST(Address, SecretsAreTakenOutOfWhatLibrariesSay) {
  const std::string address = "postgresql://bot:p%40ss%27w@h/d";
  for (const char* said : {"can't connect to postgresql://bot:p%40ss%27w@h/d",
                           "password 'p@ss'w' is wrong", "bad: p%40ss%27w"}) {
    const std::string shown = without_secrets(said, address);
    EXPECT_THAT(shown, Not(HasSubstr("p@ss"))) << said;
    EXPECT_THAT(shown, Not(HasSubstr("p%40ss"))) << said;
  }
  EXPECT_EQ(without_secrets("first\nsecond", address), "first");
}

TEST(Address, NoPasswordIsQuotedWhereverItStood) {
  EXPECT_EQ(without_passwords("no run 'postgresql://bot:s3c/r@et@h:5/d' here: a@b"),
            "no run 'postgresql://bot:****@h:5/d' here: a@b");
  EXPECT_EQ(without_passwords("x://h/d?password=s3cret&user=bot password='s3 cret' password="),
            "x://h/d?password=****&user=bot password=**** password=****");
  for (const char* plain :
       {"https://example.org:80/a", "ssh://git@host:22/x", "", "://", "a:b@c"}) {
    EXPECT_EQ(without_passwords(plain), plain);
  }
}

TEST(Address, APasswordInItIsSeen) {
  for (const char* one : {"postgresql://bot:s3cret@h/d", "postgresql://h/d?password=s3cret",
                          "postgresql://h/d?sslpassword=s3cret", "POSTGRES://bot:s3cret@h/d",
                          "host=h password=s3cret"}) {
    EXPECT_TRUE(has_secret(one)) << one;
  }
  for (const char* one : {"postgresql://bot@h/d", "service=perf", "a/file:password@x", ""}) {
    EXPECT_FALSE(has_secret(one)) << one;
  }
}

TEST(Address, LimitsTheTimeToConnectUnlessTold) {
  EXPECT_THAT(connection_string("postgresql://h/d"), HasSubstr("connect_timeout='10'"));
  EXPECT_THAT(connection_string("postgresql://h/d?connect_timeout=3"),
              HasSubstr("connect_timeout='3'"));
  EXPECT_THAT(connection_string("PostgreSQL://h/D"), HasSubstr("dbname='D'"));
  EXPECT_THAT(connection_string(" host=h dbname=d"), HasSubstr("host='h'"));
  EXPECT_THAT(connection_string("postgresql://u:a%27b%5C@h/d"), HasSubstr("password='a\\'b\\\\'"));
}

}  // namespace
}  // namespace nsop::store
