#include "harness/foreign/import/times.h"

#include <regex>

#include "harness/core/identity.h"

namespace nsop::foreign {

std::string utc_of_iso8601(const std::string& text) {
  static const std::regex pattern(
      R"((\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?([.,]\d{1,9})?\s?(Z|UTC|([+-])(\d\d):?(\d\d))?)");
  std::smatch m;
  if (text.size() > 64 || !std::regex_match(text, m, pattern)) return {};
  const std::string seconds_text = m[3].matched ? m[3].str() : ":00";
  const auto seconds = utc_seconds(m[1].str() + "T" + m[2].str() + seconds_text + "Z");
  if (!seconds) return {};
  int64_t ahead = 0;
  if (m[6].matched) {
    ahead = std::stoi(m[7].str()) * 3600 + std::stoi(m[8].str()) * 60;
    if (m[6].str() == "-") ahead = -ahead;
  }
  return utc_text(*seconds - ahead);
}

}  // namespace nsop::foreign
