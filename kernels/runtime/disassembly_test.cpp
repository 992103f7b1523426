// Is SCALAR really scalar? Looks at the machine code of this very program.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <string>

#include "hwy/detect_targets.h"

namespace nsop::kernels {
namespace {

// Packed float arithmetic, in legacy and VEX/EVEX encoding.
bool is_packed_arithmetic(const std::string& mnemonic) {
  static const std::regex pattern(
      "v?(add|sub|mul|div|max|min|sqrt|rcp|rsqrt|hadd|hsub|addsub|dp)p[sd]|"
      "vfn?m(add|sub|addsub|subadd)[0-9]*p[sd]");
  return std::regex_match(mnemonic, pattern);
}

struct Counts {
  int functions = 0;
  int packed = 0;
  std::string first;  // function and instruction of the first packed one
};

// One pass over the disassembly: per namespace, its functions and their packed instructions.
std::map<std::string, Counts> count_by_namespace() {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command = "objdump -d --no-show-raw-insn '" + self + "' 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) return {};
  std::map<std::string, Counts> counts;
  std::string function;
  Counts* current = nullptr;
  std::array<char, 8192> line{};
  while (std::fgets(line.data(), line.size(), pipe.get()) != nullptr) {
    const std::string text = line.data();
    if (text.find(">:") != std::string::npos) {
      function = text.substr(text.find('<') + 1);
      current = nullptr;
      for (const char* name : {"N_SCALAR", "N_SSSE3", "N_SSE4", "N_AVX2", "N_AVX3"}) {
        if (function.find(name) != std::string::npos) current = &counts[name];
      }
      if (current != nullptr) ++current->functions;
    } else if (current != nullptr && text.find('\t') != std::string::npos) {
      const size_t begin = text.find('\t') + 1;
      const std::string mnemonic = text.substr(begin, text.find_first_of(" \n", begin) - begin);
      if (!is_packed_arithmetic(mnemonic)) continue;
      if (++current->packed == 1) current->first = function + text;
    }
  }
  return counts;
}

TEST(Disassembly, ScalarTargetHasNoPackedArithmetic) {
  const std::map<std::string, Counts> counts = count_by_namespace();
  ASSERT_TRUE(counts.contains("N_SCALAR")) << "no objdump, or no SCALAR target";
  const Counts& scalar = counts.at("N_SCALAR");
  EXPECT_GE(scalar.functions, 20);
  EXPECT_EQ(scalar.packed, 0) << scalar.first;
  // The control: the same search finds it where it must be.
  const std::map<std::string, int64_t> compiled = {
      {"N_SSE4", HWY_SSE4}, {"N_AVX2", HWY_AVX2}, {"N_AVX3", HWY_AVX3}};
  for (const auto& [name, bit] : compiled) {
    if ((HWY_TARGETS & bit) == 0) continue;  // NSOP_SKIP_TARGETS
    ASSERT_TRUE(counts.contains(name)) << name;
    EXPECT_GE(counts.at(name).functions, 20) << name;
    EXPECT_GE(counts.at(name).packed, 500) << name;
  }
}

TEST(Disassembly, KnowsPackedFromScalar) {
  for (const char* packed : {"mulps", "vaddps", "vfmadd231ps", "maxpd", "vfnmadd132ps"}) {
    EXPECT_TRUE(is_packed_arithmetic(packed)) << packed;
  }
  for (const char* scalar : {"mulss", "vaddsd", "vfmadd231ss", "andps", "movaps", "xorps"}) {
    EXPECT_FALSE(is_packed_arithmetic(scalar)) << scalar;
  }
}

}  // namespace
}  // namespace nsop::kernels
