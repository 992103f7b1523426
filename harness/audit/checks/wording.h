// How prose says what its figures are of and against.
#pragma once

#include <string>
#include <vector>

#include "harness/audit/checks/claims.h"

namespace nsop::audit {

// Goals and expectations say what nobody measured.
bool is_expectation(const Statement& s);

// The page's case that a statement is about: its label, or that of the item it lies in.
std::vector<std::string> subjects_of(const Statement& s);

// What a figure that ends at `from` says it is against: `vs baseline`, `than the previous version`;
// else empty.
std::string reference_of(const std::string& text, size_t from);

// The headings name the reference: `baseline`.
bool contains_reference(const std::string& above, const std::string& reference);

// The key of a row has all words of the subject, and more.
bool contains_words(const std::string& key, const std::string& subject);

// The figure may be derived from the pair: two counts of threads say nothing of a speed.
bool may_mean(const Statement& s, const Quantity& q, Sense sense, const PairAt& pair);

// `5 % of the time`.
bool is_share(const Statement& s, const Quantity& q);

}  // namespace nsop::audit
