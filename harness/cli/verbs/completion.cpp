// nsop completion, a verb (verbs.h): a script by which a shell completes verbs and flags.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "harness/cli/verbs.h"
#include "harness/core/text.h"

namespace nsop::cli {
namespace {

struct CompletionOptions {
  std::string shell;
};

// What may follow each verb, by its words: `` for nsop itself, `baseline set`,
// ...
using Following = std::map<std::string, std::vector<std::string>>;

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    for (const std::string& name : option->get_snames()) flags.push_back("-" + name);
  }
  return flags;
}

void collect(const CLI::App& app, const std::string& path, const std::vector<std::string>& always,
             Following& following) {
  std::vector<std::string> words;
  for (const CLI::App* verb : app.get_subcommands(nullptr)) {
    words.push_back(verb->get_name());
    collect(*verb, path.empty() ? verb->get_name() : path + " " + verb->get_name(), always,
            following);
  }
  for (const std::string& flag : flags_of(app)) words.push_back(flag);
  for (const std::string& flag : always) {  // options of nsop are taken by every verb
    if (std::find(words.begin(), words.end(), flag) == words.end()) words.push_back(flag);
  }
  following[path] = std::move(words);
}

std::string quoted_list(const std::vector<std::string>& words) {
  return "'" + join(words, " ") + "'";
}

// Common to both shells: from the words before the cursor to what may follow.
std::string body(const Following& following) {
  std::string verbs;
  std::string cases;
  for (const auto& [path, words] : following) {
    if (!path.empty()) verbs += (verbs.empty() ? "'" : "|'") + path + "'";
    cases += fmt::format("    '{}') candidates={} ;;\n", path, quoted_list(words));
  }
  return fmt::format(
      "    case \"${{verb:+$verb }}$word\" in\n"
      "      {}) verb=\"${{verb:+$verb }}$word\" ;;\n"
      "    esac\n"
      "  done\n"
      "  case \"$verb\" in\n{}  esac\n",
      verbs, cases);
}

// Where nothing of ours fits, both complete names of files.
std::string bash_script(const Following& following) {
  return "# bash completion of nsop; source it\n"
         "_nsop() {\n"
         "  local verb='' candidates='' word\n"
         "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n" +
         body(following) +
         "  COMPREPLY=($(compgen -W \"$candidates\" -- "
         "\"${COMP_WORDS[COMP_CWORD]}\"))\n"
         "}\n"
         "complete -o default -F _nsop nsop\n";
}

std::string zsh_script(const Following& following) {
  return "#compdef nsop\n"
         "_nsop() {\n"
         "  local verb='' candidates='' word\n"
         "  for word in \"${(@)words[2,CURRENT-1]}\"; do\n" +
         body(following) +
         "  compadd -- ${=candidates}\n"
         "  _files\n"
         "}\n"
         "compdef _nsop nsop\n";
}

}  // namespace

void bind_completion(CLI::App& verb, Context& context) {
  bind_verb<CompletionOptions>(
      verb, context,
      [](CLI::App& v, CompletionOptions& o) {
        v.add_option("shell", o.shell, "bash or zsh")
            ->required()
            ->check(CLI::IsMember({"bash", "zsh"}));
      },
      [&verb](Context& c, const CompletionOptions& o) {
        const CLI::App& nsop = *verb.get_parent();
        Following following;
        collect(nsop, "", flags_of(nsop), following);
        c.out << (o.shell == "bash" ? bash_script(following) : zsh_script(following));
        return ExitCode::kOk;
      });
}

}  // namespace nsop::cli
