// Replays recorded conversations against a server: for tests.
//
// One line per request: {"send": REQUEST or text, "expect": part of the answer}. `$DIR` stands for
// the scratch folder. Every field of `expect` must be in the answer and fit: objects by their
// fields, lists element by element (of things with a name: by name, so that they may grow),
// `"<text>"`, `"<integer>"`, `"<number>"`, `"<list>"`,
// `"<object>"` any value of that type, anything else equal.
#pragma once

#include <string>

#include "harness/core/io/json.h"
#include "harness/worker/server.h"

namespace nsop::worker {

// Where `got` doesn't fit `expected`, as `path: reason`; empty when it does.
std::string misfit(const Json& expected, const Json& got, const std::string& path = "answer");

// Replays a file and returns `file:line: reason` per line that doesn't fit. Adds the number of
// lines to `replayed`. Throws Error when the file can't be read.
std::string replay(Server& server, const std::string& file, const std::string& dir, int& replayed);

}  // namespace nsop::worker
