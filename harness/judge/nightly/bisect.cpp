#include "harness/judge/nightly/bisect.h"

#include <bit>
#include <cassert>
#include <optional>
#include <set>

namespace nsop::judge {
namespace {

struct Search {
  RowKey row;
  size_t good = 0, bad = 0;                // the change is after `good`, at or before `bad`
  std::set<size_t> inconclusive, unknown;  // tried once; in vain
  int judged = 0;

  bool holds(size_t i) const { return good < i && i < bad && !unknown.contains(i); }

  // The commit nearest to the middle that is still worth judging, of those not tried yet or of
  // those tried once.
  std::optional<size_t> next(bool again) const {
    const auto wanted = [&](size_t i) { return holds(i) && inconclusive.contains(i) == again; };
    const size_t middle = good + (bad - good) / 2;
    for (size_t distance = 0; distance <= bad - good; ++distance) {
      if (middle >= distance && wanted(middle - distance)) return middle - distance;
      if (wanted(middle + distance)) return middle + distance;
    }
    return std::nullopt;
  }

  void note(size_t i, Side side) {
    ++judged;
    if (side == Side::kGood) good = i;
    if (side == Side::kBad) bad = i;
    const bool again = side == Side::kInconclusive && inconclusive.insert(i).second;
    if (side == Side::kUnknown || (side == Side::kInconclusive && !again)) unknown.insert(i);
  }
};

std::optional<size_t> next_commit(const std::vector<Search>& searches) {
  for (const bool again : {false, true}) {
    for (const Search& search : searches) {
      if (const auto next = search.next(again)) return next;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Culprit> bisect(const std::vector<std::string>& line, const std::vector<RowKey>& rows,
                            const CommitJudge& judge) {
  assert(line.size() >= 2);
  std::vector<Search> searches;
  for (const RowKey& row : rows) searches.push_back({row, 0, line.size() - 1, {}, {}, 0});
  while (const auto commit = next_commit(searches)) {
    std::vector<RowKey> concerned;
    for (const Search& search : searches) {
      if (search.holds(*commit)) concerned.push_back(search.row);
    }
    const std::map<RowKey, Side> sides = judge(line[*commit], concerned);
    for (Search& search : searches) {
      if (!search.holds(*commit)) continue;
      const auto side = sides.find(search.row);
      search.note(*commit, side == sides.end() ? Side::kUnknown : side->second);
    }
  }
  std::vector<Culprit> culprits;
  for (const Search& search : searches) {
    Culprit culprit{search.row, line[search.good], line[search.bad], {}, search.judged};
    for (size_t i = search.good + 1; i < search.bad; ++i) culprit.between.push_back(line[i]);
    culprits.push_back(std::move(culprit));
  }
  return culprits;
}

int bisect_steps(size_t commits) {
  return commits < 2 ? 0 : static_cast<int>(std::bit_width(commits - 2));
}

}  // namespace nsop::judge
