// The list of verbs and the documents say the same.
#include "harness/cli/verbs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "harness/core/files.h"

namespace nsop::cli {
namespace {

// The words after `nsop` in code of the text: in backticks or as a program of a build.
std::set<std::string> verbs_named_in(const std::string& text) {
  std::set<std::string> found;
  for (const std::string program : {"`nsop ", "bin/nsop "}) {
    for (size_t at = text.find(program); at != std::string::npos; at = text.find(program, at + 1)) {
      const size_t begin = at + program.size();
      const size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", begin);
      const std::string word = text.substr(begin, end - begin);
      if (!word.empty() && word[0] != '-') found.insert(word);
    }
  }
  return found;
}

std::map<std::string, std::string> documents() {
  namespace fs = std::filesystem;
  const fs::path root = NSOP_SOURCE_DIR;
  std::map<std::string, std::string> texts;
  for (const char* name : {"README.md", "CONTRIBUTING.md"}) {
    texts[name] = read_file((root / name).string());
  }
  for (const auto& entry : fs::directory_iterator(root / "docs")) {
    if (entry.path().extension() != ".md") continue;
    texts["docs/" + entry.path().filename().string()] = read_file(entry.path().string());
  }
  return texts;
}

TEST(Verbs, EachIsNamedOnceAndInOneLine) {
  std::set<std::string> names;
  for (const Verb& verb : kVerbs) {
    EXPECT_TRUE(names.insert(verb.name).second) << verb.name;
    EXPECT_EQ(std::string(verb.help).find('\n'), std::string::npos) << verb.name;
  }
}

TEST(Verbs, DocumentsNameNoneThatThereIsNot) {
  std::set<std::string> known;
  for (const Verb& verb : kVerbs) known.insert(verb.name);
  for (const auto& [name, text] : documents()) {
    for (const std::string& verb : verbs_named_in(text)) {
      EXPECT_TRUE(known.contains(verb)) << name << " names `nsop " << verb << "`";
    }
  }
}

TEST(Verbs, EachIsDescribedInADocument) {
  std::set<std::string> described;
  for (const auto& [name, text] : documents()) described.merge(verbs_named_in(text));
  for (const Verb& verb : kVerbs) {
    EXPECT_TRUE(described.contains(verb.name))
        << "no document says what `nsop " << verb.name << "` does";
  }
}

TEST(Verbs, AreFoundInCodeOnly) {
  EXPECT_THAT(verbs_named_in("nsop measures; `nsop run X` and build/bin/nsop --json list"),
              testing::ElementsAre("run"));
}

}  // namespace
}  // namespace nsop::cli
