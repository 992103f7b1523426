#include "harness/core/host/host.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <thread>

#include "harness/core/host/steal.h"

namespace nsop {
namespace {

using testing::ElementsAre;
using testing::Not;
using testing::Pair;
using testing::SizeIs;

std::string fixture(const std::string& name) {
  return std::string(NSOP_SOURCE_DIR) + "/harness/core/testdata/host/" + name;
}

TEST(Host, ReadsAGuest) {
  const Host host = read_host(fixture("kvm_guest"));
  EXPECT_EQ(host.cpu_vendor, "GenuineIntel");
  EXPECT_EQ(host.cpu_model, "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz");
  EXPECT_EQ(host.family, 6);
  EXPECT_EQ(host.model, 143);
  EXPECT_EQ(host.stepping, 8);
  EXPECT_EQ(host.sockets, 1);
  EXPECT_EQ(host.cores, 2);
  EXPECT_EQ(host.threads, 2);
  EXPECT_EQ(host.hypervisor, "QEMU");
  EXPECT_THAT(host.cache_bytes, ElementsAre(Pair("L1d", 48 << 10), Pair("L1i", 32 << 10),
                                            Pair("L2", 2 << 20), Pair("L3", 105 << 20)));
  EXPECT_THAT(host.isa, ElementsAre("avx", "avx2", "avx512_bf16", "avx512bw", "avx512cd",
                                    "avx512dq", "avx512f", "avx512vl", "f16c", "fma", "sse2",
                                    "sse4_1", "sse4_2", "ssse3"));
}

TEST(Host, CountsSocketsCoresAndThreadsApart) {
  const Host host = read_host(fixture("bare_metal"));
  EXPECT_EQ(host.sockets, 2);
  EXPECT_EQ(host.cores, 4);
  EXPECT_EQ(host.threads, 8);
  EXPECT_EQ(host.hypervisor, "");
}

TEST(Host, ReadsTheKeysOfArm) {
  const Host host = read_host(fixture("arm_server"));
  EXPECT_EQ(host.cpu_vendor, "0x41");
  EXPECT_EQ(host.cpu_model, "0xd0c");
  EXPECT_EQ(host.model, 0xd0c);
  EXPECT_EQ(host.stepping, 1);
  EXPECT_EQ(host.sockets, 1);
  EXPECT_EQ(host.cores, 4);
  EXPECT_EQ(host.threads, 4);
  EXPECT_THAT(host.isa, ElementsAre("asimd", "asimddp", "asimdhp"));
}

TEST(Host, MissingFilesLeaveFieldsEmpty) {
  const Host host = read_host("/nowhere");
  EXPECT_EQ(host.cpu_model, "");
  EXPECT_EQ(host.threads, 0);
  EXPECT_TRUE(host.cache_bytes.empty());
  EXPECT_THAT(host.id, SizeIs(64));
  const Conditions c = read_conditions("/nowhere");
  EXPECT_EQ(c.kernel, "");
  EXPECT_EQ(c.aslr, "");
  EXPECT_EQ(c.memory_bytes, 0);
  EXPECT_TRUE(c.allowed_cpus.empty());
}

TEST(Host, ReadsThisMachine) {
  const Host host = read_host();
  EXPECT_GE(host.threads, static_cast<int>(read_conditions().allowed_cpus.size()));
  EXPECT_GE(host.threads, 1);
  EXPECT_EQ(host.id, read_host().id);
  const Conditions c = read_conditions();
  EXPECT_FALSE(c.allowed_cpus.empty());
  EXPECT_GT(c.memory_available_bytes, 0);
  EXPECT_LE(c.memory_available_bytes, c.memory_bytes);
  EXPECT_TRUE(c.libc.starts_with("glibc ")) << c.libc;
}

TEST(Host, FingerprintsTellMachinesApart) {
  const Host guest = read_host(fixture("kvm_guest"));
  EXPECT_EQ(guest.id, host_fingerprint(guest));
  EXPECT_THAT(guest.id, Not(read_host(fixture("bare_metal")).id));
}

RC_GTEST_PROP(Host, EveryIdentityFieldChangesTheFingerprint, ()) {
  const Host host = read_host(fixture("kvm_guest"));
  Host other = host;
  switch (*rc::gen::inRange(0, 11)) {
    case 0:
      other.cpu_vendor += "x";
      break;
    case 1:
      other.cpu_model += "x";
      break;
    case 2:
      other.family += 1;
      break;
    case 3:
      other.model += 1;
      break;
    case 4:
      other.stepping += 1;
      break;
    case 5:
      other.sockets += 1;
      break;
    case 6:
      other.cores += 1;
      break;
    case 7:
      other.threads += 1;
      break;
    case 8:
      other.cache_bytes["L2"] += 1;
      break;
    case 9:
      other.isa.pop_back();
      break;
    default:
      other.hypervisor = "";
      break;
  }
  RC_ASSERT(host_fingerprint(other) != host_fingerprint(host));
  other = host;
  other.id = "anything";
  RC_ASSERT(host_fingerprint(other) == host_fingerprint(host));
}

TEST(Conditions, ReadsAGuest) {
  const Conditions c = read_conditions(fixture("kvm_guest"));
  EXPECT_EQ(c.kernel, "6.1.0-18-cloud-amd64");
  EXPECT_EQ(c.os, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(c.governor, "");
  EXPECT_EQ(c.turbo, "");
  EXPECT_EQ(c.aslr, "off");
  EXPECT_EQ(c.libc, "");
  EXPECT_EQ(c.microcode, "0xffffffff");
  EXPECT_DOUBLE_EQ(c.load1, 3.5);
  EXPECT_DOUBLE_EQ(stolen_percent({9000, 300}, {10000, 400}), 10);
  EXPECT_DOUBLE_EQ(stolen_percent({9000, 300}, {9000, 300}), 0);
  EXPECT_DOUBLE_EQ(c.steal_percent, 4.0);  // 400 of 10,000 ticks: guest time is not counted twice
  EXPECT_EQ(c.memory_bytes, int64_t{4'000'000} * 1024);
  EXPECT_EQ(c.memory_available_bytes, int64_t{200'000} * 1024);
  EXPECT_THAT(c.allowed_cpus, ElementsAre(0));
  EXPECT_EQ(c.glibc_tunables, "glibc.cpu.hwcaps=-AVX512F");
}

TEST(Conditions, ReadsBareMetal) {
  const Conditions c = read_conditions(fixture("bare_metal"));
  EXPECT_EQ(c.governor, "performance");
  EXPECT_EQ(c.turbo, "off");
  EXPECT_EQ(c.aslr, "full");
  EXPECT_EQ(c.steal_percent, 0);
  EXPECT_THAT(c.allowed_cpus, SizeIs(8));
}

}  // namespace
}  // namespace nsop
