// Samples, builds, hosts and op specifications to JSON and back; the same field names everywhere
// (protocol, store, export). from_json throws Error (bad data) that names the field.
#pragma once

#include <nlohmann/json.hpp>

#include "harness/core/case.h"
#include "harness/core/sample.h"

namespace nsop {

using Json = nlohmann::ordered_json;

Json to_json(const OpSpec& spec);
OpSpec op_spec_from_json(const Json& json);

Json to_json(const Repetition& repetition);
Repetition repetition_from_json(const Json& json);

Json to_json(const AllocCounts& counts);
AllocCounts alloc_counts_from_json(const Json& json);

Json to_json(const InstructionCounts& counts);
InstructionCounts instruction_counts_from_json(const Json& json);

Json to_json(const CheckResult& check);
CheckResult check_from_json(const Json& json);

Json to_json(const Build& build);
Build build_from_json(const Json& json);

Json to_json(const Host& host);
Host host_from_json(const Json& json);

Json to_json(const Conditions& conditions);
Conditions conditions_from_json(const Json& json);

Json to_json(const Invocation& invocation);
Invocation invocation_from_json(const Json& json);

Json to_json(const Run& run);
Run run_from_json(const Json& json);

// Parses text; throws Error (bad data) with `where` and the position.
Json parse_json(const std::string& text, const std::string& where);

}  // namespace nsop
