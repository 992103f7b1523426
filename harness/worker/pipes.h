// JSON lines over two file descriptors.
#pragma once

#include "harness/worker/server.h"

namespace nsop::worker {

// Answers every line that arrives on `in` until `quit` or the end of file. A line beyond 1 MiB is
// answered as a bad request and skipped. Returns the exit status: 0, also when the other side has
// gone; 5 when reading or writing fails otherwise.
int serve(Server& server, int in, int out);

}  // namespace nsop::worker
