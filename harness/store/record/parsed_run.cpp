#include "harness/store/record/parsed_run.h"

#include "harness/core/io/json.h"
#include "harness/store/record/exchange_parse.h"
#include "harness/store/record/record.h"

namespace nsop::store {

ParsedRun parse_run(const std::string& ndjson, const std::string& where) {
  const RunRecord record = parse_exchange(ndjson, where);
  ParsedRun parsed;
  parsed.run = unpack_run(record.body, record.state, record.ended_utc, record.sha256);
  parsed.host = host_from_json(parse_json(record.host, where));
  for (const auto& [id, body] : record.builds) {
    parsed.builds.push_back(build_from_json(parse_json(body, where)));
  }
  for (const InvocationRecord& one : record.invocations) parsed.invocations.push_back(unpack(one));
  return parsed;
}

}  // namespace nsop::store
