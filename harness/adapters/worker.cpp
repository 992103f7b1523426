// Workers, an adapter of adapter.h: they speak the protocol, so that nsop starts them itself and
// nothing is left to adapt.
#include <fmt/format.h>

#include "harness/adapters/adapter.h"
#include "harness/core/error.h"

namespace nsop::adapters {
namespace {

Error not_adapted(const Program& program) {
  return usage_error(
      fmt::format("{} is a worker (adapter nsop): it is measured by itself, not beside other "
                  "programs; choose it by --program",
                  program.name));
}

class Worker : public Adapter {
 public:
  std::string engine() const override { return "nsop, of the program"; }
  Listing list(const Program& program, const std::string&) const override {
    throw not_adapted(program);
  }
  Timed time(const Program& program, const TimeRequest&, const std::string&) const override {
    throw not_adapted(program);
  }
};

}  // namespace

const Adapter& worker_adapter() {
  static const Worker adapter;
  return adapter;
}

}  // namespace nsop::adapters
