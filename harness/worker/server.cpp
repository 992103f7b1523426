#include "harness/worker/server.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "harness/core/host/host.h"
#include "harness/worker/protocol/request.h"

namespace nsop::worker {
Surroundings Surroundings::of_this_process(std::string program) {
  return {std::move(program), find_alloc_hook(),
          [] { return read_conditions().memory_available_bytes; }};
}

Server::Server(Surroundings surroundings) : surroundings_(std::move(surroundings)) {
  if (!surroundings_.hook) return;
  const std::string failure = canary_failure(*surroundings_.hook);
  if (failure.empty()) return;
  fmt::print(stderr, "{}: allocations can't be counted: the canary {}\n", surroundings_.program,
             failure);
  surroundings_.hook.reset();
}

Json Server::answer(const std::string& verb, const Json& request) {
  if (verb == "hello") return hello();
  if (verb == "describe") return describe(request);
  if (verb == "reference") return reference(request);
  if (verb == "load") return load(request);
  if (verb == "measure") return measure_row(request);
  if (verb == "allocs") return allocs(request);
  if (verb == "dump") return dump(request);
  throw Refusal("bad_request", fmt::format("unknown verb '{}'", verb));
}

}  // namespace nsop::worker
