#include "harness/audit/consistency/scripts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "harness/core/text.h"

namespace nsop::audit {
namespace {

constexpr std::array<std::string_view, 8> kInterpreters = {"python", "python3", "bash", "sh",
                                                           "node",   "ruby",    "perl", "Rscript"};
constexpr std::array<std::string_view, 8> kEndings = {".py", ".sh", ".bash", ".js",
                                                      ".ts", ".rb", ".pl",   ".R"};

bool is_script(const std::string& path) {
  static constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/";
  const bool plain = path.find_first_not_of(kPlain) == std::string::npos;
  const bool below = !path.starts_with("/") && path.find("..") == std::string::npos;
  return plain && below && path.find('/') != std::string::npos &&
         std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

// The script that an interpreter is given in the words of a line, or that is run itself.
std::string script_of(const std::string& text) {
  std::vector<std::string> words = split(text, ' ');
  std::erase_if(words, [](const std::string& word) { return trim(word).empty(); });
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with("#")) break;
    if (words[i].starts_with("./") && is_script(words[i])) return words[i].substr(2);
    if (std::find(kInterpreters.begin(), kInterpreters.end(), words[i]) == kInterpreters.end())
      continue;
    while (i + 1 < words.size() && words[i + 1].starts_with("-")) ++i;
    if (i + 1 < words.size() && is_script(words[i + 1])) return words[i + 1];
  }
  return "";
}

}  // namespace

std::vector<Finding> check_scripts(const Document& document, const std::string& root) {
  std::vector<Finding> out;
  for (const CodeLine& code : document.code) {
    const std::string script = script_of(code.text);
    if (script.empty()) continue;
    std::error_code error;
    const bool there = std::filesystem::exists(std::filesystem::path(root) / script, error);
    out.push_back({code.line, there ? Kind::kRight : Kind::kWrong, script,
                   fmt::format("the command runs it; the folder {} {} it", root,
                               there ? "has" : "doesn't have")});
  }
  return out;
}

}  // namespace nsop::audit
