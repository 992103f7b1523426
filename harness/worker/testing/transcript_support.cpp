#include "harness/worker/testing/transcript_support.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/files.h"
#include "harness/core/text.h"

namespace nsop::worker {
namespace {

bool is_of_type(const std::string& wanted, const Json& got) {
  if (wanted == "<text>") return got.is_string();
  if (wanted == "<integer>") return got.is_number_integer();
  if (wanted == "<number>") return got.is_number();
  if (wanted == "<list>") return got.is_array();
  return wanted == "<object>" && got.is_object();
}

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

bool is_named_list(const Json& list) {
  return list.is_array() && !list.empty() &&
         std::all_of(list.begin(), list.end(),
                     [](const Json& one) { return one.is_object() && one.contains("name"); });
}

// Each expected entry against the one of that name: a list of named things may grow.
std::string misfit_by_name(const Json& expected, const Json& got, const std::string& path) {
  for (const Json& one : expected) {
    const auto same = std::find_if(got.begin(), got.end(),
                                   [&](const Json& other) { return other["name"] == one["name"]; });
    const std::string where = fmt::format("{}[{}]", path, one["name"].dump());
    if (same == got.end()) return where + ": missing";
    if (auto reason = misfit(one, *same, where); !reason.empty()) return reason;
  }
  return {};
}

}  // namespace

std::string misfit(const Json& expected, const Json& got, const std::string& path) {
  if (expected.is_string() && expected.get<std::string>().starts_with("<")) {
    if (is_of_type(expected.get<std::string>(), got)) return {};
  } else if (expected.is_object() && got.is_object()) {
    for (const auto& [key, value] : expected.items()) {
      if (!got.contains(key)) return fmt::format("{}.{}: missing", path, key);
      if (auto reason = misfit(value, got[key], fmt::format("{}.{}", path, key)); !reason.empty())
        return reason;
    }
    return {};
  } else if (is_named_list(expected) && is_named_list(got)) {
    return misfit_by_name(expected, got, path);
  } else if (expected.is_array() && got.is_array() && expected.size() == got.size()) {
    for (size_t i = 0; i < expected.size(); ++i) {
      auto reason = misfit(expected[i], got[i], fmt::format("{}[{}]", path, i));
      if (!reason.empty()) return reason;
    }
    return {};
  } else if (expected == got) {
    return {};
  }
  return fmt::format("{}: expected {}, got {}", path, expected.dump(), got.dump());
}

std::string replay(Server& server, const std::string& file, const std::string& dir, int& replayed) {
  std::string reasons;
  int number = 0;
  for (const std::string& raw : split(read_file(file), '\n')) {
    ++number;
    if (trim(raw).empty()) continue;
    const std::string where = fmt::format("{}:{}", file, number);
    const Json line = parse_json(replace_all(raw, "$DIR", dir), where);
    const Json& send = line.at("send");
    const std::string request = send.is_string() ? send.get<std::string>() : send.dump();
    const Json got = parse_json(server.handle_line(request), "answer");
    const std::string reason = misfit(line.at("expect"), got);
    if (!reason.empty()) reasons += fmt::format("{}: {}\n", where, reason);
    ++replayed;
  }
  return reasons;
}

}  // namespace nsop::worker
