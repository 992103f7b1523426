// Names of benchmarks as values of a case line.
#pragma once

#include <string>
#include <string_view>

namespace nsop::adapters {

// Letters, digits and the signs that neither cases, nor selectors, nor patterns are made of stay;
// every other byte becomes `%XX` (RFC 3986, 2.1): `BM_Copy<int>/8` is `BM_Copy%3Cint%3E/8`. Never
// empty for a name that isn't.
std::string encoded(std::string_view name);

// The name again. Throws Error (usage) for a text that encoded() never writes.
std::string decoded(std::string_view text);

}  // namespace nsop::adapters
