#include "harness/core/io/limited_json.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "harness/core/error.h"

namespace nsop {
namespace {

// Called by the parser for every event; keeps the keys of each open object.
class Limits {
 public:
  explicit Limits(const std::string& where) : where_(where) {}

  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    const bool starts = event == Event::object_start || event == Event::array_start;
    if ((starts || event == Event::value) && ++values_ > kMaxValues) {
      throw bad_data(fmt::format("{}: more than {} values", where_, kMaxValues));
    }
    // The depth that is reported is the one outside of what starts here.
    if (starts && depth >= kMaxDepth) {
      throw bad_data(fmt::format("{}: nested more than {} deep", where_, kMaxDepth));
    }
    if (event == Event::object_start) keys_.emplace_back();
    if (event == Event::object_end) keys_.pop_back();
    if (event == Event::key && !keys_.back().insert(parsed.get<std::string>()).second) {
      throw bad_data(fmt::format("{}: key '{}' is given twice", where_,
                                 parsed.get<std::string>().substr(0, 40)));
    }
    return true;
  }

 private:
  const std::string& where_;
  int64_t values_ = 0;
  std::vector<std::set<std::string>> keys_;
};

}  // namespace

Json parse_limited(std::string_view text, const std::string& where) {
  Limits limits(where);
  try {
    return Json::parse(text.begin(), text.end(), std::ref(limits));
  } catch (const nlohmann::json::parse_error& error) {
    throw bad_data(fmt::format("{}: not JSON at byte {}", where, error.byte));
  } catch (const nlohmann::json::exception& error) {
    throw bad_data(fmt::format("{}: not JSON: {}", where, error.what()));
  }
}

}  // namespace nsop
