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

struct Candidate {
  std::string word, help;
};

// What may follow each verb, by its words: `` for nsop itself, `baseline set`,
// ...
using Following = std::map<std::string, std::vector<Candidate>>;

std::vector<Candidate> flags_of(const CLI::App& app) {
  std::vector<Candidate> flags;
  for (const CLI::Option* option : app.get_options()) {
    const std::string help = option->get_description();
    for (const std::string& name : option->get_lnames()) flags.push_back({"--" + name, help});
    for (const std::string& name : option->get_snames()) flags.push_back({"-" + name, help});
  }
  return flags;
}

void collect(const CLI::App& app, const std::string& path, const std::vector<Candidate>& always,
             Following& following) {
  std::vector<Candidate> found;
  for (const CLI::App* verb : app.get_subcommands(nullptr)) {
    found.push_back({verb->get_name(), verb->get_description()});
    collect(*verb, path.empty() ? verb->get_name() : path + " " + verb->get_name(), always,
            following);
  }
  for (const Candidate& flag : flags_of(app)) found.push_back(flag);
  for (const Candidate& flag : always) {  // options of nsop are taken by every verb
    const auto same = [&](const Candidate& one) { return one.word == flag.word; };
    if (std::none_of(found.begin(), found.end(), same)) found.push_back(flag);
  }
  following[path] = std::move(found);
}

std::string quoted_list(const std::vector<Candidate>& candidates) {
  std::vector<std::string> words;
  for (const Candidate& one : candidates) words.push_back(one.word);
  return "'" + join(words, " ") + "'";
}

// In single quotes of fish, where only \\ and ' mean something.
std::string fish_text(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '\\' || c == '\'') quoted += '\\';
    quoted += c == '\n' || c == '\t' ? ' ' : c;
  }
  return quoted;
}

// Common to bash and zsh: from the words before the cursor to what may follow.
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

// Sourced, it says what completes nsop; found as _nsop on zsh's path, it is that function's body.
std::string zsh_script(const Following& following) {
  return "#compdef nsop\n"
         "_nsop() {\n"
         "  local verb='' candidates='' word\n"
         "  for word in \"${(@)words[2,CURRENT-1]}\"; do\n" +
         body(following) +
         "  compadd -- ${=candidates}\n"
         "  _files\n"
         "}\n"
         "if [[ ${funcstack[1]} == _nsop ]]; then _nsop \"$@\"; else compdef _nsop nsop; fi\n";
}

std::string fish_script(const Following& following) {
  std::string verbs;
  std::string cases;
  for (const auto& [path, candidates] : following) {
    if (!path.empty()) verbs += " '" + path + "'";
    cases += fmt::format("    case '{}'\n", path);
    for (const Candidate& one : candidates) {
      cases += fmt::format("      echo '{}\t{}'\n", one.word, fish_text(one.help));
    }
  }
  return fmt::format(
      "# fish completion of nsop; source it\n"
      "function __nsop_candidates\n"
      "  set -l verb\n"
      "  for word in (commandline -opc)[2..]\n"
      "    switch (string trim -- \"$verb $word\")\n"
      "      case{}\n"
      "        set verb (string trim -- \"$verb $word\")\n"
      "    end\n"
      "  end\n"
      "  switch \"$verb\"\n{}  end\n"
      "end\n"
      "complete -c nsop -a '(__nsop_candidates)'\n",
      verbs, cases);
}

using Script = std::string (*)(const Following&);
const std::map<std::string, Script> kScripts = {
    {"bash", bash_script}, {"fish", fish_script}, {"zsh", zsh_script}};

}  // namespace

void bind_completion(CLI::App& verb, Context& context) {
  bind_verb<CompletionOptions>(
      verb, context,
      [](CLI::App& v, CompletionOptions& o) {
        v.add_option("shell", o.shell, "bash, fish or zsh")
            ->required()
            ->check(CLI::IsMember({"bash", "fish", "zsh"}));
      },
      [&verb](Context& c, const CompletionOptions& o) {
        const CLI::App& nsop = *verb.get_parent();
        Following following;
        collect(nsop, "", flags_of(nsop), following);
        c.out << kScripts.at(o.shell)(following);
        return ExitCode::kOk;
      });
}

}  // namespace nsop::cli
