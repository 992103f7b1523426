#include "harness/store/history/host_builds.h"

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>

#include "harness/core/io/json.h"
#include "harness/store/query.h"

namespace nsop::store {
namespace {

// Of a build's body the members from `dirty` to the one before `binary_sha256`, as JSON with an
// empty id and commit: nights have builds that differ in nothing else, and reading one takes as
// long as the rest of a row's history. Of a body that has these keys elsewhere, the body.
std::string made_with(std::string_view body) {
  constexpr std::string_view kFirst = R"("dirty":)", kBehind = R"(,"binary_sha256":)";
  const size_t first = body.find(kFirst), behind = body.find(kBehind);
  const auto again = [&](std::string_view key, size_t at) {
    return body.find(key, at + 1) != std::string_view::npos;
  };
  if (first > behind || behind == std::string_view::npos || again(kFirst, first) ||
      again(kBehind, behind)) {
    return std::string(body);
  }
  return fmt::format(R"({{"id":"","commit":"",{}}})", body.substr(first, behind - first));
}

std::shared_ptr<const Build> build_from(const std::string& text, const std::string& where) {
  Build build = build_from_json(parse_json(text, where));
  build.id = build.commit = build.link_seed = build.binary_sha256 = build.reference_sha256 = "";
  return std::make_shared<const Build>(std::move(build));
}

}  // namespace

HostBuilds::HostBuilds(Database& db, const std::string& host_id) {
  std::map<std::string, std::shared_ptr<const Build>> made;  // by text
  each_in_bulk(
      db,
      "SELECT b.seq, b.id, b.commit_id, b.body FROM build b WHERE b.seq IN (SELECT u.build FROM "
      "run_build u JOIN run r ON r.seq = u.run WHERE r.host_id = $1)",
      {host_id}, [&](std::span<const Value> row) {
        std::string id = text_of(row[1]);
        const std::string how = made_with(std::get<std::string_view>(row[3]));
        std::shared_ptr<const Build>& build = made[how];
        if (!build) build = build_from(how, db.path());
        ids_[std::get<long long>(row[0])] = id;
        by_id_.emplace(std::move(id), HostBuild{text_of(row[2]), build});
      });
}

}  // namespace nsop::store
