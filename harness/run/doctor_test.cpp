#include "harness/run/doctor.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <map>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/run/scratch.h"

namespace nsop::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// The machines are those of the host's tests.
Examination machine(const std::string& name) {
  Examination e;
  e.root = std::string(NSOP_SOURCE_DIR) + "/harness/core/host/testdata/" + name;
  e.database_path = "/tmp/nsop.db";
  return e;
}

std::map<std::string, Finding> by_name(const std::vector<Finding>& findings) {
  std::map<std::string, Finding> map;
  for (const Finding& f : findings) map[f.name] = f;
  return map;
}

std::vector<std::string> not_ok(const std::vector<Finding>& findings) {
  std::vector<std::string> names;
  for (const Finding& f : findings) {
    if (f.level != Level::kOk) names.push_back(f.name + " " + level_text(f.level));
  }
  return names;
}

TEST(Doctor, AQuietMachineIsFit) {
  auto findings = examine(machine("bare_metal"));
  EXPECT_EQ(findings.size(), 12u);
  // The disk is the one of the machine that runs this test.
  std::erase_if(findings, [](const Finding& f) { return f.name == "disk"; });
  EXPECT_THAT(not_ok(findings), IsEmpty());
  for (const Finding& f : findings) {
    EXPECT_THAT(f.what, Not(IsEmpty())) << f.name;
    EXPECT_EQ(f.fix, "") << f.name;
  }
}

TEST(Doctor, ABusyGuestIsNot) {
  auto findings = examine(machine("kvm_guest"));
  std::erase_if(findings, [](const Finding& f) { return f.name == "disk"; });
  EXPECT_THAT(not_ok(findings),
              ElementsAre("hypervisor warn", "cpus warn", "load bad", "steal warn", "aslr warn",
                          "memory bad", "swap warn", "huge pages warn"));
  auto f = by_name(findings);
  EXPECT_EQ(f["cpus"].what,
            "1 of 2 CPUs allowed: no spare CPU, so the runner disturbs what it measures");
  EXPECT_EQ(f["governor"].what, "left to the hypervisor");
  EXPECT_EQ(f["load"].what, "load average 3.50 on 1 CPUs: every CPU is taken");
  EXPECT_EQ(f["steal"].what, "4.0 % of time stolen since boot");
  EXPECT_EQ(f["aslr"].fix, "sysctl kernel.randomize_va_space=2");
  EXPECT_EQ(f["swap"].what, "585 MiB in use: pages may come from disk");
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.fix.empty(), finding.level == Level::kOk) << finding.name;
  }
}

TEST(Doctor, MissingFilesAreNoCrash) {
  Examination nowhere;
  nowhere.root = "/nowhere";
  nowhere.database_path = "/nowhere/deep/nsop.db";
  auto f = by_name(examine(nowhere));
  EXPECT_EQ(f["memory"].what, "unknown");
  EXPECT_EQ(f["aslr"].level, Level::kWarn);
  EXPECT_EQ(f["huge pages"].level, Level::kOk);
  EXPECT_THAT(f["disk"].what, HasSubstr("/"));
}

TEST(Doctor, FrequencyScalingAndTurbo) {
  Host host;
  Conditions c;
  c.governor = "performance,powersave";
  c.turbo = "on";
  auto f = by_name(check_machine(host, c));
  EXPECT_EQ(f["governor"].level, Level::kWarn);
  EXPECT_THAT(f["governor"].fix, HasSubstr("cpupower"));
  EXPECT_EQ(f["turbo"].level, Level::kWarn);
  c.governor = c.turbo = "";
  f = by_name(check_machine(host, c));
  EXPECT_EQ(f["governor"].level, Level::kWarn);
  EXPECT_EQ(f["turbo"].level, Level::kOk);
}

TEST(Doctor, LevelsGrowWithTheTrouble) {
  const auto level = [](const std::string& name, auto change) {
    Conditions c;
    c.allowed_cpus = {0, 1, 2, 3};
    c.memory_bytes = c.memory_available_bytes = int64_t{8} << 30;
    change(c);
    return by_name(check_machine(Host{}, c))[name].level;
  };
  EXPECT_EQ(level("load", [](Conditions& c) { c.load1 = 0.9; }), Level::kOk);
  EXPECT_EQ(level("load", [](Conditions& c) { c.load1 = 1; }), Level::kWarn);
  EXPECT_EQ(level("load", [](Conditions& c) { c.load1 = 4; }), Level::kBad);
  EXPECT_EQ(level("steal", [](Conditions& c) { c.steal_percent = 0.9; }), Level::kOk);
  EXPECT_EQ(level("steal", [](Conditions& c) { c.steal_percent = 10; }), Level::kBad);
  EXPECT_EQ(level("memory", [](Conditions&) {}), Level::kOk);
  EXPECT_EQ(level("memory", [](Conditions& c) { c.memory_available_bytes = 900 << 20; }),
            Level::kWarn);
  EXPECT_EQ(level("aslr", [](Conditions& c) { c.aslr = "off for this process"; }), Level::kWarn);
}

TEST(Doctor, Disk) {
  EXPECT_EQ(check_disk("/data", std::uintmax_t{3} << 30, true).level, Level::kOk);
  EXPECT_EQ(check_disk("/data", std::uintmax_t{1} << 30, true).level, Level::kWarn);
  EXPECT_EQ(check_disk("/data", std::uintmax_t{1} << 20, true).level, Level::kBad);
  EXPECT_EQ(check_disk("/data", std::uintmax_t{3} << 30, false).level, Level::kBad);
  EXPECT_EQ(check_disk("/data", std::nullopt, true).level, Level::kWarn);
  EXPECT_EQ(check_disk("/data", std::uintmax_t{3} << 30, true).what, "3.0 GiB free in /data");
}

TEST(Doctor, NamesWhatIsMissing) {
  Examination e = machine("bare_metal");
  e.search_path = ":/usr/bin:/opt/bin";
  e.needs = {{"", "ninja-build"}};
  EXPECT_EQ(by_name(examine(e))["programs"].what, "all 1 are there");
  // Removed packages whose configuration is left count as missing.
  e.needs = {{"", "ninja-build"}, {"", "libsoci-dev"}, {"cmake", "cmake"}, {"ctest", "cmake"}};
  const Finding f = by_name(examine(e))["programs"];
  EXPECT_EQ(f.level, Level::kBad);
  EXPECT_EQ(f.what, "missing: libsoci-dev, cmake, ctest");
  EXPECT_EQ(f.fix, "apt-get install libsoci-dev cmake");
}

TEST(Doctor, SaysWhatOfItsOwnIsMissingAndWhatToDo) {
  const ScratchFolder folder;
  const std::string worker = folder.path() + "/nsop-worker";
  OwnPrograms own{worker,
                  "",
                  []() -> std::string { throw environment_error("no interpreter has jinja2"); },
                  {folder.path(), folder.path(), "", [](const std::string&) { return ""; }}};
  auto f = by_name(examine_programs(own));
  EXPECT_EQ(f["worker"].level, Level::kBad);
  EXPECT_EQ(f["worker"].what, worker + " is not there");
  EXPECT_EQ(f["allocation counter"].fix, "make build");
  EXPECT_EQ(f["python"].what, "no interpreter has jinja2");
  EXPECT_EQ(f["python"].fix, "make setup");
  EXPECT_EQ(f["peers"].level, Level::kWarn);
  EXPECT_THAT(f["peers"].what, testing::StartsWith("none; not installed: blis, eigen"));
  EXPECT_EQ(f["devices"].what, "no worker of one is built");

  for (const std::string& name : peer_names(own.peers)) {
    const std::string path = folder.path() + "/nsop-peer-" + name;
    write_file_atomically(path, "#!/bin/sh\n", Durability::kScratch);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  write_file_atomically(worker, "", Durability::kScratch);
  own.preload = "/lib/libnsop_alloc.so";
  own.python = [] { return "/usr/bin/python3"; };
  const std::string device = folder.path() + "/nsop-worker-opencl";
  write_file_atomically(device, "#!/bin/sh\n", Durability::kScratch);
  std::filesystem::permissions(device, std::filesystem::perms::owner_all);
  f = by_name(examine_programs(own));
  EXPECT_EQ(f["devices"].what, "opencl");
  EXPECT_THAT(f["peers"].what, testing::Not(testing::HasSubstr("opencl")));
  for (const Finding& finding : examine_programs(own)) {
    EXPECT_EQ(finding.level, Level::kOk) << finding.name;
    EXPECT_EQ(finding.fix, "") << finding.name;
  }
}

TEST(Doctor, FindsProgramsOfThisMachine) {
  Examination e;
  e.database_path = "/tmp/nsop.db";
  e.search_path = "/nowhere:/usr/bin:/bin";
  e.needs = {{"env", "coreutils"}};
  EXPECT_EQ(by_name(examine(e))["programs"].level, Level::kOk);
}

TEST(Doctor, SaysWhatAServerAnswered) {
  const Finding f = check_server("postgresql://someone:s3cret@127.0.0.1:1/none?connect_timeout=2");
  EXPECT_EQ(f.name, "database");
  EXPECT_EQ(f.level, Level::kBad);
  EXPECT_THAT(f.what, testing::HasSubstr("127.0.0.1"));
  EXPECT_THAT(f.what, testing::Not(testing::HasSubstr("s3cret")));
  EXPECT_EQ(f.fix, "see the message; docs/scale.md");
}

TEST(Doctor, OnlyWhatIsBadMakesTheMachineUnfit) {
  EXPECT_EQ(exit_of({}), ExitCode::kOk);
  EXPECT_EQ(exit_of({{"load", Level::kOk, "", ""}, {"governor", Level::kWarn, "", ""}}),
            ExitCode::kOk);
  EXPECT_EQ(exit_of({{"disk", Level::kBad, "", ""}, {"load", Level::kOk, "", ""}}),
            ExitCode::kEnvironment);
}

}  // namespace
}  // namespace nsop::run
