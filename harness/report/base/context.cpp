#include "harness/report/base/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <set>

#include "harness/core/missing_peer.h"
#include "harness/core/planned_note.h"
#include "harness/core/text.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"

namespace nsop::report {
namespace {

const Build* find_build(const RunData& data, const std::string& id) {
  for (const Build& build : data.builds) {
    if (build.id == id) return &build;
  }
  return nullptr;
}

Json note(const std::string& kind, const std::string& who, const std::string& text) {
  Json out;
  out["kind"] = kind;
  out["who"] = who;
  out["text"] = text;
  return out;
}

bool has_failed(const stats::RowSummary* row) {
  return row != nullptr && row->status != Status::kOk && row->status != Status::kUnsupported;
}

bool doubtful(const stats::RowSummary& row) { return !time_doubts(row).empty(); }

// For a POSIX shell: 'it'\''s'.
std::string quoted(const std::string& text) { return "'" + join(split(text, '\''), "'\\''") + "'"; }

}  // namespace

std::string who(const stats::RowSummary& row) { return row.row.variant + "@" + row.row.target; }

std::string missing_text(const std::vector<MissingPeer>& peers) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (const MissingPeer& one : peers) {
    const auto same = [&one](const auto& known) { return known.first == one.why; };
    auto at = std::find_if(by_reason.begin(), by_reason.end(), same);
    if (at == by_reason.end()) at = by_reason.insert(at, {one.why, {}});
    std::vector<std::string>& named = at->second;
    if (std::find(named.begin(), named.end(), one.peer) == named.end()) named.push_back(one.peer);
  }
  std::vector<std::string> parts;
  for (const auto& [why, named] : by_reason) parts.push_back(join(named, ", ") + " " + why);
  return join(parts, "; ");
}

std::string peer_text(const stats::RowSummary& peer, int threads) {
  const bool held = is_target(peer.row.target, kHeldTo);
  const std::string name = role_text({peer.row.variant, held ? kHeldTo : "best"});
  if (peer.row.threads == threads) return name;
  return fmt::format("{} ({} thread{})", name, peer.row.threads, peer.row.threads == 1 ? "" : "s");
}

std::string role_text(const Selector& selector) {
  return selector.target == "best" ? selector.variant : selector.text();
}

std::string repro_command(const stats::RowSummary& row) {
  return fmt::format("nsop run {} --variant {} --threads {}", quoted(row.row.case_text), who(row),
                     row.row.threads);
}

Json row_notes(const stats::RowSummary& row) {
  Json notes = Json::array();
  if (row.status != Status::kOk) {
    const std::string reason = row.reason.empty() ? "no reason was given" : row.reason;
    notes.push_back(note(status_text(row.status), who(row), reason));
  }
  for (const std::string& doubt : time_doubts(row)) notes.push_back(note("doubt", who(row), doubt));
  for (const std::string& text : row.warnings) {
    if (text.starts_with(kPlannedNote)) {
      notes.push_back(note("note", who(row), text.substr(kPlannedNote.size())));
    }
  }
  if (!row.allocs) return notes;
  if (!row.allocs->steady) {
    notes.push_back(note("doubt", who(row), kUnsteadyAllocations));
  }
  if (row.allocs->one_time_allocs > 0) {
    const auto text = fmt::format("allocations that the first operation alone made: {} ({} B)",
                                  count_text(static_cast<double>(row.allocs->one_time_allocs)),
                                  count_text(static_cast<double>(row.allocs->one_time_bytes)));
    notes.push_back(note("note", who(row), text));
  }
  return notes;
}

Context::Context(const Suite& suite, const RunData& current, const RunData* previous,
                 const RunData* limits, std::span<const Release> releases)
    : suite_(suite),
      current_(current),
      previous_(previous),
      releases_(releases),
      index_(current.rows, current.planned),
      limits_(current),
      rows_(case_rows(suite, index_)) {
  const bool others = limits_.empty() && limits != nullptr && limits->host.id == current.host.id;
  if (others) limits_ = Limits(*limits);
  if (!limits_.empty()) limits_run_ = others ? &limits->run : &current.run;
  for (const std::string& peer : suite.peers) {
    (has_own_layout(peer) ? layout_peers_ : plain_peers_).push_back({peer, "best"});
  }
  if (previous != nullptr) previous_index_.emplace(previous->rows);
  machine_ = machine_shift(peers_over_previous());
  find_beaten_limits(others ? limits : nullptr);
  if (!current.planned.empty()) {
    skipped_ = std::erase_if(rows_, [&](const CaseRow& row) {
      return !current.planned.contains({row.text, row.threads});
    });
    return;
  }
  if (current.run.profile != "quick" && current.run.profile != "manual") return;
  const std::vector<Selector> wanted = selectors();
  skipped_ = std::erase_if(rows_, [&](const CaseRow& row) {
    return std::none_of(wanted.begin(), wanted.end(),
                        [&](const Selector& selector) { return find(row, selector) != nullptr; });
  });
}

std::vector<Selector> Context::ours_of(const CaseRow& row) const {
  return row.from->variants.empty() ? std::vector{suite_.after} : row.from->variants;
}

std::string Context::own_name(const CaseRow& row, const Selector& selector) {
  return row.full_name() + (row.from->variants.empty() ? "" : ", " + role_text(selector));
}

std::vector<Selector> Context::selectors() const {
  std::vector<Selector> all;
  if (!suite_.before.variant.empty()) all.push_back(suite_.before);
  all.push_back(suite_.after);
  all.insert(all.end(), suite_.also.begin(), suite_.also.end());
  all.insert(all.end(), suite_.beside.begin(), suite_.beside.end());
  for (const std::string& target : suite_.targets) all.push_back({suite_.after.variant, target});
  for (const std::string& peer : suite_.peers) all.push_back({peer, "best"});
  for (const Selector& also : suite_.also) {
    if (also.target != kHeldTo) continue;
    for (const std::string& peer : suite_.peers) all.push_back({peer, kHeldTo});
  }
  for (const SuiteCase& c : suite_.cases) {
    all.insert(all.end(), c.variants.begin(), c.variants.end());
  }
  std::vector<Selector> out;
  for (const Selector& selector : all) {
    if (std::find(out.begin(), out.end(), selector) == out.end()) out.push_back(selector);
  }
  return out;
}

std::vector<const stats::RowSummary*> Context::shown() const {
  std::vector<const stats::RowSummary*> out;
  std::set<const stats::RowSummary*> seen;
  for (const CaseRow& row : rows_) {
    for (const Selector& selector : selectors()) {
      const stats::RowSummary* found = find(row, selector);
      if (found != nullptr && seen.insert(found).second) out.push_back(found);
    }
  }
  return out;
}

const stats::RowSummary* Context::find_peer(const CaseRow& row, const Selector& peer) const {
  const stats::RowSummary* best = find(row, peer);
  for (int threads = 1; threads < row.threads; ++threads) {
    const stats::RowSummary* found = find_on(row, peer, threads);
    if (!usable(found)) continue;
    if (!usable(best) || found->verdict_ns < best->verdict_ns) best = found;
  }
  return best;
}

Selector Context::rival_of(const Selector& peer, const CaseRow& row,
                           const stats::RowSummary* ours) const {
  if (ours == nullptr || ours->row.target != kHeldTo) return peer;
  const stats::RowSummary* dispatched = find(row, suite_.after);
  const bool pinned = dispatched != nullptr && dispatched->row.variant == ours->row.variant &&
                      dispatched->row.target != kHeldTo;
  return pinned ? Selector{peer.variant, kHeldTo} : peer;
}

const stats::RowSummary* Context::best_peer(const CaseRow& row,
                                            const stats::RowSummary* ours) const {
  const stats::RowSummary* best = nullptr;
  for (const Selector& peer : plain_peers_) {
    const stats::RowSummary* found = find_peer(row, rival_of(peer, row, ours));
    if (usable(found) && (!best || found->verdict_ns < best->verdict_ns)) best = found;
  }
  return best;
}

const stats::RowSummary* Context::rival(const CaseRow& row) const {
  return has_peers() ? best_peer(row) : find(row, suite_.before);
}

bool Context::is_alone(const CaseRow& row) const {
  if (left_out(row, suite_.after)) return true;
  if (!has_peers()) return !suite_.before.variant.empty() && left_out(row, suite_.before);
  return std::all_of(plain_peers_.begin(), plain_peers_.end(),
                     [&](const Selector& peer) { return left_out(row, peer); });
}

std::optional<MissingPeer> Context::missing_peer(const CaseRow& row, const Selector& peer) const {
  if (left_out(row, {peer.variant, "best"})) return std::nullopt;
  bool wrong = false, failed = false;
  for (int threads = 1; threads <= row.threads; ++threads) {
    const stats::RowSummary* one = find_on(row, peer, threads);
    if (has_failed(one)) (one->status == Status::kWrong ? wrong : failed) = true;
  }
  if (wrong) return MissingPeer{peer.variant, "wrong"};
  if (failed) return MissingPeer{peer.variant, "failed"};
  const stats::RowSummary* found = find_peer(row, peer);
  const bool there = found != nullptr &&
                     (found->status != Status::kUnsupported || !says_missing_peer(found->reason));
  if (there) return std::nullopt;
  const bool held = peer.target != "best" && find(row, {peer.variant, "best"}) != nullptr;
  return MissingPeer{peer.variant, held ? kNotHeld : kNotThere};
}

std::vector<MissingPeer> Context::missing_peers(const CaseRow& row,
                                                const stats::RowSummary* ours) const {
  std::vector<MissingPeer> missing;
  if (find(row, suite_.after) == nullptr) return missing;
  for (const Selector& peer : plain_peers_) {
    auto one = missing_peer(row, rival_of(peer, row, ours));
    if (one) missing.push_back(std::move(*one));
  }
  return missing;
}

const CaseFacts* Context::facts(const std::string& case_text) const {
  const auto it = current_.run.facts.find(case_text);
  return it == current_.run.facts.end() ? nullptr : &it->second;
}

std::optional<Roof> Context::roof(const RowKey& row) const {
  const CaseFacts* known = facts(row.case_text);
  return known ? roof_of(*known, row.threads, limits_, current_.host) : std::nullopt;
}

void Context::find_beaten_limits(const RunData* other) {
  std::set<std::string> shortcuts;
  for (const CaseRow& row : rows_) {
    if (!row.from->shortcut.empty()) shortcuts.insert(row.text);
  }
  std::map<BandwidthKey, BeatenLimit> beaten;
  const auto add_rows_of = [&](const RunData& run) {
    for (const stats::RowSummary& row : run.rows) {
      const bool certain = usable(&row) && !doubtful(row) && std::isfinite(row.wall_hi_ns);
      const auto known = run.run.facts.find(row.row.case_text);
      if (!certain || known == run.run.facts.end()) continue;
      if (shortcuts.contains(row.row.case_text)) continue;
      const auto limit = roof_of(known->second, row.row.threads, limits_, run.host);
      if (!limit || !limit->fits_a_pattern() || !limit->doubted_by(row.wall_hi_ns)) continue;
      BeatenLimit& kept = beaten[limit->bandwidth];
      const double share = limit->limit_ns / row.wall_ns;
      if (share > kept.share) kept = {limit->bandwidth, &row, share, &run == other};
    }
  };
  add_rows_of(current_);
  if (other != nullptr) add_rows_of(*other);
  for (const auto& [limit, one] : beaten) beaten_.push_back(one);
}

bool Context::is_beaten(const BandwidthKey& limit) const {
  return std::any_of(beaten_.begin(), beaten_.end(),
                     [&](const BeatenLimit& one) { return one.limit == limit; });
}

bool Context::in_doubt(const Roof& roof, double wall_ns) const {
  const bool of_memory = roof.bound == Roof::Bound::kMemory && roof.certain();
  const bool beaten = is_beaten(roof.bandwidth) || is_beaten(roof.other);
  return of_memory && (beaten || roof.doubted_by(wall_ns));
}

double Context::macs(const std::string& case_text) const {
  const CaseFacts* known = facts(case_text);
  return known ? known->macs : 0;
}

stats::Bound Context::bound(const std::string& case_text) const {
  const CaseFacts* known = facts(case_text);
  if (known == nullptr) return stats::Bound::kCache;
  return stats::classify_bound(known->flops, known->bytes, known->working_set_bytes, current_.host);
}

stats::Policy Context::policy() const {
  const stats::Policy policy = stats::default_policy(current_.host, current_.run.conditions);
  if (previous_ == nullptr) return policy;
  return stats::noisier(policy, stats::default_policy(current_.host, previous_->run.conditions));
}

stats::Comparison Context::paired(const stats::RowSummary& before,
                                  const stats::RowSummary& after) const {
  stats::Policy chosen = policy();
  chosen.confidence = kSpeedupConfidence;
  return stats::compare_paired(before, after, bound(after.row.case_text), chosen);
}

Json Context::speedup_cell(const stats::RowSummary* before, const stats::RowSummary* after) const {
  if (!usable(before) || !usable(after)) return missing_cell("n/a");
  const stats::Comparison compared = paired(*before, *after);
  Json out = ratio_cell(compared);
  const bool disagree =
      out["kind"] == "ratio" && times_disagree(1 / compared.ratio, *before, *after);
  if (disagree) {
    const std::string known = out.value("note", "");
    out["note"] = known.empty() ? kTimesDisagree : known + "; " + kTimesDisagree;
  }
  if (disagree || doubtful(*before) || doubtful(*after)) mark_doubt(out);
  return out;
}

Json Context::best_peer_cell(const CaseRow& row, const stats::RowSummary* ours) const {
  if (is_alone(row)) return missing_cell("-");
  Json out = speedup_cell(best_peer(row, ours), ours);
  const std::string verdict = out.value("verdict", "");
  const std::vector<MissingPeer> missing = missing_peers(row, ours);
  if (missing.empty() || verdict.empty() || verdict == "worse") return out;
  const std::string known = out.value("note", "");
  const size_t disagree = known.find(kTimesDisagree);
  out["verdict"] = kNotJudgedVerdict;
  out["note"] =
      missing_text(missing) + (disagree == std::string::npos ? "" : "; " + known.substr(disagree));
  return out;
}

std::string Context::why_incomparable(const stats::RowSummary& before,
                                      const stats::RowSummary& after) const {
  if (previous_->host.id != current_.host.id) return "the previous run is of another host";
  const Build* old_build = find_build(*previous_, before.build_id);
  const Build* new_build = find_build(current_, after.build_id);
  if (old_build && new_build && old_build->build_type != new_build->build_type) {
    return "the previous run is of another build type (" + old_build->build_type + ")";
  }
  if (before.inputs_sha256 != after.inputs_sha256) return "the inputs of the case have changed";
  return "";
}

const stats::RowSummary* Context::previous_row(const stats::RowSummary& row) const {
  const stats::RowSummary* before = previous_ == nullptr ? nullptr : previous_index_->find(row.row);
  const bool both = usable(&row) && usable(before);
  return both && why_incomparable(*before, row).empty() ? before : nullptr;
}

std::vector<double> Context::peers_over_previous() const {
  const std::set<std::string> peers(suite_.peers.begin(), suite_.peers.end());
  std::vector<double> ratios;
  for (const stats::RowSummary& row : current_.rows) {
    const stats::RowSummary* before = peers.contains(row.row.variant) ? previous_row(row) : nullptr;
    if (before != nullptr) ratios.push_back(row.wall_ns / before->wall_ns);
  }
  return ratios;
}

Json Context::previous_cell(const stats::RowSummary* row) const {
  assert(previous_ != nullptr);
  if (!usable(row)) return missing_cell("n/a");
  const stats::RowSummary* before = previous_index_->find(row->row);
  if (before == nullptr) {
    return ratio_cell({.ratio = 0, .verdict = stats::Verdict::kNew, .note = ""});
  }
  if (!usable(before)) return missing_cell("was " + status_text(before->status));
  const std::string why = why_incomparable(*before, *row);
  if (!why.empty()) return ratio_cell({.verdict = stats::Verdict::kIncomparable, .note = why});
  Json out = ratio_cell(beside_machine(
      stats::compare_unpaired(*before, *row, bound(row->row.case_text), policy()), machine_));
  if (doubtful(*before) || doubtful(*row)) mark_doubt(out);
  const std::string allocations = changed_allocations(before->allocs, row->allocs);
  if (!allocations.empty()) {
    const std::string said = out.value("note", "");
    out["note"] = (said.empty() ? "" : said + "; ") + "allocations " + allocations;
  }
  return out;
}

}  // namespace nsop::report
