// The verbs of the protocol (docs/protocol.md) over registered ops and variants.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "harness/core/io/json.h"
#include "harness/worker/allocs/alloc_counter.h"
#include "harness/worker/protocol/conversation.h"
#include "harness/worker/row.h"

namespace nsop::worker {

// What a server takes from its process; replaceable in tests.
struct Surroundings {
  std::string program = "nsop-worker";
  std::optional<AllocHook> hook;             // of the counting preload
  std::function<int64_t()> available_bytes;  // memory that can be had now; 0: unknown
  static Surroundings of_this_process(std::string program);
};

class Server : public Conversation {
 public:
  // A hook whose canary fails is dropped, with a line on stderr: no number rather than a wrong one.
  explicit Server(Surroundings surroundings);

 protected:
  Json answer(const std::string& verb, const Json& request) override;

 private:
  Json hello() const;
  Json describe(const Json& request) const;
  Json reference(const Json& request) const;
  Json load(const Json& request);
  Json measure_row(const Json& request);
  Json allocs(const Json& request);
  Json dump(const Json& request);
  Row& loaded();
  void check_memory(const Op& op, const Case& op_case) const;

  Surroundings surroundings_;
  std::unique_ptr<Row> row_;
};

}  // namespace nsop::worker
