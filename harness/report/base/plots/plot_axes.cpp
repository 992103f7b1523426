#include "harness/report/base/plots/plot_axes.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace nsop::report {

void widen(Range& range, double value) {
  if (!std::isfinite(value) || value <= 0) return;
  range.first = std::min(range.first, value);
  range.second = std::max(range.second, value);
}

Json log_ticks(const Range& range, std::string (*text)(double)) {
  Json ticks = Json::array();
  if (range.second < range.first) return ticks;
  const bool fine = range.second / range.first < 100;
  std::vector<double> steps;
  const int first = static_cast<int>(std::floor(std::log10(range.first)));
  const int last = static_cast<int>(std::ceil(std::log10(range.second)));
  for (int decade = first; decade <= last; ++decade) {
    for (const double step : {1.0, 2.0, 5.0}) {
      if (fine || step == 1) steps.push_back(step * std::pow(10.0, decade));
    }
  }
  const auto above_lo = std::upper_bound(steps.begin(), steps.end(), range.first);
  const auto above_hi = std::lower_bound(steps.begin(), steps.end(), range.second);
  const auto begin = above_lo == steps.begin() ? above_lo : above_lo - 1;
  const auto end = above_hi == steps.end() ? above_hi : above_hi + 1;
  const auto least = std::min(begin + 2, steps.end());  // a single value may be a tick itself
  for (auto it = begin; it != std::max(end, least); ++it) {
    Json tick;
    tick["value"] = *it;
    tick["text"] = text(*it);
    ticks.push_back(tick);
  }
  return ticks;
}

Json even_ticks(const Range& range, std::string (*text)(double value, double step)) {
  Json ticks = Json::array();
  if (range.second < range.first) return ticks;
  constexpr double kMostSteps = 6;
  constexpr double kLeastSpan = 0.02;  // of values that are all but equal: noise fills no plot
  const double span = std::max(range.second - range.first, kLeastSpan * range.second);
  const double middle = (range.first + range.second) / 2;
  double step = std::pow(10.0, std::floor(std::log10(span / kMostSteps)));
  for (const double factor : {2.0, 2.5, 2.0, 2.0}) {  // 2, 5, 10, 20 of it
    const double first = std::floor((middle - span / 2) / step);
    if (std::ceil((middle + span / 2) / step) - first <= kMostSteps) break;
    step *= factor;
  }
  const double first = std::floor((middle - span / 2) / step);
  const double last = std::ceil((middle + span / 2) / step);
  for (double k = first; k <= last; ++k) {
    ticks.push_back({{"value", k * step}, {"text", text(k * step, step)}});
  }
  return ticks;
}

Json axis(const std::string& label, const Json& ticks) {
  Json out;
  out["label"] = label;
  out["ticks"] = ticks;
  return out;
}

Json tick_pairs(const Json& ticks) {
  Json pairs = Json::array();
  for (const Json& tick : ticks) pairs.push_back(Json::array({tick["value"], tick["text"]}));
  return pairs;
}

std::string slug(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool lower = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool upper = c >= 'A' && c <= 'Z';
    if (lower) out += c;
    if (upper) out += static_cast<char>(c - 'A' + 'a');
    if (!lower && !upper && !out.empty() && out.back() != '-') out += '-';
  }
  constexpr size_t kLongest = 60;
  out = out.substr(0, kLongest);
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "unnamed" : out;
}

Json plot_head(const char* kind, const Context& context, const std::string& title,
               const std::string& part) {
  Json out;
  out["kind"] = kind;
  const std::string id = title.empty() ? "all" : slug(title);
  out["id"] = part.empty() ? id : id + "-" + part;
  out["title"] = title.empty() ? context.suite().title : title;
  return out;
}

Json drawn(std::initializer_list<Json> plots) {
  Json out = Json::array();
  for (const Json& plot : plots) {
    if (!plot.is_null()) out.push_back(plot);
  }
  return out;
}

}  // namespace nsop::report
