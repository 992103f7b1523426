// Which machine code the rows of a built worker run, as hashes that two builds can be compared by.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/core/sample.h"

namespace nsop::judge {

// Hash of all code that a row can run, by `op variant`: the objects that registered the op and the
// variant, the measuring engine, and whatever these refer to. What can't be told for sure is left
// out.
using RowCode = std::map<std::string, std::string>;

// The objects that Ninja links into the worker of a build folder, relative to it; none for another
// build tool. Files of sources that are gone lie in the folder, too, so looking there is not
// enough.
std::vector<std::string> linked_objects(const std::string& build);

// Of the worker that was built there last. Nothing for a worker that can't say where its rows come
// from, and for objects that nsop can't read.
RowCode row_code_of(const std::string& build, const std::string& worker);

// Do both know the row's code, and is it the same?
bool same_code(const RowKey& row, const RowCode& a, const RowCode& b);

std::string row_code_text(const RowCode& code);
// Throws Error (bad data).
RowCode parse_row_code(const std::string& text);

}  // namespace nsop::judge
