#include "harness/report/site/site_links.h"

#include <gtest/gtest.h>

#include "harness/core/error.h"

namespace nsop::report {
namespace {

// The same case and digits are in reports/nsop_report/test_site_links.py.
TEST(SiteLinksTest, ACaseIsNamedByItsText) {
  EXPECT_EQ(case_address("site", "relu n=1024"), "site/case/384ea047a18b.html");
  EXPECT_NE(case_id("relu n=1024"), case_id("relu n=1025"));
}

TEST(SiteLinksTest, AUrlIsTheSameForEveryPage) {
  EXPECT_EQ(site_address("https://example.org/perf/", "/x/reports"), "https://example.org/perf");
  EXPECT_EQ(site_address("http://localhost:8000", ""), "http://localhost:8000");
}

TEST(SiteLinksTest, AFolderIsRelativeToThePage) {
  EXPECT_EQ(site_address("/p/build/site", "/p/reports/generated"), "../../build/site");
  EXPECT_EQ(site_address("/p/build/site/", "/p/build/reports"), "../site");
  EXPECT_EQ(site_address("/p/my site", "/p"), "my%20site");
  EXPECT_EQ(site_address("/p/100%:x", "/p"), "100%25%3Ax");
}

TEST(SiteLinksTest, NowhereWithoutASiteOrAPage) {
  EXPECT_EQ(site_address("", "/p"), "");
  EXPECT_EQ(site_address("/p/site", ""), "");
}

TEST(SiteLinksTest, AnAddressThatEndsALinkIsRefused) {
  for (const char* bad :
       {"https://x/a b", "https://x)", "https://x/\"", "https://x/\n", "https://ä"}) {
    EXPECT_THROW(site_address(bad, ""), Error) << bad;
  }
  EXPECT_THROW(site_address("https://" + std::string(600, 'x'), ""), Error);
}

}  // namespace
}  // namespace nsop::report
