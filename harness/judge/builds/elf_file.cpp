#include "harness/judge/builds/elf_file.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>

#include "harness/core/error.h"
#include "harness/core/files.h"

namespace nsop::judge {
namespace {

class Reader {
 public:
  Reader(ElfFile& file, const std::string& path) : file_(file), path_(path) {}

  void read() {
    const auto header = at<Elf64_Ehdr>(0);
    const bool known = std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                       header.e_ident[EI_CLASS] == ELFCLASS64 &&
                       header.e_ident[EI_DATA] == ELFDATA2LSB &&
                       header.e_shentsize == sizeof(Elf64_Shdr) && header.e_shnum > 0;
    if (!known) fail("is no ELF file that nsop reads");
    for (size_t i = 0; i < header.e_shnum; ++i) {
      headers_.push_back(at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)));
    }
    if (header.e_shstrndx >= headers_.size()) fail("has no names of sections");
    for (const Elf64_Shdr& h : headers_) file_.sections.push_back(section(h, header.e_shstrndx));
    for (const Elf64_Shdr& h : headers_) {
      if (h.sh_type == SHT_SYMTAB) read_symbols(h);
    }
    for (const Elf64_Shdr& h : headers_) {
      if (h.sh_type == SHT_RELA) read_relocations(h);
      if (h.sh_type == SHT_GROUP) read_group(h);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw bad_data(path_ + " " + what); }

  std::string_view bytes(uint64_t offset, uint64_t size) const {
    if (offset > file_.bytes.size() || size > file_.bytes.size() - offset) fail("is cut off");
    return std::string_view(file_.bytes).substr(offset, size);
  }

  template <class T>
  T at(uint64_t offset) const {
    T value;
    std::memcpy(&value, bytes(offset, sizeof(T)).data(), sizeof(T));
    return value;
  }

  std::string text(uint32_t table, uint64_t offset) const {
    if (table >= headers_.size()) fail("names a table of strings that it hasn't");
    const std::string_view all = bytes(headers_[table].sh_offset, headers_[table].sh_size);
    if (offset >= all.size()) fail("names a string beyond its table");
    const std::string_view rest = all.substr(offset);
    return std::string(rest.substr(0, rest.find('\0')));
  }

  ElfSection section(const Elf64_Shdr& h, uint32_t names) const {
    ElfSection section;
    section.name = text(names, h.sh_name);
    section.in_memory = (h.sh_flags & SHF_ALLOC) != 0;
    section.merged = (h.sh_flags & SHF_MERGE) != 0 && h.sh_entsize > 0;
    section.strings = (h.sh_flags & SHF_STRINGS) != 0;
    section.entry_bytes = h.sh_entsize;
    section.size = h.sh_size;
    if (h.sh_type != SHT_NOBITS) section.data = bytes(h.sh_offset, h.sh_size);
    return section;
  }

  void read_symbols(const Elf64_Shdr& h) {
    for (uint64_t i = 0; i < h.sh_size / sizeof(Elf64_Sym); ++i) {
      const auto s = at<Elf64_Sym>(h.sh_offset + i * sizeof(Elf64_Sym));
      ElfSymbol symbol;
      symbol.name = text(h.sh_link, s.st_name);
      const auto binding = ELF64_ST_BIND(s.st_info);
      symbol.local = binding == STB_LOCAL;
      symbol.weak = binding == STB_WEAK || binding == STB_GNU_UNIQUE;
      symbol.function = ELF64_ST_TYPE(s.st_info) == STT_FUNC;
      symbol.file = ELF64_ST_TYPE(s.st_info) == STT_FILE;
      if (s.st_shndx == SHN_XINDEX) fail("has more sections than nsop reads");
      symbol.section = s.st_shndx < headers_.size() ? s.st_shndx : 0;
      symbol.value = s.st_value;
      symbol.size = s.st_size;
      file_.symbols.push_back(std::move(symbol));
    }
  }

  void read_relocations(const Elf64_Shdr& h) {
    const bool is_static = h.sh_link < headers_.size() && headers_[h.sh_link].sh_type == SHT_SYMTAB;
    if (!is_static) return;  // of a linked program, for the loader
    if (h.sh_info >= file_.sections.size()) fail("relocates a section that it hasn't");
    for (uint64_t i = 0; i < h.sh_size / sizeof(Elf64_Rela); ++i) {
      const auto r = at<Elf64_Rela>(h.sh_offset + i * sizeof(Elf64_Rela));
      const auto symbol = static_cast<uint32_t>(ELF64_R_SYM(r.r_info));
      if (symbol >= file_.symbols.size()) fail("names a symbol that it hasn't");
      file_.sections[h.sh_info].relocations.push_back(
          {r.r_offset, static_cast<uint32_t>(ELF64_R_TYPE(r.r_info)), symbol, r.r_addend});
    }
  }

  void read_group(const Elf64_Shdr& h) {
    ++groups_;
    for (uint64_t i = 1; i < h.sh_size / sizeof(uint32_t); ++i) {
      const auto member = at<uint32_t>(h.sh_offset + i * sizeof(uint32_t));
      if (member >= file_.sections.size()) fail("groups a section that it hasn't");
      file_.sections[member].group = groups_;
    }
  }

  ElfFile& file_;
  const std::string& path_;
  std::vector<Elf64_Shdr> headers_;
  int groups_ = 0;
};

}  // namespace

ElfFile read_elf(const std::string& path) {
  ElfFile file;
  file.bytes = read_file(path);
  Reader(file, path).read();
  return file;
}

}  // namespace nsop::judge
