// nsop-releases.toml: which commit each release of a project is, oldest first: its tracking log.
//
//   [[release]]
//   name = "0.1.0"          # as CHANGELOG.md heads its changes
//   commit = "1a2b3c4d"     # at least seven hexadecimal digits
#pragma once

#include <string>
#include <vector>

namespace nsop {

constexpr const char* kReleasesFile = "nsop-releases.toml";

struct NamedCommit {
  std::string name;
  std::string commit;  // a prefix of its full name
};

// In the order of the file. Throws Error (usage) with `file:line: ...`: not TOML, unknown or
// missing key, wrong type, no commit, a name or a commit that is there twice.
std::vector<NamedCommit> parse_releases(const std::string& text, const std::string& path);
// The same from a file; nothing when there is no such file.
std::vector<NamedCommit> load_releases(const std::string& path);

}  // namespace nsop
