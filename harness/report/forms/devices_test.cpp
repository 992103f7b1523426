// The form `devices`: what the processor is best at, the device with its copies and without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/forms/forms.h"
#include "harness/report/testing/golden_support.h"
#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

using testing::HasSubstr;

constexpr const char* kProductOfCard = "matmul m=512 n=512 k=512 trans=nn";
constexpr const char* kReluOfCard = "relu pass=forward n=100000 range=-3:3";
constexpr const char* kPoolOfCard = "maxpool2d pass=forward in=8x64x32x32 k=2 s=2 p=0";

Suite devices_suite() {
  return parse_suite(R"([report]
name = "devices"
title = "A device beside the processor"
about = "Whole operations from tensors in the host's memory to tensors there."
form = "devices"
before = "hwy"
after = "opencl"

[[cases]]
label = "Product"
section = "Products"
case = "matmul m=512 n=512 k=512 trans=nn"
threads = [1, 2]

[[cases]]
label = "ReLU"
section = "Element by element"
case = "relu pass=forward n=100000 range=-3:3"
threads = [1, 2]

[[cases]]
label = "MaxPool2D"
section = "Element by element"
case = "maxpool2d pass=forward in=8x64x32x32 k=2 s=2 p=0"
)",
                     "devices.toml", suite_forms());
}

// A product that the device is better at, an activation that the copies spoil, and a case that it
// has no room for.
FakeRun devices_run() {
  FakeRun fake("99999999-9999-4999-8999-999999999999");
  fake.time({kProductOfCard, "hwy", "AVX2", 1}, 4'000'000)
      .time({kProductOfCard, "hwy", "AVX2", 2}, 2'100'000);
  fake.time({kProductOfCard, "opencl", "A-card", 1}, 500'000);
  fake.metric("device_ns", 100'000).metric("transfer_ns", 350'000);
  fake.fail({kProductOfCard, "opencl", "A-card", 2}, Status::kUnsupported,
            "no threads of the host");
  fake.facts(kProductOfCard, {2.0 * 512 * 512 * 512, 512.0 * 512 * 512, 3 << 20, 3 << 20, 1 << 20});
  fake.time({kReluOfCard, "hwy", "AVX2", 1}, 10'000).time({kReluOfCard, "hwy", "AVX2", 2}, 14'000);
  fake.time({kReluOfCard, "opencl", "A-card", 1}, 90'000);
  fake.metric("device_ns", 2'000).metric("transfer_ns", 70'000);
  fake.facts(kReluOfCard, {100'000, 0, 800'000, 800'000, 400'000});
  fake.time({kPoolOfCard, "hwy", "AVX2", 1}, 300'000, 4);
  fake.fail({kPoolOfCard, "opencl", "A-card", 1}, Status::kUnsupported, "needs 2 MB, has 1");
  return fake;
}

Json devices_report(const FakeRun& fake = devices_run()) {
  return build_report(devices_suite(), fake.data(), std::nullopt);
}

TEST(ReportGolden, Devices) { expect_golden(devices_report(), "devices"); }

TEST(Devices, ACaseIsOneRowAgainstTheThreadsThatTheProcessorIsFastestOn) {
  const Json report = devices_report();
  const Json product = report["sections"][0]["tables"][0];
  ASSERT_EQ(product["rows"].size(), 1U);
  EXPECT_EQ(cell_of(product, 0, "before")["text"], "2.10 ms (2 threads)");
  EXPECT_EQ(cell_of(product, 0, "speedup")["verdict"], "better");
  EXPECT_NEAR(cell_of(product, 0, "speedup")["value"].get<double>(), 4.2, 0.1);
  const Json relu = report["sections"][1]["tables"][0];
  EXPECT_EQ(cell_of(relu, 0, "before")["text"], "10.0 µs") << "one thread is faster";
  EXPECT_EQ(cell_of(relu, 0, "speedup")["verdict"], "worse") << "with its copies";
  EXPECT_THAT(
      report["headline"].get<std::string>(),
      testing::StartsWith("opencl on A-card beside hwy, copies included: 1 better, 1 worse, "
                          "1 without a time"));
}

TEST(Devices, KernelsAndCopiesAreThoseOfTheDevicesClock) {
  const Json section = devices_report()["sections"][0];
  const Json product = section["tables"][0];
  EXPECT_NEAR(cell_of(product, 0, "kernels")["value"].get<double>(), 100'000, 2'000);
  EXPECT_NEAR(cell_of(product, 0, "copies")["value"].get<double>(), 350'000, 7'000);
  const Json kernels = table_with(section, "kernels_vs");
  const Json& alone = cell_of(kernels, 0, "kernels_vs");
  EXPECT_NEAR(alone["value"].get<double>(), 21, 0.5);
  EXPECT_FALSE(alone.contains("verdict")) << "without the copies it is other work";
  EXPECT_THAT(cell_of(kernels, 0, "rate")["text"].get<std::string>(), HasSubstr("FLOP/s"));
  const Json relu = table_with(devices_report()["sections"][1], "rate");
  EXPECT_THAT(cell_of(relu, 0, "rate")["text"].get<std::string>(), HasSubstr("GB/s"));
}

TEST(Devices, WhatADeviceCannotDoSaysSo) {
  const Json table = devices_report()["sections"][1]["tables"][0];
  EXPECT_EQ(cell_of(table, 1, "after")["text"], "unsupported");
  EXPECT_EQ(cell_of(table, 1, "before")["text"], "300 µs ?") << "four invocations";
  const Json kernels = table_with(devices_report()["sections"][1], "rate");
  for (const char* column : {"speedup", "kernels", "copies"}) {
    EXPECT_EQ(cell_of(table, 1, column)["kind"], "missing") << column;
  }
  for (const char* column : {"kernels_vs", "rate"}) {
    EXPECT_EQ(cell_of(kernels, 1, column)["kind"], "missing") << column;
  }
}

TEST(Devices, WithoutADeviceTheReportSaysThatNoneWasMeasured) {
  FakeRun fake("99999999-9999-4999-8999-999999999998");
  fake.time({kReluOfCard, "hwy", "AVX2", 1}, 10'000);
  fake.fail({kReluOfCard, "opencl", "none", 1}, Status::kUnsupported,
            "not present: no OpenCL device");
  const Json report = devices_report(fake);
  EXPECT_THAT(report["headline"].get<std::string>(), HasSubstr("opencl: no device was measured"));
  const Json table = report["sections"][1]["tables"][0];
  EXPECT_EQ(cell_of(table, 0, "after")["text"], "unsupported");
}

}  // namespace
}  // namespace nsop::report
