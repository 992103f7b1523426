#include "harness/judge/builds/code_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/hash.h"

namespace nsop::judge {
namespace {

// Unwinding tables follow from the code; notes say what it was built with.
bool counts(const ElfSection& section) {
  return section.in_memory && section.name != ".eh_frame" && !section.name.starts_with(".note");
}

// The entries of a merged section that a relocation may mean. Where addresses are relative to the
// next instruction, the addend is less by what is left of this one: four to eight bytes.
std::string_view entries_at(const ElfSection& section, int64_t addend) {
  const uint64_t size = section.data.size();
  const uint64_t from = std::min<uint64_t>(addend < 0 ? 0 : static_cast<uint64_t>(addend), size);
  uint64_t begin = from, end = std::min<uint64_t>(from + 8, size);
  if (section.strings && section.entry_bytes == 1) {
    while (begin > 0 && section.data[begin - 1] != '\0') --begin;
    while (end < size && section.data[end] != '\0') ++end;
  } else {
    begin -= begin % section.entry_bytes;
    end = std::min(size, end + section.entry_bytes - end % section.entry_bytes);
  }
  return section.data.substr(begin, end - begin);
}

// The parts of an object and where they are.
class Layout {
 public:
  explicit Layout(const ElfFile& file) {
    for (size_t i = 0; i < file.sections.size(); ++i) {
      const auto group = static_cast<size_t>(file.sections[i].group);
      if (sections.size() <= group) sections.resize(group + 1);
      if (counts(file.sections[i])) sections[group].push_back(i);
    }
    for (const ElfSymbol& symbol : file.symbols) {
      const bool helper = symbol.local && symbol.function && symbol.section != 0 &&
                          symbol.size > 0 && file.sections[symbol.section].group == 0;
      if (!helper) continue;
      starts_[{symbol.section, symbol.value}] = sections.size() + functions.size();
      functions.push_back(&symbol);
    }
  }

  // The local function that a relocation means. Nothing when it isn't the start of one; a call
  // counts from its end, which is four bytes on.
  std::optional<size_t> function_at(const ElfSymbol& symbol, int64_t addend) const {
    for (const int64_t more : {int64_t{0}, int64_t{4}}) {
      const int64_t at = static_cast<int64_t>(symbol.value) + addend + more;
      if (at < 0) continue;
      const auto found = starts_.find({symbol.section, static_cast<uint64_t>(at)});
      if (found != starts_.end()) return found->second;
    }
    return std::nullopt;
  }

  std::vector<std::vector<size_t>> sections = {{}};  // by group
  std::vector<const ElfSymbol*> functions;

 private:
  std::map<std::pair<uint32_t, uint64_t>, size_t> starts_;
};

// One part of an object as text, and what it refers to.
class PartText {
 public:
  PartText(const ElfFile& file, const Layout& layout, size_t part)
      : file_(file), layout_(layout), part_(part) {
    if (part < layout.sections.size()) {
      for (const size_t i : layout.sections[part]) {
        add(file.sections[i], 0, file.sections[i].size);
      }
    } else {
      const ElfSymbol& function = *layout.functions[part - layout.sections.size()];
      add(file.sections[function.section], function.value, function.size);
    }
  }

  std::string hash() const { return sha256_hex(text_); }
  const std::set<std::string>& symbols() const { return symbols_; }
  const std::set<size_t>& parts() const { return parts_; }

 private:
  void add(const ElfSection& section, uint64_t begin, uint64_t size) {
    text_ += fmt::format("section {} {}\n", section.name, size);
    if (begin < section.data.size()) text_ += section.data.substr(begin, size);
    for (const ElfRelocation& r : section.relocations) {
      if (r.offset < begin || r.offset >= begin + size) continue;
      text_ += fmt::format("\n{} {} ", r.offset - begin, r.type);
      refer(r);
    }
  }

  void refer(const ElfRelocation& r) {
    const ElfSymbol& symbol = file_.symbols[r.symbol];
    if (!symbol.local) {
      text_ += fmt::format("{} {}", r.addend, symbol.name);
      symbols_.insert(symbol.name);
      return;
    }
    const ElfSection& target = file_.sections[symbol.section];
    const int64_t at = r.addend + static_cast<int64_t>(symbol.value);
    const auto group = static_cast<size_t>(target.group);
    if (part_ != 0 && group == 0 && target.merged) {
      // Constants of the whole object, in whatever order: what it says counts, not where.
      text_ += entries_at(target, at);
      return;
    }
    if (const auto function = layout_.function_at(symbol, r.addend); part_ != 0 && function) {
      // Where its object has it doesn't count.
      const size_t number = *function - layout_.sections.size();
      text_ += layout_.functions[number]->name;
      if (*function != part_) parts_.insert(*function);
      return;
    }
    text_ += fmt::format("{} {}", at, target.name);
    if (group != part_) parts_.insert(group);
  }

  const ElfFile& file_;
  const Layout& layout_;
  const size_t part_;
  std::string text_;
  std::set<std::string> symbols_;
  std::set<size_t> parts_;
};

}  // namespace

void CodeGraph::add(const std::string& name, ElfFile file) {
  const size_t index = objects_.size();
  by_name_[name] = index;
  Object object;
  object.name = name;
  const Layout layout(file);
  for (size_t part = 0; part < layout.sections.size() + layout.functions.size(); ++part) {
    const PartText text(file, layout, part);
    object.parts.push_back({text.hash(), text.symbols(), text.parts()});
  }
  for (const ElfSymbol& symbol : file.symbols) {
    if (symbol.section == 0) continue;
    if (symbol.local) {
      if (!symbol.name.empty()) object.locals.insert(symbol.name);
      continue;
    }
    Definitions& known = definitions_[symbol.name];
    const auto part = static_cast<size_t>(file.sections[symbol.section].group);
    (symbol.weak || part != 0 ? known.weak : known.strong).push_back({index, part});
  }
  objects_.push_back(std::move(object));
}

std::string CodeGraph::object_with_locals(const std::set<std::string>& symbols) const {
  std::string found;
  for (const Object& object : objects_) {
    if (!std::includes(object.locals.begin(), object.locals.end(), symbols.begin(),
                       symbols.end())) {
      continue;
    }
    if (!found.empty()) return {};
    found = object.name;
  }
  return found;
}

// A walk over everything that can be reached.
class CodeGraph::Walk {
 public:
  Walk(const CodeGraph& graph, const std::vector<std::string>& lookups)
      : graph_(graph), lookups_(lookups) {}

  void enter(const Place& place) {
    if (seen_.insert(place).second) open_.push_back(place);
  }

  // False: something is looked up while the program runs.
  bool run() {
    while (!open_.empty()) {
      const Place place = open_.back();
      open_.pop_back();
      const Part& part = graph_.objects_[place.object].parts[place.part];
      // A group is the same whichever object brings it.
      text_.insert((place.part == 0 ? graph_.objects_[place.object].name : "") + " " + part.hash);
      for (const size_t other : part.parts) enter({place.object, other});
      for (const std::string& symbol : part.symbols) {
        for (const std::string& lookup : lookups_) {
          if (symbol.starts_with(lookup)) return false;
        }
        need(symbol);
      }
    }
    return true;
  }

  std::string hash() const {
    std::string all;
    for (const std::string& line : text_) all += line + "\n";
    for (const Object& object : graph_.objects_) all += several_ ? object.name + "\n" : "";
    return sha256_hex(all);
  }

 private:
  void need(const std::string& symbol) {
    if (!needed_.insert(symbol).second) return;
    const auto known = graph_.definitions_.find(symbol);
    if (known == graph_.definitions_.end()) return;  // of a library
    if (!known->second.strong.empty()) {
      for (const Place& place : known->second.strong) enter(place);
      return;
    }
    std::set<std::string> versions;
    for (const Place& place : known->second.weak) {
      versions.insert(graph_.objects_[place.object].parts[place.part].hash);
      enter(place);
    }
    several_ = several_ || versions.size() > 1;
  }

  const CodeGraph& graph_;
  const std::vector<std::string>& lookups_;
  std::set<Place> seen_;
  std::vector<Place> open_;
  std::set<std::string> needed_;
  std::set<std::string> text_;  // sorted: the order of the walk doesn't count
  bool several_ = false;        // versions of a symbol that differ
};

std::optional<std::string> CodeGraph::identity(const std::vector<std::string>& objects,
                                               const std::vector<std::string>& lookups) const {
  if (objects.empty()) return std::nullopt;
  Walk walk(*this, lookups);
  for (const std::string& name : objects) {
    const auto index = by_name_.find(name);
    if (index == by_name_.end()) return std::nullopt;
    walk.enter({index->second, 0});
  }
  if (!walk.run()) return std::nullopt;
  return walk.hash();
}

}  // namespace nsop::judge
