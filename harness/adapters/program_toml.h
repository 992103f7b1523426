// `[[programs]]` of nsop.toml.
#pragma once

#include <toml++/toml.h>

#include <string>
#include <vector>

#include "harness/adapters/program.h"

namespace nsop::adapters {

// The programs that a file `path` names, which run in its folder unless they say otherwise. Throws
// Error (usage) with `file:line` for what one does wrong: no name or the name of another one, an
// unknown adapter, no command, an unknown key.
std::vector<Program> programs_of(const toml::table& table, const std::string& path);

// The program at this path, to be asked by this adapter, as the command line names it: its name is
// the file's. Throws Error (usage) for an unknown adapter and where no program is.
Program program_at(const std::string& path, const std::string& adapter, const std::string& name);

// May a program be called so: 1 to 64 letters, digits, `_`, `-` and `.`, a letter first?
bool is_program_name(const std::string& name);

}  // namespace nsop::adapters
