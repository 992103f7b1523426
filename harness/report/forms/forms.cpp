#include "harness/report/forms/forms.h"

#include <algorithm>

#include "harness/core/error.h"

namespace nsop::report {

const Form& form_of(const Suite& suite) {
  const auto form = std::find_if(kForms.begin(), kForms.end(),
                                 [&](const Form* known) { return known->name == suite.form; });
  if (form != kForms.end()) return **form;
  throw usage_error(suite.path + ": unknown form `" + suite.form + "`, expected " +
                    one_of(suite_forms()));
}

SuiteForms suite_forms() {
  SuiteForms out;
  for (const Form* form : kForms) out.push_back({form->name, form->needs_before});
  return out;
}

}  // namespace nsop::report
