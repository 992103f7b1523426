// The worker's side of the protocol (docs/protocol.md) without its verbs: one request in, one
// answer out.
#pragma once

#include <string>
#include <string_view>

#include "harness/core/io/json.h"

namespace nsop::worker {

class Conversation {
 public:
  virtual ~Conversation() = default;

  // Never throws: whatever goes wrong is an answer with `"ok": false`.
  Json handle(const Json& request);
  // The same for one line of text; the answer has no line break.
  std::string handle_line(std::string_view line);

  bool finished() const { return finished_; }  // `quit` was answered

 protected:
  // The answer to a verb, without `id` and `ok`. Throws Refusal, or Error, of which a usage error
  // is a bad request. `quit` is answered here.
  virtual Json answer(const std::string& verb, const Json& request) = 0;

 private:
  Json dispatch(const Json& request);

  bool finished_ = false;
};

}  // namespace nsop::worker
