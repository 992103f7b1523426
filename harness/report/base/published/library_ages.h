// How old the libraries are that reports compare with.
#pragma once

#include <string>

namespace nsop::report {

// `2022-12`: the month in which Debian first packaged that version of a peer (`eigen`,
// `3.4.0-AVX512`), in experimental, too; empty where it is not known. Source: the changelogs of the
// packages that reference/peers names, /usr/share/doc/PACKAGE/changelog.Debian.gz.
std::string month_of_library(const std::string& peer, const std::string& version);

}  // namespace nsop::report
