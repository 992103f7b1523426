#include "harness/report/site/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <tuple>
#include <utility>

#include "harness/core/case.h"
#include "harness/core/hash.h"
#include "harness/core/text.h"
#include "harness/report/site/site_links.h"

namespace nsop::report {
namespace {

// Letters and digits of a name; what else is in it becomes an underscore.
std::string safe(const std::string& name) {
  std::string out;
  for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return out;
}

// The same of a variant, which programs of others name as they like: names that differ stay unlike.
std::string safe_variant(const std::string& name) {
  const std::string out = safe(name);
  return out == name ? out : out + "." + sha256_hex(name).substr(0, 6);
}

// Does the suite show the variant as its own? Variants that it shows beside that are experiments.
bool is_ours(const ShownSuite& shown, const CaseRow& place, const Selector& selector) {
  const std::vector<Selector> ours = shown.context->ours_of(place);
  return std::any_of(ours.begin(), ours.end(),
                     [&](const Selector& one) { return one.variant == selector.variant; });
}

// Is the row what ours takes by itself on this machine, with no target pinned?
bool is_dispatch(const ShownSuite& shown, const CaseRow& place, const stats::RowSummary* measured) {
  const std::vector<Selector> ours = shown.context->ours_of(place);
  return std::any_of(ours.begin(), ours.end(), [&](const Selector& one) {
    return shown.context->find(place, one) == measured;
  });
}

// Which of two showings of one row is kept: where it is ours, then of the newer run.
bool is_better(const SiteRow& now, const SiteRow& kept) {
  const auto rank = [](const SiteRow& row) {
    return std::tuple(row.ours, row.dispatch, row.shown->run->run.started_utc);
  };
  return rank(now) > rank(kept);
}

class Collected {
 public:
  void add(const SiteRow& row) {
    const std::string& text = row.measured->row.case_text;
    SiteCase& one = cases_[text];
    const std::string name = row.place->name();
    const std::string suite = row.shown->suite.name;
    if (suite != kOtherRows && one.title.empty()) one.title = name;
    const auto [at, is_new] =
        places_.emplace(std::pair(row.host_id(), row.measured->row), one.rows.size());
    if (is_new) {
      one.rows.push_back(row);
      if (suite != kOtherRows) one.rows.back().suites = {suite};
      return;
    }
    SiteRow& kept = one.rows[at->second];
    std::vector<std::string> suites = kept.suites;
    const bool known = std::find(suites.begin(), suites.end(), suite) != suites.end();
    if (suite != kOtherRows && !known) suites.push_back(suite);
    if (is_better(row, kept)) kept = row;
    kept.suites = std::move(suites);
  }

  std::vector<SiteCase> take() {
    std::vector<SiteCase> all;
    for (auto& [text, one] : cases_) {
      one.text = text;
      one.id = case_id(text);
      if (one.title.empty()) one.title = case_op(text);
      for (SiteRow& row : one.rows) std::sort(row.suites.begin(), row.suites.end());
      const auto rank = [](const SiteRow& row) {
        const RowKey& key = row.measured->row;
        return std::tuple(!row.ours, row.host_id(), key.threads, !row.dispatch, key.variant,
                          key.target);
      };
      std::sort(one.rows.begin(), one.rows.end(),
                [&](const SiteRow& a, const SiteRow& b) { return rank(a) < rank(b); });
      all.push_back(std::move(one));
    }
    return all;
  }

 private:
  std::map<std::string, SiteCase> cases_;
  std::map<std::pair<std::string, RowKey>, size_t> places_;  // of a host's row in its case
};

// The words of a case text.
std::vector<std::string> words_of(const std::string& text) { return split(text, ' '); }

// The text with the value of its word `i` left open.
std::string rest_of(std::vector<std::string> words, size_t i) {
  words[i] = words[i].substr(0, words[i].find('=')) + "=*";
  return join(words, " ");
}

}  // namespace

std::string minute_text(const std::string& utc) {
  return utc.size() < 16 ? utc : utc.substr(0, 10) + " " + utc.substr(11, 5);
}

std::string row_id(const SiteRow& row) {
  const RowKey& key = row.measured->row;
  return fmt::format("{}-{}-{}-{}", safe_variant(key.variant), safe(key.target), key.threads,
                     short_id(row.host_id()));
}

std::vector<SiteCase> site_cases(const ShownSuites& shown) {
  Collected collected;
  for (const std::unique_ptr<ShownSuite>& one : shown.suites()) {
    for (const CaseRow& place : one->context->rows()) {
      for (const Selector& selector : one->context->selectors()) {
        const stats::RowSummary* measured = one->context->find(place, selector);
        if (measured == nullptr || measured->status == Status::kUnsupported) continue;
        collected.add({one.get(),
                       &place,
                       measured,
                       is_ours(*one, place, selector),
                       is_dispatch(*one, place, measured),
                       {}});
      }
    }
  }
  return collected.take();
}

Neighbours::Neighbours(const std::vector<SiteCase>& cases) {
  for (const SiteCase& one : cases) {
    const std::vector<std::string> words = words_of(one.text);
    for (size_t i = 1; i < words.size(); ++i) {
      if (words[i].find('=') != std::string::npos) by_rest_[rest_of(words, i)].push_back(&one);
    }
  }
}

std::vector<Neighbour> Neighbours::of(const SiteCase& one) const {
  std::vector<Neighbour> all;
  const std::vector<std::string> words = words_of(one.text);
  for (size_t i = 1; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    if (equals == std::string::npos) continue;
    const std::string key = words[i].substr(0, equals);
    for (const SiteCase* other : by_rest_.at(rest_of(words, i))) {
      if (other == &one) continue;
      all.push_back({other, key, param(other->text, key), words[i].substr(equals + 1)});
    }
  }
  return all;
}

std::vector<const SiteCase*> Neighbours::along(const SiteCase& one, const std::string& key) const {
  const std::vector<std::string> words = words_of(one.text);
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i].starts_with(key + "=")) return by_rest_.at(rest_of(words, i));
  }
  return {};
}

}  // namespace nsop::report
