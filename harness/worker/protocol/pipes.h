// JSON lines over two file descriptors.
#pragma once

#include <string_view>
#include <utility>

#include "harness/worker/protocol/conversation.h"

namespace nsop::worker {

// Answers every line that arrives on `in` until `quit` or the end of file. A line beyond 1 MiB is
// answered as a bad request and skipped. Returns the exit status: 0, also when the other side has
// gone; 5 when reading or writing fails otherwise.
int serve(Conversation& conversation, int in, int out);

// `IN,OUT`, the numbers of two open file descriptors. Throws Error (usage) for anything else.
std::pair<int, int> parse_pipes(std::string_view text);

}  // namespace nsop::worker
