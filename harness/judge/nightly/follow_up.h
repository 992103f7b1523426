// From suspects to alerts: every suspect is measured again, pairwise, against the last good commit;
// a confirmed one is searched for over first parents; only then there is an alert.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/core/suite/known_changes.h"
#include "harness/judge/gate/session.h"
#include "harness/judge/nightly/bisect.h"
#include "harness/judge/nightly/suspects.h"

namespace nsop::judge {

// What a comparison is for: a finding that people are told of needs a second session, a step of a
// search only the interval of the first.
enum class Purpose { kFinding, kStep };

// What measures commits against each other and knows their order.
class Lab {
 public:
  virtual ~Lab() = default;
  // A gate of some rows. Builds of identical objects give `same` without rounds. Throws Error when
  // a commit doesn't build or can't be measured.
  virtual GateResult compare(const std::string& base, const std::string& head,
                             const std::vector<RowKey>& rows, Purpose purpose) = 0;
  // See first_parents() in commits.h.
  virtual std::vector<std::string> line(const std::string& good, const std::string& bad) = 0;
  virtual std::string subject(const std::string& commit) = 0;
};

// On which side of a confirmed change the head of a comparison with the good commit is: for a time,
// whether the interval of the statistic that confirmed it lies beyond half of the change or within.
Side side_of(const GateRowResult& result, SuspectKind kind, const stats::GateDecision& confirmed);

// The rows of a gate that are judged, without the controls.
const GateRowResult* result_of(const GateResult& result, const RowKey& row);

// So often is a suspect measured again, a night each, before it waits for an answer of people.
constexpr int kMostAttempts = 3;

struct Unresolved {
  Suspect suspect;
  std::string reason;
};

struct FollowUp {
  std::vector<Alert> found;            // new alerts, noise and improvements too, in the order found
  std::vector<Unresolved> unresolved;  // not measured again once kMostAttempts decided nothing
};

struct FollowUpOptions {
  std::string host_id, now_utc;
  std::vector<KnownChange> known;
  bool search = true;  // bisect what is confirmed
};

// The first declaration for every row of an alert of worse times or counts; nullptr: not all of
// them are declared, or it is a failure, which can't be.
const KnownChange* declaration_of(const Alert& alert, const std::vector<KnownChange>& known,
                                  const std::string& now_utc);

// `sink` gets every event as soon as it is certain, so that an interrupted night loses none.
// `alerts` are those known before. Failures of the lab make suspects unresolved, which is an event,
// too; throws what the sink throws, and run::Interrupted.
FollowUp follow_up(const std::vector<Suspect>& suspects, const std::map<RowKey, Line>& lines,
                   const std::vector<Alert>& alerts, const FollowUpOptions& options, Lab& lab,
                   const std::function<void(const store::AlertEvent&)>& sink);

}  // namespace nsop::judge
