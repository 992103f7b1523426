#include "harness/store/record/sealed.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "harness/core/hash.h"
#include "harness/store/record/digest.h"
#include "harness/store/record/limits.h"

namespace nsop::store {
namespace {

bool comes_before(const Invocation& a, const Invocation& b) {
  const auto place = [](const Invocation& i) {
    return std::make_tuple(i.session, i.round, i.slot, i.phase != Phase::kCount);
  };
  return place(a) < place(b);
}

}  // namespace

std::string uuid_of(const std::string& text) {
  std::string hex = sha256_hex(text).substr(0, 32);
  hex[12] = '8';
  hex[16] = "89ab"[static_cast<size_t>(hex[16] % 4)];
  return fmt::format("{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4),
                     hex.substr(16, 4), hex.substr(20));
}

RunRecord sealed_record(Run& run, const Host& host, const Build& build,
                        std::vector<Invocation> invocations) {
  for (size_t i = 0; i < invocations.size(); ++i) {
    Invocation& one = invocations[i];
    if (one.id.empty()) one.id = uuid_of(fmt::format("{}\n{}", run.id, i));
    if (one.run_id.empty()) one.run_id = run.id;
  }
  std::stable_sort(invocations.begin(), invocations.end(), comes_before);
  run.invocations_planned = static_cast<int64_t>(invocations.size());
  RunRecord record;
  record.body = pack_run(run);
  record.state = run_state_text(run.state);
  record.ended_utc = run.ended_utc;
  record.host = body_text(to_json(host));
  // What no invocation names isn't stored with the run.
  if (!invocations.empty()) record.builds[build.id] = body_text(to_json(build));
  record.invocations.reserve(invocations.size());
  for (Invocation& one : invocations) {
    check_invocation(one);
    record.invocations.push_back(pack(one));
    one = {};  // a long run is there once
  }
  record.sha256 = run.sha256 = run_digest(record);
  check_run(run);
  return record;
}

}  // namespace nsop::store
