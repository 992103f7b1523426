// What a file says, for messages.
#pragma once

#include <cstddef>
#include <string>

#include "harness/core/io/json.h"

namespace nsop::layers {

// At most so many bytes of a text, in quotes, as one line of printable ASCII.
inline std::string quoted(const std::string& text, size_t longest = 200) {
  return Json(text.substr(0, longest)).dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace nsop::layers
