// The builds that runs of a host measured.
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "harness/core/sample.h"
#include "harness/core/text.h"
#include "harness/store/db.h"

namespace nsop::store {

class HostBuilds {
 public:
  // Throws Error.
  HostBuilds(Database& db, const std::string& host_id);

  const std::unordered_map<long long, SharedText>& ids() const { return ids_; }  // by number
  // By id: commit and what they were made with, without link seed and hashes.
  const std::map<std::string, Build>& by_id() const { return by_id_; }

 private:
  std::unordered_map<long long, SharedText> ids_;
  std::map<std::string, Build> by_id_;
};

}  // namespace nsop::store
