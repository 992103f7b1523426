// What machine code can run when a row runs: everything that its objects refer to, directly or not.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/judge/builds/elf_file.h"

namespace nsop::judge {

// The objects of one program, before they are linked. Code is compared as the linker finds it:
// bytes, and for every relocation what it refers to by name. Names of files, debug information and
// where the linker put things don't enter.
class CodeGraph {
 public:
  // `name` is the same for the same object of another build, e.g. `kernels/relu.cpp.o`.
  void add(const std::string& name, ElfFile object);

  // The object that defines local symbols of all these names; empty: none, or more than one.
  std::string object_with_locals(const std::set<std::string>& symbols) const;

  // A hash of all code and data that these objects can reach. Equal hashes of two builds that were
  // made by one compiler: the same machine code. nullopt where that can't be told: an object is
  // missing, or something refers to a symbol that begins with one of `lookups`, functions that find
  // code by a name while the program runs.
  //
  // Where several objects bring a function and the linker takes one (templates, inline functions),
  // all versions count; if they differ, which one is taken depends on the list of objects, so that
  // list counts as well.
  std::optional<std::string> identity(const std::vector<std::string>& objects,
                                      const std::vector<std::string>& lookups) const;

 private:
  // What the linker takes or leaves as a whole: a group of sections, or all others of an object. A
  // local function of the others is a part, too: the compiler makes such helpers of functions that
  // many objects have, and they must not drag in the rest of one of them.
  struct Part {
    std::string hash;
    std::set<std::string> symbols;  // that it refers to
    std::set<size_t> parts;         // others of its object that it refers to
  };
  struct Object {
    std::string name;
    std::vector<Part> parts;  // 0: what is in no group; then groups, then local functions
    std::set<std::string> locals;
  };
  struct Place {
    size_t object = 0, part = 0;
    auto operator<=>(const Place&) const = default;
  };
  struct Definitions {
    std::vector<Place> strong, weak;
  };
  class Walk;

  std::vector<Object> objects_;
  std::map<std::string, size_t> by_name_;
  std::map<std::string, Definitions> definitions_;
};

}  // namespace nsop::judge
