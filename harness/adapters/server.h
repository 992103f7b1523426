// The verbs of the protocol (docs/protocol.md) over programs of somebody else's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/adapters/adapter.h"
#include "harness/worker/protocol/conversation.h"

namespace nsop::adapters {

// Each program is an op, `PROGRAM name=BENCHMARK`, and its adapter the only variant. Names are
// percent-encoded (harness/foreign/name.h). A case has no inputs. Its only output, where the
// program is to be compared by what it prints, is the SHA-256 of that: 32 numbers, one per byte.
class Server : public worker::Conversation {
 public:
  // `scratch` is a folder for files of the programs.
  Server(std::vector<Program> programs, std::string scratch);

 protected:
  Json answer(const std::string& verb, const Json& request) override;

 private:
  struct Row {
    const Program* program = nullptr;
    std::string name;
    int64_t step_ns = 0, repetition_ns = 0;
    std::string chose;
    std::string printed;  // when it was loaded, if it is compared by that
  };

  const std::vector<Listing>& listings();  // of every program, asked once
  Json hello();
  Json describe(const Json& request);
  Json reference(const Json& request) const;
  Json load(const Json& request);
  void load_by_running(Row& row) const;
  Json measure(const Json& request) const;
  Json allocs(const Json& request) const;
  Json dump(const Json& request) const;
  const Program& program_named(const std::string& name) const;
  const Row& loaded() const;

  std::vector<Program> programs_;
  std::string scratch_;
  std::optional<std::vector<Listing>> listings_;
  std::optional<Row> row_;
};

}  // namespace nsop::adapters
