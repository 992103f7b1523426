#include "harness/store/event_digest.h"

#include <fmt/format.h>

#include "harness/core/hash.h"

namespace nsop::store {

std::string alert_event_digest(const AlertEvent& event) {
  return sha256_hex(fmt::format("{}\n{}\n{}\n{}\n{}\n{}", event.id, event.alert_id, event.host_id,
                                event.action, event.at_utc, event.body));
}

std::string event_digest(long long seq, std::initializer_list<std::string> fields) {
  std::string text = fmt::format("{}\n", seq);
  for (const std::string& field : fields) text += fmt::format("{}:{}\n", field.size(), field);
  return sha256_hex(text);
}

}  // namespace nsop::store
