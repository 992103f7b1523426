// The forms that a report can have: what a suite's `form` names. This is the header of every
// .cpp of this folder that defines a row of kForms: a new form is such a .cpp and its row here.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "harness/core/suite/suite.h"
#include "harness/report/base/table.h"

namespace nsop::report {

// What all reports of a form have in common. Its functions are pure; none may be null that isn't
// said to be.
struct Form {
  const char* name = nullptr;
  const char* about = nullptr;  // in a few words, what such a report shows
  bool needs_before = true;     // must the suite name a variant `before`?
  bool lists_releases = false;  // is it about stored runs, handed in as Context::releases()?
  // Are its rows ours against another way of the same work? Then it begins with how that ended, and
  // ends with what is slower and with geometric means.
  bool compares = true;
  bool measures_machine = false;  // its rows time the machine, or itself: none could gain

  // What a report says in its first line: before how much was measured or, where rows are compared,
  // after how that ended. Null or empty: no more than that.
  std::string (*headline)(const Context& context) = nullptr;

  // The sections of the suite's cases, and the tables, plots and further notes of each: arrays.
  // Without sections the other three are never called.
  std::vector<Section> (*sections)(const Context& context) = nullptr;
  Json (*tables)(const Context& context, const Section& section) = nullptr;
  Json (*plots)(const Context& context, const Section& section) = nullptr;
  void (*add_notes)(const Context& context, const Section& section,
                    Json& notes) = nullptr;  // null: none

  // What else such a report has: adds to a report that has its sections, but neither summary nor
  // means nor goals. Null: nothing.
  void (*complete)(const Context& context, Json& report) = nullptr;
  // Sections at the very end, as an array. Null: none.
  Json (*last_sections)(const Context& context) = nullptr;
};

extern const Form kBeforeAfter, kSweep, kMatched, kPeers, kLimits, kThreads, kTracking, kWorkload,
    kScaling, kEfficiency, kDevices;

// All forms, in the order in which lists and error texts name them.
inline constexpr std::array kForms{&kBeforeAfter, &kSweep,      &kMatched,  &kPeers,
                                   &kLimits,      &kThreads,    &kTracking, &kWorkload,
                                   &kScaling,     &kEfficiency, &kDevices};

// The form that the suite names. Throws Error (usage) with the suite's path if there is none.
const Form& form_of(const Suite& suite);

// What the parser of suites must know of them.
SuiteForms suite_forms();

}  // namespace nsop::report
