#include "harness/adapters/discover.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include "harness/adapters/program_toml.h"
#include "harness/core/error.h"
#include "harness/core/files.h"

namespace nsop::adapters {
namespace {

namespace fs = std::filesystem;
constexpr int kMostFiles = 20'000;
constexpr size_t kMostText = size_t{4} << 20;  // of a source

// Does the file hold one of these texts? Pieces overlap by as much as the longest takes.
bool holds(const std::string& path, std::string_view text) {
  std::string kept;
  bool found = false;
  try {
    read_pieces(path, [&](std::string_view piece) {
      kept.append(piece);
      found = found || kept.find(text) != std::string::npos;
      if (kept.size() > text.size()) kept.erase(0, kept.size() - text.size());
    });
  } catch (const Error&) {  // what can't be read isn't found
    return false;
  }
  return found;
}

bool is_program(const fs::path& path) {
  std::error_code error;
  constexpr std::string_view kElf =
      "\x7f"
      "ELF";
  if (fs::file_size(path, error) < kElf.size() || error || access(path.c_str(), X_OK) != 0) {
    return false;
  }
  const std::string extension = path.extension().string();
  if (extension == ".so" || extension == ".o" || extension == ".a") return false;
  bool elf = false;
  try {
    read_pieces(path, [&, first = true](std::string_view piece) mutable {
      if (first) elf = piece.starts_with(kElf);
      first = false;
    });
  } catch (const Error&) {
    return false;
  }
  return elf;
}

std::string text_of(const fs::path& path) {
  try {
    return read_file(path.string(), kMostText);
  } catch (const Error&) {
    return {};
  }
}

// A name that nsop.toml takes, and that no other has.
std::string name_for(const std::string& wanted, const std::vector<Discovered>& found) {
  std::string name;
  for (const char c : wanted) {
    name += is_program_name("a" + std::string(1, c)) ? c : '-';
  }
  if (!is_program_name(name)) name = "bench-" + name;
  if (!is_program_name(name)) name = "bench";
  const auto is_taken = [&](const std::string& one) {
    return std::any_of(found.begin(), found.end(), [&](const auto& d) { return d.name == one; });
  };
  std::string unique = name;
  for (int i = 2; is_taken(unique); ++i) unique = fmt::format("{}-{}", name, i);
  return unique;
}

// `build` for programs that lie in a folder of CMake.
std::string build_of(const fs::path& root, const fs::path& program) {
  for (fs::path at = program.parent_path(); at != root && at.has_relative_path();
       at = at.parent_path()) {
    if (!fs::exists(at / "CMakeCache.txt")) continue;
    const std::string folder = at.lexically_relative(root).string();
    return fmt::format("cmake -S . -B {0} -DCMAKE_BUILD_TYPE=Release && cmake --build {0} -j",
                       folder);
  }
  return {};
}

void look_at_program(const fs::path& root, const fs::path& path, std::vector<Discovered>& found) {
  if (!is_program(path)) return;
  const std::string inside = path.lexically_relative(root).string();
  for (const auto& [flag, adapter] :
       {std::pair{"benchmark_list_tests", "gbench"}, {"benchmark-no-analysis", "catch2"}}) {
    if (!holds(path.string(), flag)) continue;
    found.push_back({name_for(path.filename().string(), found), adapter, "./" + inside,
                     build_of(root, path), "", fmt::format("{} has the flag --{}", inside, flag)});
    return;
  }
}

// Packages of Go with benchmarks: one program each, made by `go test -c`.
void look_at_go(const fs::path& root, const fs::path& path, std::set<fs::path>& packages) {
  if (!path.filename().string().ends_with("_test.go")) return;
  if (text_of(path).find("\nfunc Benchmark") == std::string::npos) return;
  packages.insert(path.parent_path().lexically_relative(root));
}

// Tests in Python with the fixture of pytest-benchmark.
bool uses_pytest_benchmark(const fs::path& path) {
  const std::string name = path.filename().string();
  if (path.extension() != ".py" || (!name.starts_with("test_") && !name.ends_with("_test.py"))) {
    return false;
  }
  const std::string text = text_of(path);
  return text.find("(benchmark)") != std::string::npos ||
         text.find("(benchmark,") != std::string::npos ||
         text.find(", benchmark)") != std::string::npos ||
         text.find(", benchmark,") != std::string::npos;
}

void walk(const fs::path& root, const std::function<void(const fs::path&)>& visit) {
  std::error_code error;
  int seen = 0;
  fs::recursive_directory_iterator it(root, fs::directory_options::skip_permission_denied, error);
  for (const fs::recursive_directory_iterator end; !error && it != end && seen < kMostFiles;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code unknown;
    if (it->is_directory(unknown)) {
      if (name.starts_with(".") || name == "node_modules" || name == "CMakeFiles") {
        it.disable_recursion_pending();
      }
      continue;
    }
    if (!it->is_regular_file(unknown) || it->is_symlink(unknown)) continue;
    ++seen;
    visit(it->path());
  }
}

void add_go(const std::set<fs::path>& packages, std::vector<Discovered>& found) {
  for (const fs::path& package : packages) {
    const std::string inside = package.string();
    const std::string name = name_for(inside == "." ? "go" : package.filename().string(), found);
    found.push_back({name, "go", fmt::format("./{}.test", name),
                     fmt::format("go test -c -o {}.test .", name), inside == "." ? "" : inside,
                     fmt::format("{} has functions Benchmark...", inside)});
  }
}

std::string comment_of(const Discovered& one) {
  std::string text = fmt::format("\n# {}.\n[[programs]]\nname = \"{}\"\nadapter = \"{}\"\n",
                                 one.why, one.name, one.adapter);
  const bool words = one.adapter == "pytest" || one.run.find(' ') == std::string::npos;
  text += words ? fmt::format("run = \"{}\"\n", one.run) : fmt::format("run = [\"{}\"]\n", one.run);
  if (!one.folder.empty()) text += fmt::format("folder = \"{}\"\n", one.folder);
  text +=
      one.build.empty()
          ? "# build = [\"make bench\"]  # what makes it of a checkout: for gates of revisions\n"
          : fmt::format("build = [\"{}\"]\n", one.build);
  return text;
}

}  // namespace

std::vector<Discovered> discover(const std::string& folder) {
  const fs::path root = fs::absolute(folder).lexically_normal();
  std::vector<Discovered> found;
  std::set<fs::path> packages;
  std::string tests;
  walk(root, [&](const fs::path& path) {
    look_at_program(root, path, found);
    look_at_go(root, path, packages);
    if (tests.empty() && uses_pytest_benchmark(path)) {
      tests = path.lexically_relative(root).string();
    }
  });
  add_go(packages, found);
  if (!tests.empty()) {
    found.push_back({name_for("tests", found), "pytest", "python3 -m pytest", "", "",
                     tests + " uses the fixture of pytest-benchmark"});
  }
  std::sort(found.begin(), found.end(),
            [](const Discovered& a, const Discovered& b) { return a.name < b.name; });
  return found;
}

std::string starting_toml(const std::vector<Discovered>& found) {
  std::string text =
      "# What nsop measures here (see `nsop --help`); flags and environment variables come first.\n"
      "#\n"
      "#   nsop run                          measures all of it and stores every sample\n"
      "#   nsop gate --base main             compares revisions, alternately, and judges\n"
      "#   nsop gate --base DIR --head DIR   the same of two folders with built programs\n"
      "#   nsop check                        measures a night and looks for what changed\n"
      "\n"
      "# db = \"nsop.db\"  # where samples are kept\n";
  for (const Discovered& one : found) text += comment_of(one);
  if (found.empty()) {
    text +=
        "\n# Nothing was found. For example:\n"
        "# [[programs]]\n# name = \"bench\"\n"
        "# adapter = \"gbench\"  # or catch2, nanobench, go, pytest, command\n"
        "# run = \"./build/bench\"\n"
        "# build = [\"cmake -B build\", \"cmake --build build\"]\n";
  }
  text +=
      "\n# Of a program there may also be: folder = \"where/it/runs\", cases = [\"BM_*\"],\n"
      "# threads = 2, and of the adapter command: parameters = { size = [\"1M\", \"1G\"] } for\n"
      "# \"{size}\" in run, prepare, conclude, exit_statuses = [0], compare = \"stdout\".\n";
  return text;
}

}  // namespace nsop::adapters
