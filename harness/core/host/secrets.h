// Finds the environment variables that must not be stored or shown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nsop {

// Does an entry of the environment (`NAME=value`, or its name) look like a token, a password or a
// key? Workers and builds are made from what somebody proposes; none of them needs one.
bool is_secret(std::string_view entry);

// The names of those that this process has.
std::vector<std::string> secrets_of_environment();

}  // namespace nsop
