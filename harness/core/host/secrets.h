// Finds the environment variables that must not be stored or shown.
#pragma once

#include <string_view>

namespace nsop {

// Does an entry of the environment (`NAME=value`, or its name) look like a token, a password or a
// key? Workers and builds are made from what somebody proposes; none of them needs one.
bool is_secret(std::string_view entry);

}  // namespace nsop
