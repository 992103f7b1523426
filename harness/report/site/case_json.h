// A case's page as JSON.
#pragma once

#include "harness/core/io/json.h"
#include "harness/report/site/cases.h"

namespace nsop::report {

// A row without its history. Null members: nothing is known of them.
Json row_json(const SiteRow& row);

// The times of ours over the values of the key `n`; null where fewer than two sizes were measured.
Json sweep_json(const SiteCase& one, const Neighbours& neighbours);

// Cases that differ in one value, each with a text that says in which.
Json elsewhere_json(const SiteCase& one, const Neighbours& neighbours);

// The suites that show rows of the case, each with how many, and the command that prints its report
// of the run that is shown.
Json suites_json(const SiteCase& one, const ShownSuites& shown);

// One or two sentences: what ours takes, and how it stands to the fastest other library.
std::string conclusion_of(const SiteCase& one);

// How much of the row's time the machine's limit leaves to be gained, in ns; nullopt where no limit
// is certain.
std::optional<double> recoverable_ns(const SiteRow& row);
// Our time over that of the fastest peer; nullopt where there is none to compare with.
std::optional<double> gap_of(const SiteRow& row);
// `54.3 % of L2`, or why there is no share.
Json limit_cell(const SiteRow& row);
Json peer_cell(const SiteRow& row);  // against the fastest peer; null of a row that is not ours

}  // namespace nsop::report
