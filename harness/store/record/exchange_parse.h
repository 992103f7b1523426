// Reading of the exchange format into a record, with every check that needs no database.
#pragma once

#include <string>
#include <vector>

#include "harness/store/record/record.h"

namespace nsop::store {

constexpr const char* kExchangeSchema = "nsop.run/1";
constexpr size_t kMaxImportBytes = 256u << 20;
constexpr size_t kMaxInvocations = 1'000'000;
constexpr size_t kMaxRepetitions = 100'000;

// A record with what its first invocations say, for who would read them again: as many as take
// little memory.
struct ReadExchange {
  RunRecord record;
  std::vector<StatedInvocation> stated;
};

// Each throws Error (bad data) with `where:line: `.
RunRecord parse_exchange(const std::string& ndjson, const std::string& where);
ReadExchange read_exchange(const std::string& ndjson, const std::string& where);
std::string write_exchange(const RunRecord& record);

}  // namespace nsop::store
