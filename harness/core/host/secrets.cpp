#include "harness/core/host/secrets.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>

namespace nsop {

// By custom, and what the runners of GitHub and GitLab hand to jobs.
bool is_secret(std::string_view entry) {
  std::string name(entry.substr(0, entry.find('=')));
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (name.starts_with("ACTIONS_") || name.starts_with("CI_JOB_JWT")) return true;
  constexpr std::string_view kSigns[] = {"TOKEN",       "SECRET",       "PASSWORD", "PASSWD",
                                         "CREDENTIAL",  "APIKEY",       "API_KEY",  "ACCESS_KEY",
                                         "PRIVATE_KEY", "SSH_AUTH_SOCK"};
  return std::any_of(std::begin(kSigns), std::end(kSigns),
                     [&](std::string_view sign) { return name.find(sign) != std::string::npos; });
}

}  // namespace nsop
