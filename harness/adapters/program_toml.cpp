#include "harness/adapters/program_toml.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "harness/adapters/adapter.h"
#include "harness/core/suite/toml_reader.h"
#include "harness/core/text.h"

namespace nsop::adapters {
namespace {

constexpr int kMostStatus = 255;

namespace fs = std::filesystem;

// A command as a list of words, or as one text of words without quotes.
std::vector<std::string> command_of(TomlReader& reader, const char* key, const std::string& where) {
  std::vector<std::string> words = reader.text_or_texts(key);
  if (words.size() != 1 || words[0].find(' ') == std::string::npos) return words;
  if (words[0].find_first_of("\"'\\$|&;<>") != std::string::npos) {
    throw usage_error(fmt::format(
        "{}: {} has signs of a shell, and none is involved: write it as a list of words", where,
        key));
  }
  std::vector<std::string> split_words = split(words[0], ' ');
  std::erase(split_words, "");
  return split_words;
}

// `parameters = { size = ["1M", "1G"] }`, in alphabetical order of their names.
void read_parameters(const toml::table& table, const std::string& path, Program& program) {
  const toml::node* node = table.get("parameters");
  if (node == nullptr) return;
  if (!node->is_table()) {
    throw toml_error(path, *node, "expected parameters = { name = [\"value\", ...] }");
  }
  for (const auto& [key, values] : *node->as_table()) {
    std::vector<std::string> texts;
    if (const toml::array* list = values.as_array()) {
      for (const toml::node& value : *list) {
        if (const auto text = value.value<std::string>()) texts.push_back(*text);
      }
      if (texts.size() != list->size()) texts.clear();
    }
    if (texts.empty()) {
      throw toml_error(path, values, fmt::format("expected {} = [\"value\", ...]", key.str()));
    }
    program.parameters.emplace_back(std::string(key.str()), std::move(texts));
  }
}

Program program_of(const toml::table& table, const std::string& path) {
  const std::string line = fmt::format("{}:{}", path, table.source().begin.line);
  TomlReader reader(table, "[[programs]]", path);
  Program program;
  program.name = reader.text("name", true);
  if (!is_program_name(program.name)) {
    throw usage_error(fmt::format(
        "{}: '{}' can't be a program's name: expected letters, digits, _, - and ., a letter first",
        reader.where("name"), program.name));
  }
  program.adapter = reader.text("adapter", true);
  try {
    adapter_named(program.adapter);
  } catch (const Error& error) {
    throw usage_error(fmt::format("{}: {}", reader.where("adapter"), error.what()));
  }
  program.run = command_of(reader, "run", line);
  if (program.run.empty()) throw usage_error(line + ": [[programs]] needs run = \"PROGRAM ...\"");
  program.build = reader.text_or_texts("build");
  program.folder = reader.text("folder");
  program.cases = reader.text_or_texts("cases");
  program.threads = reader.integer("threads", 1, kMostThreads, 1);
  program.compare = reader.text("compare");
  if (!program.compare.empty() && (program.compare != "stdout" || program.adapter != "command")) {
    throw usage_error(fmt::format("{}: compare: only \"stdout\" of the adapter command",
                                  reader.where("compare")));
  }
  program.prepare = command_of(reader, "prepare", line);
  program.conclude = command_of(reader, "conclude", line);
  program.exit_statuses = reader.integers("exit_statuses", 0, kMostStatus, {0});
  read_parameters(table, path, program);
  reader.known("parameters");
  reader.finish();
  return program;
}

}  // namespace

bool is_program_name(const std::string& name) {
  constexpr size_t kMost = 64;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !name.empty() && name.size() <= kMost && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
         });
}

std::vector<Program> programs_of(const toml::table& table, const std::string& path) {
  std::vector<Program> programs;
  const toml::node* node = table.get("programs");
  if (node == nullptr) return programs;
  if (!node->is_array_of_tables()) throw toml_error(path, *node, "expected [[programs]]");
  const std::string root = fs::absolute(path).parent_path().string();
  std::set<std::string> names;
  for (const toml::node& one : *node->as_array()) {
    Program program = program_of(*one.as_table(), path);
    if (!names.insert(program.name).second) {
      throw toml_error(path, one, fmt::format("a second program '{}'", program.name));
    }
    program.folder = (fs::path(root) / program.folder).lexically_normal().string();
    programs.push_back(std::move(program));
  }
  return programs;
}

Program program_at(const std::string& path, const std::string& adapter, const std::string& name) {
  adapter_named(adapter);
  if (access(path.c_str(), X_OK) != 0 || fs::is_directory(path)) {
    throw usage_error(fmt::format("{}: no program there; expected one that can be started", path));
  }
  Program program;
  program.name = name.empty() ? fs::path(path).filename().string() : name;
  if (!is_program_name(program.name)) {
    throw usage_error(
        fmt::format("'{}' can't be a program's name; give another one by --program", program.name));
  }
  program.adapter = adapter;
  program.run = {fs::absolute(path).string()};
  program.folder = fs::current_path().string();
  return program;
}

}  // namespace nsop::adapters
