// Addresses of a site's pages, as other pages, comments and alerts link to them.
#pragma once

#include <string>

namespace nsop::report {

// 12 hexadecimal digits of the SHA-256 of the case's text: a case has the same in every site, so
// that links to it stay right.
std::string case_id(const std::string& case_text);

// Is it the address of a site that is served, and no folder?
bool is_url(const std::string& site);

// The site's address, without a slash at its end, as a page in `folder` would write it: a URL as it
// is, a folder relative to the page's. Empty where there is no site, and for a folder where there
// is no page's folder. Throws Error (usage) for an address with characters that a link can't have.
std::string site_address(const std::string& site, const std::string& folder);

// Where a site that is written as `address` has the case's page.
std::string case_address(const std::string& address, const std::string& case_text);

}  // namespace nsop::report
