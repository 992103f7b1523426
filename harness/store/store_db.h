// What Store hides: its connection.
#pragma once

#include "harness/store/db.h"
#include "harness/store/store.h"

namespace nsop::store {

class Store::Db : public Database {
 public:
  using Database::Database;
};

}  // namespace nsop::store
