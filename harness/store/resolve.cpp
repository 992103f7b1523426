// Names of runs (store.h): `@last~1`, uuid and commit prefixes, baselines.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <string_view>

#include "harness/core/case.h"
#include "harness/core/text.h"
#include "harness/store/query.h"
#include "harness/store/store_db.h"

namespace nsop::store {
namespace {

using Text = std::string;

constexpr size_t kMinPrefix = 4;
constexpr std::string_view kLast = "@last";
constexpr std::string_view kBaseline = "baseline:";

std::vector<Text> texts(Database& db, const std::string& query, const auto&... in) {
  std::vector<Text> list;
  for (auto& [text] : all<std::tuple<Text>>(db, query, in...)) list.push_back(text);
  return list;
}

// What `name` may have been meant to be.
std::string suggestion(Database& db, const std::string& name) {
  std::vector<Text> candidates = texts(db, "SELECT DISTINCT name FROM baseline");
  for (size_t i = candidates.size(); i-- > 0;)
    candidates.push_back(Text(kBaseline) + candidates[i]);
  candidates.emplace_back(kLast);
  for (const char* query : {"SELECT id FROM run", "SELECT DISTINCT commit_id FROM build"}) {
    if (name.size() < kMinPrefix) break;
    for (const Text& text : texts(db, query)) candidates.push_back(text.substr(0, name.size()));
  }
  const auto near = nearest(name, candidates);
  return near ? fmt::format("did you mean '{}'?", *near) : "`nsop list runs` shows the names";
}

[[noreturn]] void throw_unknown(Database& db, const std::string& name) {
  throw usage_error(
      fmt::format("no run is called '{}' (@last, uuid or commit prefix of at least {} "
                  "characters, baseline); {}",
                  name, kMinPrefix, suggestion(db, name)));
}

long long parse_back(const std::string& name) {
  std::string_view rest = std::string_view(name).substr(kLast.size());
  if (rest.empty()) return 0;
  long long back = -1;
  if (rest[0] == '~') rest.remove_prefix(1);
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), back);
  const bool tilde = name[kLast.size()] == '~';
  if (!tilde || error != std::errc() || end != rest.data() + rest.size() || back < 0) {
    throw usage_error(fmt::format("'{}': expected @last or @last~N", name));
  }
  return back;
}

std::string resolve_last(Database& db, const std::string& name, const std::string& host_id) {
  const long long back = parse_back(name);
  const auto ids = texts(db,
                         "SELECT id FROM run WHERE state = 'complete' AND host_id = :h "
                         "ORDER BY started_utc DESC, seq DESC",
                         host_id);
  const auto list = !ids.empty() ? ids
                                 : texts(db,
                                         "SELECT id FROM run WHERE state = 'complete' "
                                         "ORDER BY started_utc DESC, seq DESC");
  if (back >= static_cast<long long>(list.size())) {
    throw usage_error(
        fmt::format("'{}': there are {} complete runs; `nsop run` makes one", name, list.size()));
  }
  return list[static_cast<size_t>(back)];
}

std::optional<std::string> find_baseline(Database& db, const std::string& name,
                                         const std::string& host_id) {
  return first_value<Text>(db, "SELECT run_id FROM baseline WHERE name = :n AND host_id = :h", name,
                           host_id);
}

std::string resolve_baseline(Database& db, const std::string& name, const std::string& host_id) {
  const std::string plain = name.substr(kBaseline.size());
  if (const auto id = find_baseline(db, plain, host_id)) return *id;
  const auto hosts = texts(
      db, "SELECT h.cpu_model FROM baseline b JOIN host h ON h.id = b.host_id WHERE b.name = :n",
      plain);
  if (hosts.empty()) throw_unknown(db, name);
  throw usage_error(
      fmt::format("baseline '{}' is not set for this host, only for {}; "
                  "`nsop baseline set` sets it here",
                  plain, join(hosts, ", ")));
}

// Ids of the runs that a prefix names: of its own uuid, or the latest of each matching commit, one
// that was measured for its own sake before one that confirmed another.
std::set<std::string> match_prefix(Database& db, const std::string& prefix,
                                   const std::string& host_id) {
  std::set<std::string> ids;
  for (const Text& id : texts(db, "SELECT id FROM run WHERE lower(substr(id, 1, length(:p))) = :q",
                              prefix, prefix)) {
    ids.insert(id);
  }
  const auto commits =
      texts(db,
            "SELECT DISTINCT commit_id FROM build WHERE commit_id <> 'unknown' AND "
            "lower(substr(commit_id, 1, length(:p))) = :q",
            prefix, prefix);
  for (const Text& commit : commits) {
    const auto id = first_value<Text>(
        db,
        "SELECT r.id FROM run r JOIN run_build u ON u.run = r.seq JOIN build b ON b.seq = u.build "
        "WHERE b.commit_id = :c ORDER BY r.state = 'complete' DESC, r.host_id = :h DESC, "
        "r.origin = 'confirm', r.started_utc DESC, r.seq DESC LIMIT 1",
        commit, host_id);
    if (id) ids.insert(*id);
  }
  return ids;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string resolve(Database& db, const std::string& name, const std::string& host_id) {
  if (name.starts_with(kLast)) return resolve_last(db, name, host_id);
  if (name.starts_with(kBaseline)) return resolve_baseline(db, name, host_id);
  std::set<std::string> ids;
  if (const auto id = find_baseline(db, name, host_id)) ids.insert(*id);
  if (first_value<Text>(db, "SELECT id FROM run WHERE id = :i", name)) ids.insert(name);
  if (name.size() >= kMinPrefix) ids.merge(match_prefix(db, lower(name), host_id));
  if (ids.empty()) {
    if (first_value<Text>(db, "SELECT name FROM baseline WHERE name = :n", name)) {
      return resolve_baseline(db, Text(kBaseline) + name, host_id);  // throws: says which hosts
    }
    throw_unknown(db, name);
  }
  if (ids.size() > 1) {
    throw usage_error(fmt::format("'{}' names {} runs ({}); give more characters, or baseline:NAME",
                                  name, ids.size(), fmt::join(ids, ", ")));
  }
  return *ids.begin();
}

}  // namespace

std::string Store::resolve_run(const std::string& name, const std::string& host_id) const {
  return db_->guard([&] {
    Transaction snapshot(*db_, Transaction::Kind::kRead);
    return resolve(*db_, name, host_id);
  });
}

}  // namespace nsop::store
