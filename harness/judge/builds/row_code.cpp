#include "harness/judge/builds/row_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "harness/core/case.h"
#include "harness/core/error.h"
#include "harness/core/io/json.h"
#include "harness/core/registrations.h"
#include "harness/core/text.h"
#include "harness/judge/builds/code_graph.h"
#include "harness/judge/builds/command.h"

namespace nsop::judge {
namespace {

// What runs around every operation that is timed.
const std::vector<std::string> kEngine = {"/engine.cpp.o", "/row.cpp.o"};
constexpr const char* kEngineFolder = "harness/worker/";

// Functions that find the code of another row by its name.
const std::vector<std::string> kLookups = {"_ZN4nsop12find_variantE", "_ZN4nsop12all_variantsE"};

// What compilers call the code of an object that runs before main.
bool is_initialiser(const ElfSymbol& symbol) {
  return symbol.function &&
         (symbol.name.starts_with("_GLOBAL__sub_I_") ||
          symbol.name.find("__static_initialization_and_destruction") != std::string::npos);
}

std::vector<Registration> registrations_of(const std::string& worker) {
  const CommandResult result =
      run_command({"env", fmt::format("{}=1", kTraceRegistrations),
                   std::filesystem::absolute(worker).string(), "--registrations"},
                  "/");
  if (result.status != 0) return {};
  std::vector<Registration> all;
  for (const Json& one : parse_json(result.output, worker + " --registrations")) {
    all.push_back({one.at("op"), one.at("variant"), one.at("addresses")});
  }
  return all;
}

// Finds the object that a registration came from. In a linked program the local symbols of one
// object follow each other; the object is the one that has them all.
class Origins {
 public:
  Origins(const std::string& worker, const CodeGraph& graph) : graph_(graph) {
    for (const ElfSymbol& symbol : read_elf(worker).symbols) {
      if (!symbol.local || symbol.section == 0 || symbol.file) {
        if (symbol.file) blocks_.emplace_back();
        continue;
      }
      if (symbol.name.empty() || blocks_.empty()) continue;
      blocks_.back().insert(symbol.name);
      if (is_initialiser(symbol)) initialisers_.push_back({symbol, blocks_.size() - 1});
    }
  }

  // Empty: unknown.
  std::string object_of(const Registration& registration) const {
    std::set<std::string> found;
    for (const uint64_t address : registration.addresses) {
      for (const Initialiser& i : initialisers_) {
        if (address < i.symbol.value || address >= i.symbol.value + i.symbol.size) continue;
        found.insert(graph_.object_with_locals(blocks_[i.block]));
      }
    }
    return found.size() == 1 ? *found.begin() : "";
  }

 private:
  struct Initialiser {
    ElfSymbol symbol;
    size_t block;
  };
  const CodeGraph& graph_;
  std::vector<std::set<std::string>> blocks_;  // local symbols by object
  std::vector<Initialiser> initialisers_;
};

CodeGraph graph_of(const std::string& build, std::vector<std::string>& engine) {
  CodeGraph graph;
  for (const std::string& object : linked_objects(build)) {
    graph.add(object, read_elf(build + "/" + object));
    const bool is_engine = std::any_of(kEngine.begin(), kEngine.end(), [&](const auto& name) {
      return object.starts_with(kEngineFolder) && object.ends_with(name);
    });
    if (is_engine) engine.push_back(object);
  }
  return graph;
}

RowCode find_row_code(const std::string& build, const std::string& worker) {
  RowCode code;
  const std::vector<Registration> all = registrations_of(worker);
  if (all.empty()) return code;
  std::vector<std::string> engine;
  const CodeGraph graph = graph_of(build, engine);
  if (engine.size() != kEngine.size()) return code;
  const Origins origins(worker, graph);
  std::map<std::string, std::string> ops;
  for (const Registration& r : all) {
    if (r.variant.empty()) ops[r.op] = origins.object_of(r);
  }
  std::map<std::set<std::string>, std::optional<std::string>> known;
  for (const Registration& r : all) {
    if (r.variant.empty()) continue;
    const std::set<std::string> objects = {ops[r.op], origins.object_of(r)};
    if (objects.contains("")) continue;
    if (!known.contains(objects)) {
      std::vector<std::string> roots = engine;
      roots.insert(roots.end(), objects.begin(), objects.end());
      known[objects] = graph.identity(roots, kLookups);
    }
    if (known[objects]) code[r.op + " " + r.variant] = *known[objects];
  }
  return code;
}

}  // namespace

std::vector<std::string> linked_objects(const std::string& build) {
  std::vector<std::string> objects;
  try {
    const CommandResult result = run_command({"ninja", "-t", "inputs", "nsop-worker"}, build);
    if (result.status != 0) return objects;
    for (const std::string& line : split(result.output, '\n')) {
      if (line.ends_with(".o")) objects.push_back(line);
    }
  } catch (const Error&) {
    return {};  // no ninja
  }
  return objects;
}

RowCode row_code_of(const std::string& build, const std::string& worker) {
  try {
    return find_row_code(build, worker);
  } catch (const Error&) {
    return {};
  } catch (const Json::exception&) {
    return {};
  }
}

bool same_code(const RowKey& row, const RowCode& a, const RowCode& b) {
  const std::string key = case_op(row.case_text) + " " + row.variant;
  const auto one = a.find(key), other = b.find(key);
  return one != a.end() && other != b.end() && one->second == other->second;
}

std::string row_code_text(const RowCode& code) { return Json(code).dump(1) + "\n"; }

RowCode parse_row_code(const std::string& text) {
  const Json json = parse_json(text, "code of rows");
  try {
    return json.get<RowCode>();
  } catch (const Json::exception& failure) {
    throw bad_data(std::string("code of rows: ") + failure.what());
  }
}

}  // namespace nsop::judge
