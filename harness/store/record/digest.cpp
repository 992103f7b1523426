#include "harness/store/record/digest.h"

#include <fmt/format.h>

#include <iterator>

#include "harness/core/hash.h"

namespace nsop::store {

std::string run_digest(const RunRecord& record) {
  std::vector<std::string> invocations;
  for (const InvocationRecord& one : record.invocations)
    invocations.push_back(sha256_hex(one.body));
  return run_digest(record, invocations);
}

std::string run_digest(const RunRecord& record, const std::vector<std::string>& invocations) {
  std::string text = "nsop.digest/1\n";
  auto out = std::back_inserter(text);
  fmt::format_to(out, "run {}\nstate {}\nended {}\nhost {}\n", sha256_hex(record.body),
                 record.state, record.ended_utc, sha256_hex(record.host));
  for (const auto& [id, body] : record.builds) fmt::format_to(out, "build {}\n", sha256_hex(body));
  for (const std::string& one : invocations) fmt::format_to(out, "invocation {}\n", one);
  return sha256_hex(text);
}

}  // namespace nsop::store
