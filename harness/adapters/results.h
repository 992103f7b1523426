// What a program wrote of its benchmarks, read as an import of that file would read it.
#pragma once

#include <string>

#include "harness/adapters/adapter.h"
#include "harness/foreign/read.h"

namespace nsop::adapters {

enum class Clock { kCpu, kWall };  // by which a benchmark is judged

// The file at the path, in this format of harness/foreign/import/formats.h. Throws Error (failed)
// where there is none or it is empty: `what` says whose and of what; (bad data) for one that is no
// complete file of that format.
foreign::ForeignRead read_results(const std::string& path, const std::string& format,
                                  const std::string& what);

// All benchmarks of the file, as foreign::display_name() calls them.
Listing listed_in(const foreign::ForeignRead& results);

// The repetitions of this benchmark. Throws Error: (failed) where it failed or isn't there,
// (inconclusive) where it skipped itself, (bad data) where nothing of it is a time.
Timed timed_in(const foreign::ForeignRead& results, const std::string& name, Clock clock);

}  // namespace nsop::adapters
