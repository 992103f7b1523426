// What `nsop import` says of a file of another tool, and of one of published values.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/context.h"
#include "harness/core/io/json.h"
#include "harness/foreign/record.h"
#include "harness/report/stored/published_runs.h"
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

// The same of published values: each run is a baseline.
Json published_json(const std::string& file, const std::vector<report::PublishedRun>& runs,
                    const std::vector<bool>& are_new);
void note_published(Context& context, const std::string& file,
                    const std::vector<report::PublishedRun>& runs,
                    const std::vector<bool>& are_new);

// All files, as one JSON document of that schema.
void print_imports(Context& context, Json files);

}  // namespace nsop::cli
