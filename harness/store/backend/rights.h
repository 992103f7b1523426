// Who may do what with a history on a server.
#pragma once

#include <string>

namespace nsop::store {

// Each has those before it.
//   kReader      sees everything
//   kContributor adds runs of pull requests (trust `pr`), no others, and ends them
//   kWriter      adds any run, events of alerts, and sets baselines
//   kAdmin       removes runs
// Nobody but the owner of the tables changes what a run measured, or the schema.
enum class Rights { kReader, kContributor, kWriter, kAdmin };

// `reader`, `contributor`, `writer`, `admin`; throws Error (usage) for another word.
Rights rights_from_text(const std::string& text);

// Gives a role of the server these rights; its others of this list end. Makes the roles
// nsop_reader, nsop_contributor, nsop_writer and nsop_admin where they are missing. Throws Error
// (usage) for a file and for a role that isn't there, Error (environment) for a user who may not do
// that.
void grant_rights(const std::string& address, Rights rights, const std::string& role);

}  // namespace nsop::store
