// What changed in a release, from a changelog in the form of Keep a Changelog
// (https://keepachangelog.com).
#pragma once

#include <string>
#include <vector>

namespace nsop::report {

// The list items under the heading `## [NAME] - DATE` (or `## NAME`) of this release, one line
// each, with the subheading that they stand under: `Added: ...`. A `v` before a version doesn't
// matter; `Unreleased` is a name like others. Empty when there is no such heading.
std::vector<std::string> changes_of(const std::string& changelog, const std::string& release);

}  // namespace nsop::report
