// What `nsop import` says of a file of another tool.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/context.h"
#include "harness/foreign/record.h"
#include "harness/store/store.h"

namespace nsop::cli {

// A run of the file, and whether it was stored now.
struct StoredForeign {
  const foreign::ForeignRecord* record = nullptr;
  store::Imported imported;
};

// Rows read, stored and left out by reason: as JSON of the schema `nsop.import/1` on standard
// output, else as notes.
Json import_json(const foreign::ForeignFile& file, const foreign::Format& format,
                 const std::vector<StoredForeign>& runs);
void note_import(Context& context, const foreign::ForeignFile& file, const foreign::Format& format,
                 const std::vector<StoredForeign>& runs);

}  // namespace nsop::cli
