#include "harness/worker/server.h"

#include <fmt/format.h>

#include <cstdio>
#include <new>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/host/host.h"
#include "harness/worker/request.h"

namespace nsop::worker {
namespace {

Json refusal(const std::string& code, const std::string& message) {
  return {{"ok", false}, {"error", {{"code", code}, {"message", message}}}};
}

}  // namespace

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

Json Server::handle(const Json& request) {
  Json answer;
  try {
    answer = dispatch(request);
  } catch (const Refusal& e) {
    answer = refusal(e.code(), e.what());
  } catch (const Error& e) {
    answer = refusal(e.code() == ExitCode::kUsage ? "bad_request" : "failed", e.what());
  } catch (const std::bad_alloc&) {
    answer = refusal("failed", "out of memory");
  } catch (const std::exception& e) {
    answer = refusal("failed", e.what());
  }
  Json whole = {{"id", nullptr}};
  if (request.is_object() && request.contains("id")) whole["id"] = request["id"];
  if (!answer.contains("ok")) whole["ok"] = true;
  whole.update(answer);
  return whole;
}

std::string Server::handle_line(std::string_view line) {
  Json answer;
  try {
    answer = handle(parse_json(std::string(line), "request"));
  } catch (const std::exception& e) {
    answer = {{"id", nullptr}};
    answer.update(refusal("bad_request", e.what()));
  }
  // Bytes that are no UTF-8 may come back in a message; they must not end the worker.
  return answer.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json Server::dispatch(const Json& request) {
  if (!request.is_object()) throw Refusal("bad_request", "a request is a JSON object");
  integer_field(request, "id", {});
  const std::string verb = text_field(request, "do");
  if (verb == "hello") return hello();
  if (verb == "describe") return describe(request);
  if (verb == "reference") return reference(request);
  if (verb == "load") return load(request);
  if (verb == "measure") return measure_row(request);
  if (verb == "allocs") return allocs(request);
  if (verb == "dump") return dump(request);
  if (verb == "quit") return quit();
  throw Refusal("bad_request", fmt::format("unknown verb '{}'", verb));
}

Json Server::quit() {
  finished_ = true;
  return Json::object();
}

}  // namespace nsop::worker
