#include "kernels/runtime/ways.h"

#include <gtest/gtest.h>

namespace nsop::kernels {
namespace {

struct TestWay {
  Required<const char*> name;
  Required<bool (*)(int)> pays;
  bool optional = false;
};

bool is_even(int i) { return i % 2 == 0; }

template <class Way>
concept MayLackAName = requires {
  Way{.pays = is_even};
};
template <class Way>
concept MayLackAFunction = requires {
  Way{.name = "way"};
};
template <class Way>
concept MayGiveNoFunction = requires {
  Way{.name = "way", .pays = nullptr};
};
template <class Way>
concept MayLackTheRest = requires {
  Way{.name = "way", .pays = is_even};
};

static_assert(!MayLackAName<TestWay>);
static_assert(!MayLackAFunction<TestWay>);
static_assert(!MayGiveNoFunction<TestWay>);
static_assert(MayLackTheRest<TestWay>);

TEST(Ways, TheFirstThatPaysIsTakenOrTheLast) {
  constexpr TestWay kTable[] = {
      {.name = "even", .pays = is_even},
      {.name = "small", .pays = [](int i) { return i < 4; }},
      {.name = "last", .pays = [](int i) { return i == 5; }},
  };
  EXPECT_STREQ(first_that_pays(kTable, 2).name, "even");
  EXPECT_STREQ(first_that_pays(kTable, 3).name, "small");
  EXPECT_STREQ(first_that_pays(kTable, 5).name, "last");
  EXPECT_STREQ(first_that_pays(kTable, 7).name, "last");
}

}  // namespace
}  // namespace nsop::kernels
