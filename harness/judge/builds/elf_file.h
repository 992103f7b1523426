// What a 64-bit little-endian ELF file holds of machine code: sections, symbols, relocations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nsop::judge {

struct ElfRelocation {
  uint64_t offset = 0;  // in the section it changes
  uint32_t type = 0;
  uint32_t symbol = 0;  // index of ElfFile::symbols
  int64_t addend = 0;
};

struct ElfSection {
  std::string name;
  bool in_memory = false;    // part of the running program
  bool merged = false;       // the linker unites equal entries
  bool strings = false;      // of merged sections: entries are strings
  uint64_t entry_bytes = 0;  // of merged sections
  uint64_t size = 0;
  std::string_view data;  // empty for what is zero at the start
  int group = 0;  // sections that the linker takes or leaves together have one number; 0: none
  std::vector<ElfRelocation> relocations;
};

struct ElfSymbol {
  std::string name;
  bool local = false;     // nobody outside the file sees it
  bool weak = false;      // other files may define it, too; the linker takes one
  bool function = false;  // code
  bool file = false;      // names a source: the local symbols after it are from there
  uint32_t section = 0;   // 0: defined elsewhere
  uint64_t value = 0, size = 0;
};

struct ElfFile {
  std::string bytes;  // owns the data of the sections
  std::vector<ElfSection> sections;
  std::vector<ElfSymbol> symbols;

  ElfFile() = default;
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;
  ElfFile(ElfFile&&) = default;
  ElfFile& operator=(ElfFile&&) = default;
};

// Throws Error: (environment) for a file that can't be read, (bad data) for one that isn't
// ELF or is cut off.
ElfFile read_elf(const std::string& path);

}  // namespace nsop::judge
