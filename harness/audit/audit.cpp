#include "harness/audit/audit.h"

#include <utility>

#include "harness/audit/checks/claims.h"
#include "harness/audit/checks/tables.h"
#include "harness/audit/consistency/consistency.h"
#include "harness/audit/consistency/scripts.h"

namespace nsop::audit {

std::vector<Finding> audit(std::string text, const std::string& root) {
  const Document document = read_document(std::move(text));
  const Page page(document);
  std::vector<Finding> out = check_derived(page);
  for (std::vector<Finding> found :
       {check_columns(page), check_claims(page), check_consistency(page),
        root.empty() ? std::vector<Finding>() : check_scripts(document, root)}) {
    std::move(found.begin(), found.end(), std::back_inserter(out));
  }
  put_in_order(out);
  return out;
}

}  // namespace nsop::audit
