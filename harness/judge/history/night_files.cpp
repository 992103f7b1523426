// Nights and events as files of a data branch: the second half of nights.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/hash.h"
#include "harness/core/identity.h"
#include "harness/core/io/json_field.h"
#include "harness/core/io/limited_json.h"
#include "harness/judge/history/nights.h"
#include "harness/store/event_digest.h"

namespace nsop::judge {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNight = "nsop.night/1";
constexpr const char* kEvent = "nsop.alert-event/2";
constexpr const char* kUnsealedEvent = "nsop.alert-event/1";  // of earlier versions: no SHA-256
constexpr const char* kOldEvents = "alerts.ndjson";
constexpr const char* kEventPrefix = "alert-";
constexpr size_t kMostBytes = 64u << 20;
constexpr size_t kMostHeadBytes = 64u << 10;

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

std::optional<double> optional_from(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return json.get<double>();
}

// What isn't known of the repetitions is left out, as earlier versions did.
Json row_json(const NightRow& r) {
  Json json = {{"type", "row"},
               {"case", r.row.case_text},
               {"variant", r.row.variant},
               {"target", r.row.target},
               {"threads", r.row.threads},
               {"status", status_text(r.status)},
               {"inputs", r.inputs_sha256},
               {"ns", r.ns},
               {"wall_ns", r.wall_ns},
               {"invocations", r.invocations},
               {"allocs", optional_json(r.allocs)},
               {"bytes", optional_json(r.bytes)}};
  if (r.excess) json["excess"] = *r.excess;
  if (r.first_ns) json["first_ns"] = *r.first_ns;
  return json;
}

void check_time(const char* name, double ns) {
  if (!(ns >= 0 && ns <= 1e19)) throw bad_data(fmt::format("'{}' is no time", name));
}

NightRow night_row_from(const Json& json) {
  NightRow r;
  r.row = {field(json, "case"), field(json, "variant"), field(json, "target"),
           field(json, "threads")};
  r.status = status_from_text(field(json, "status"));
  r.inputs_sha256 = field(json, "inputs");
  r.ns = field(json, "ns");
  r.wall_ns = field(json, "wall_ns");
  r.invocations = field(json, "invocations");
  r.allocs = optional_from(json.at("allocs"));
  r.bytes = optional_from(json.at("bytes"));
  check_time("ns", r.ns);
  check_time("wall_ns", r.wall_ns);
  if (json.contains("excess")) {
    r.excess = json_field<double>(json, "excess");
    if (!(*r.excess >= 0 && std::isfinite(*r.excess))) throw bad_data("'excess' is no excess");
  }
  if (json.contains("first_ns")) {
    r.first_ns = json_field<double>(json, "first_ns");
    check_time("first_ns", *r.first_ns);
    if (*r.first_ns == 0) throw bad_data("'first_ns' is no time");
  }
  for (const auto& [name, count] : {std::pair{"allocs", r.allocs}, {"bytes", r.bytes}}) {
    if (count && !(*count >= 0 && std::isfinite(*count))) {
      throw bad_data(fmt::format("'{}' is no count", name));
    }
  }
  if (r.row.threads < 1) throw bad_data("'threads' must be >= 1");
  if (r.invocations < 0) throw bad_data("'invocations' must be >= 0");
  return r;
}

// The text's lines, each parsed; every problem is told with `where:line`.
template <typename F>
void for_each_line(const std::string& text, const std::string& where, F&& take) {
  if (text.size() > kMostBytes) {
    throw bad_data(fmt::format("{}: larger than {} MiB", where, kMostBytes >> 20));
  }
  int number = 0;
  size_t begin = 0;
  while (begin < text.size()) {
    ++number;
    const size_t end = text.find('\n', begin);
    const std::string here = fmt::format("{}:{}", where, number);
    if (end == std::string::npos) throw bad_data(here + ": truncated: the last line is cut off");
    const Json json = parse_limited(text.substr(begin, end - begin), here);
    read_fields(here, [&] { take(json, begin, number); });
    begin = end + 1;
  }
}

void read_head(const Json& json, Night& night) {
  if (const auto found = json_field_or<std::string>(json, "schema", ""); found != kNight) {
    throw bad_data(fmt::format("expected schema '{}', found '{}'", kNight, found.substr(0, 40)));
  }
  night.run_id = field(json, "run");
  night.started_utc = field(json, "started_utc");
  night.profile = field(json, "profile");
  night.tool_version = field(json, "tool_version");
  night.commit = field(json, "commit");
  night.toolchain = field(json, "toolchain");
  night.host = host_from_json(json.at("host"));
  night.backfilled = json_field_or(json, "backfilled", false);
  if (!utc_seconds(night.started_utc)) throw bad_data("'started_utc' is no time");
}

void sort_by_time(std::vector<Night>& nights) {
  std::stable_sort(nights.begin(), nights.end(),
                   [](const Night& a, const Night& b) { return a.started_utc < b.started_utc; });
}

// A night without its rows, of which only the file's first line is read.
Night read_head_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line(kMostHeadBytes, '\0');
  if (file) file.read(line.data(), static_cast<std::streamsize>(line.size()));
  if (file.bad() || !file.is_open()) throw unreadable_file(path);
  line.resize(static_cast<size_t>(file.gcount()));
  const size_t end = line.find('\n');
  if (end != std::string::npos) line.resize(end + 1);
  Night night;
  for_each_line(line, path, [&](const Json& json, size_t, int) { read_head(json, night); });
  if (line.empty()) throw bad_data(path + ": truncated: the file is empty; fetch it again");
  return night;
}

std::string compact(std::string utc) {
  std::erase_if(utc, [](char c) { return c == '-' || c == ':'; });
  return utc;
}

bool is_of_events(const fs::path& path) {
  return path.filename() == kOldEvents || path.filename().string().starts_with(kEventPrefix);
}

// The folder's .ndjson files by name; none when it isn't there.
std::vector<fs::path> files_of(const std::string& folder) {
  std::vector<fs::path> paths;
  if (!fs::exists(folder)) return paths;
  std::error_code error;
  for (const auto& entry : entries_of(folder, error)) {
    if (entry.path().extension() == ".ndjson") paths.push_back(entry.path());
  }
  if (error) throw environment_error(fmt::format("{}: {}", folder, error.message()));
  std::sort(paths.begin(), paths.end());
  return paths;
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw environment_error(fmt::format("{}: {}", folder, error.message()));
}

}  // namespace

std::string night_text(const Night& night) {
  Json head = {{"schema", kNight},           {"type", "night"},
               {"run", night.run_id},        {"started_utc", night.started_utc},
               {"profile", night.profile},   {"tool_version", night.tool_version},
               {"commit", night.commit},     {"toolchain", night.toolchain},
               {"host", to_json(night.host)}};
  if (night.backfilled) head["backfilled"] = true;
  const auto line = [](const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  };
  std::string text = line(head);
  for (const NightRow& row : night.rows) text += line(row_json(row));
  return text + line({{"type", "end"}, {"n", night.rows.size()}, {"sha256", sha256_hex(text)}});
}

Night parse_night(const std::string& text, const std::string& where) {
  Night night;
  bool ended = false;
  for_each_line(text, where, [&](const Json& json, size_t begin, int number) {
    if (ended) throw bad_data("there is more after the end line");
    if (number == 1) return read_head(json, night);
    if (json.at("type") == "row") {
      night.rows.push_back(night_row_from(json));
      return;
    }
    ended = json.at("type") == "end" && json.at("n") == night.rows.size();
    if (!ended || json.at("sha256") != sha256_hex(text.substr(0, begin))) {
      throw bad_data("the file was changed or damaged; fetch it again");
    }
  });
  if (!ended) throw bad_data(where + ": truncated: the end line is missing; fetch it again");
  return night;
}

void for_each_night(const std::string& folder, const std::function<void(Night)>& take) {
  for (const fs::path& path : files_of(folder)) {
    if (is_of_events(path)) continue;
    take(parse_night(read_file(path.string(), kMostBytes), path.string()));
  }
}

std::vector<Night> read_nights(const std::string& folder) {
  std::vector<Night> nights;
  for_each_night(folder, [&](Night night) { nights.push_back(std::move(night)); });
  sort_by_time(nights);
  return nights;
}

std::vector<Night> read_heads(const std::string& folder) {
  std::vector<Night> nights;
  for (const fs::path& path : files_of(folder)) {
    if (!is_of_events(path)) nights.push_back(read_head_of(path.string()));
  }
  sort_by_time(nights);
  return nights;
}

std::string write_night(const std::string& folder, const Night& night) {
  make_folder(folder);
  const std::string path =
      fmt::format("{}/{}-{}.ndjson", folder, compact(night.started_utc), night.run_id.substr(0, 8));
  write_file_atomically(path, night_text(night));
  return path;
}

std::vector<store::AlertEvent> merged_events(std::vector<store::AlertEvent> events,
                                             const std::vector<store::AlertEvent>& more) {
  std::set<std::string> known;
  for (const store::AlertEvent& event : events) known.insert(event.id);
  for (const store::AlertEvent& event : more) {
    if (known.insert(event.id).second) events.push_back(event);
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const auto& a, const auto& b) { return a.at_utc < b.at_utc; });
  return events;
}

std::vector<store::AlertEvent> parse_events(const std::string& text, const std::string& where) {
  std::vector<store::AlertEvent> events;
  for_each_line(text, where, [&](const Json& json, size_t, int) {
    const auto schema = json_field<std::string>(json, "schema");
    if (schema != kEvent && schema != kUnsealedEvent) {
      throw bad_data(fmt::format("expected schema '{}'", kEvent));
    }
    if (!utc_seconds(json_field<std::string>(json, "at"))) throw bad_data("'at' is no time");
    store::AlertEvent event = {field(json, "id"),     field(json, "alert"), field(json, "host"),
                               field(json, "action"), field(json, "at"),    json.at("body").dump()};
    if (schema == kEvent &&
        store::alert_event_digest(event) != json_field<std::string>(json, "sha256")) {
      throw bad_data("the event doesn't have its sha256: the file was changed or damaged");
    }
    events.push_back(std::move(event));
  });
  return events;
}

std::vector<store::AlertEvent> read_events(const std::string& folder) {
  std::vector<store::AlertEvent> events;
  for (const fs::path& path : files_of(folder)) {
    if (!is_of_events(path)) continue;
    const std::string text = read_file(path.string(), kMostBytes);
    if (text.empty() && path.filename() != kOldEvents) {
      throw bad_data(path.string() + ": is empty; fetch it again");
    }
    for (store::AlertEvent& event : parse_events(text, path.string())) {
      events.push_back(std::move(event));
    }
  }
  return merged_events({}, events);
}

void write_events(const std::string& folder, const std::vector<store::AlertEvent>& events) {
  make_folder(folder);
  std::set<std::string> there;
  for (const store::AlertEvent& event : read_events(folder)) there.insert(event.id);
  for (const store::AlertEvent& event : events) {
    if (there.contains(event.id)) continue;
    store::AlertEvent written = event;  // its body as it will be read
    const Json body = parse_json(event.body, "event " + event.id);
    written.body = body.dump();
    const Json json = {{"schema", kEvent},
                       {"id", event.id},
                       {"alert", event.alert_id},
                       {"host", event.host_id},
                       {"action", event.action},
                       {"at", event.at_utc},
                       {"body", body},
                       {"sha256", store::alert_event_digest(written)}};
    const std::string at = utc_seconds(event.at_utc) ? compact(event.at_utc) : "no-time";
    write_file_atomically(fmt::format("{}/{}{}-{}.ndjson", folder, kEventPrefix, at,
                                      sha256_hex(event.id).substr(0, 16)),
                          json.dump() + "\n");
  }
}

}  // namespace nsop::judge
