// What the peers have in common: from a library's calls to a registered variant.
//
// A peer answers the same question as every other variant: the same inputs, outputs in the caller's
// memory, everything that derives from the inputs (reordering, transforming weights) inside run().
// Only the set-up that the library's interface keeps apart (creating primitives, generating code)
// happens in prepare. What a peer can't do is said by Variant::unsupported.
#pragma once

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/registry.h"

namespace nsop::reference::peers {

// A step whose outputs are the caller's tensors and whose work is `run()`.
template <class Run>
class CallStep : public Step {
 public:
  CallStep(const StepRequest& request, std::string chose, size_t workspace_bytes, Run run)
      : run_(std::move(run)), chose_(std::move(chose)), workspace_bytes_(workspace_bytes) {
    for (Tensor& tensor : request.outputs) outputs_.push_back(tensor.data());
  }
  void run() override { run_(); }
  std::span<const float> output(size_t i) const override { return outputs_[i]; }
  std::string chose() const override { return chose_; }
  size_t workspace_bytes() const override { return workspace_bytes_; }

 private:
  Run run_;
  std::string chose_;
  size_t workspace_bytes_;
  std::vector<std::span<float>> outputs_;
};

template <class Run>
std::unique_ptr<Step> call_step(const StepRequest& request, std::string chose,
                                size_t workspace_bytes, Run run) {
  return std::make_unique<CallStep<Run>>(request, std::move(chose), workspace_bytes,
                                         std::move(run));
}

// The targets of a library: its versions, `2.6.3`. In a process that is held to an instruction set
// (NSOP_PEER_ISA, beside the library's own variable) `2.6.3-AVX2`, if the library says that it runs
// on that; none if it doesn't.
inline std::vector<std::string> held_targets(std::vector<std::string> versions,
                                             const std::string& runs_on) {
  const char* const isa = std::getenv("NSOP_PEER_ISA");
  if (isa == nullptr) return versions;
  if (runs_on != isa) return {};
  for (std::string& version : versions) version += std::string("-") + isa;
  return versions;
}

// A row of role peer; its targets are the library's versions, or those of held_targets().
inline Variant peer_variant(std::string op, std::string name, std::string summary,
                            std::function<std::vector<std::string>()> targets,
                            std::function<std::string(const Case&, int)> unsupported,
                            std::function<std::unique_ptr<Step>(const StepRequest&)> prepare) {
  Variant variant;
  variant.op = std::move(op);
  variant.name = std::move(name);
  variant.role = Role::kPeer;
  variant.summary = std::move(summary);
  variant.targets = std::move(targets);
  variant.unsupported = std::move(unsupported);
  variant.prepare = std::move(prepare);
  return variant;
}

inline std::string supports_everything(const Case& /*op_case*/, int /*threads*/) { return {}; }

}  // namespace nsop::reference::peers
