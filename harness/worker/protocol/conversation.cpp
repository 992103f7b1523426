#include "harness/worker/protocol/conversation.h"

#include <new>

#include "harness/core/error.h"
#include "harness/worker/protocol/request.h"

namespace nsop::worker {
namespace {

Json refusal(const std::string& code, const std::string& message) {
  return {{"ok", false}, {"error", {{"code", code}, {"message", message}}}};
}

}  // namespace

Json Conversation::handle(const Json& request) {
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

std::string Conversation::handle_line(std::string_view line) {
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

Json Conversation::dispatch(const Json& request) {
  if (!request.is_object()) throw Refusal("bad_request", "a request is a JSON object");
  integer_field(request, "id", {});
  const std::string verb = text_field(request, "do");
  if (verb != "quit") return answer(verb, request);
  finished_ = true;
  return Json::object();
}

}  // namespace nsop::worker
