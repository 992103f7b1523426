// How a peer that was not there is told from one that can't do a case.
#pragma once

#include <string>
#include <string_view>

namespace nsop {

// The reason of a row `unsupported` begins so when its peer could not be asked: it is not
// installed, or its worker doesn't start.
constexpr std::string_view kMissingPeer = "peer ";

inline bool says_missing_peer(std::string_view reason) { return reason.starts_with(kMissingPeer); }

}  // namespace nsop
