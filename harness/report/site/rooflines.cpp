#include "harness/report/site/rooflines.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/report/base/peers.h"
#include "harness/report/base/plots/roofline.h"
#include "harness/report/site/case_json.h"
#include "harness/report/site/site_links.h"

namespace nsop::report {
namespace {

struct Cloud {
  const Context* context = nullptr;  // of the first row
  std::string host_name;
  Range x = kNothing, y = kNothing;
  Json points = Json::array();
  size_t above = 0;  // the peak of `context`, with their whole interval
};

// How many points lie above the peak, and how they can.
std::string above_text(size_t above) {
  if (above == 0) return "";
  return fmt::format(
      " {} above it: operations are counted as the op is defined, and an algorithm that does "
      "fewer, such as Winograd's, takes less time.",
      above == 1 ? "1 lies" : fmt::format("{} lie", above));
}

Json point_json(const SiteCase& one, const SiteRow& row, const CaseFacts& facts, Range& y) {
  const double rate = facts.flops / row.measured->wall_ns;
  widen(y, rate);
  Json json = {{"case_id", one.id},
               {"row", row_id(row)},
               {"title", one.title},
               {"case", one.text},
               {"who", who(*row.measured)},
               {"ours", true},
               {"x", facts.flops / facts.bytes},
               {"x_text", significant(facts.flops / facts.bytes)},
               {"y", rate},
               {"text", fmt::format("{}, {}", flop_rate_text(rate),
                                    limit_cell(row)["text"].get<std::string>())},
               {"peer", nullptr},
               {"peer_text", ""}};
  if (!row.shown->context->has_peers()) return json;
  const stats::RowSummary* best = row.shown->context->best_peer(*row.place, row.measured);
  if (best == nullptr) return json;
  const double peer_rate = facts.flops / best->wall_ns;
  widen(y, peer_rate);
  json["peer"] = Json::array({facts.flops / facts.bytes, peer_rate});
  json["peer_text"] =
      fmt::format("{}: {}; ours: {}", peer_text(*best, row.place->threads),
                  flop_rate_text(peer_rate), peer_cell(row)["text"].get<std::string>());
  return json;
}

// The roofs, each with the text of how far it goes: the first is flat.
Json roofs_with_texts(Json roofs) {
  for (Json& roof : roofs) {
    const bool flat = roof["y"].front() == roof["y"].back();
    const std::string rate = flop_rate_text(roof["y"].back());
    roof["text"] = flat ? fmt::format("{} at any number of operations per byte", rate)
                        : fmt::format("rises to {} at {} operations per byte", rate,
                                      significant(roof["x"].back()));
  }
  return roofs;
}

Json roofline_json(const Cloud& cloud, const std::string& host_id, int threads) {
  const Json around = roofs_and_axes(*cloud.context, threads, cloud.x, cloud.y);
  const std::string on = fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
  const std::string peak = flop_rate_text(*cloud.context->limits().peak(threads));
  return {{"host", short_id(host_id)},
          {"threads", threads},
          {"title", fmt::format("Roofline, {}", on)},
          {"conclusion",
           fmt::format("{} rows of ours on {} of {}, whose peak is {}.{}", cloud.points.size(), on,
                       cloud.host_name, peak, above_text(cloud.above))},
          {"x_label", around["x_axis"]["label"]},
          {"y_label", around["y_axis"]["label"]},
          {"x_ticks", tick_pairs(around["x_axis"]["ticks"])},
          {"y_ticks", tick_pairs(around["y_axis"]["ticks"])},
          {"roofs", roofs_with_texts(around["roofs"])},
          {"points", cloud.points}};
}

}  // namespace

Json rooflines_json(const std::vector<SiteCase>& cases) {
  std::map<std::pair<std::string, int>, Cloud> clouds;
  for (const SiteCase& one : cases) {
    for (const SiteRow& row : one.rows) {
      const Context& context = *row.shown->context;
      const int threads = row.measured->row.threads;
      const CaseFacts* facts = row.ours && usable(row.measured) ? context.facts(one.text) : nullptr;
      if (facts == nullptr || facts->bytes <= 0 || facts->flops <= 0) continue;
      if (!context.limits().peak(threads)) continue;
      Cloud& cloud = clouds[{row.host_id(), threads}];
      if (cloud.context == nullptr) {
        cloud.context = &context;
        cloud.host_name = row.shown->run->host.cpu_model;
      }
      widen(cloud.x, facts->flops / facts->bytes);
      cloud.points.push_back(point_json(one, row, *facts, cloud.y));
      const double slowest_rate = facts->flops / row.measured->wall_hi_ns;
      cloud.above += slowest_rate > *cloud.context->limits().peak(threads) ? 1 : 0;
    }
  }
  Json list = Json::array();
  for (const auto& [key, cloud] : clouds) {
    list.push_back(roofline_json(cloud, key.first, key.second));
  }
  return list;
}

}  // namespace nsop::report
