// What a night means for alerts that are there already: an open one is closed once a measurement
// says that the change is gone, or once nobody measures its rows any more; never by the history
// alone. Every answer is an event with its reason.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/suite/known_changes.h"
#include "harness/judge/nightly/follow_up.h"

namespace nsop::judge {

// So many nights in a row must look as before the change, or begin another segment, before an open
// alert is measured again, and so many lie between two such measurements.
constexpr size_t kNightsBack = 5;
// After so many days without a night that measured one of its rows an alert is closed.
constexpr int kDaysSilent = 60;
// An inconclusive suspect that the history hasn't shown for so many nights is closed.
constexpr size_t kNightsUnseen = 20;

struct RevisitOptions {
  std::string host_id, now_utc;
  std::string run_id, commit;  // of tonight
  std::vector<KnownChange> known;
  std::vector<Suspect> suspects;  // of tonight
};

// When an alert's rows were last measured on its host; nothing: never, as far as is known.
using LastMeasured = std::function<std::optional<std::string>(const Alert&)>;

// Whether the history of its rows, tonight last, is a reason to measure an open alert again, and
// which; empty: it isn't. `lines` are the histories of tonight's rows.
std::string reason_to_look(const Alert& alert, const std::map<RowKey, Line>& lines);

// Closes, accepts what is declared by now, and measures again what reason_to_look() names: the
// commit of tonight against the last good one. Without a lab nothing is measured. Returns the
// alerts that are closed now, with the reason. Throws what the sink throws, and run::Interrupted.
std::vector<Alert> revisit(const std::vector<Alert>& alerts, const std::map<RowKey, Line>& lines,
                           const RevisitOptions& options, const LastMeasured& last_measured,
                           Lab* lab, const std::function<void(const store::AlertEvent&)>& sink);

}  // namespace nsop::judge
