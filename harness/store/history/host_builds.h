// The builds that runs of a host measured.
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "harness/core/text.h"
#include "harness/store/db.h"
#include "harness/store/store.h"

namespace nsop::store {

class HostBuilds {
 public:
  // Throws Error.
  HostBuilds(Database& db, const std::string& host_id);

  const std::unordered_map<long long, SharedText>& ids() const { return ids_; }  // by number
  const std::map<std::string, HostBuild>& by_id() const { return by_id_; }

 private:
  std::unordered_map<long long, SharedText> ids_;
  std::map<std::string, HostBuild> by_id_;
};

}  // namespace nsop::store
