#include "harness/audit/checks/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "harness/core/text.h"

namespace nsop::audit {
namespace {

std::string spoken(Kind kind) {
  switch (kind) {
    case Kind::kUnlikeCases:
      return "unlike cases";
    case Kind::kDirection:
      return "direction confused";
    case Kind::kShareWithoutParts:
      return "share without its parts";
    case Kind::kNotCheckable:
      return "not checkable";
    default:
      return kind_text(kind);
  }
}

size_t count(const std::vector<Finding>& findings, Kind kind) {
  return static_cast<size_t>(std::count_if(findings.begin(), findings.end(),
                                           [&](const Finding& f) { return f.kind == kind; }));
}

// Data or, in properties, values of a workflow command.
std::string escaped(const std::string& text, bool property) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '%') {
      out += "%25";
    } else if (c == '\n' || c == '\r') {
      out += c == '\n' ? "%0A" : "%0D";
    } else if (property && (c == ':' || c == ',')) {
      out += c == ':' ? "%3A" : "%2C";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string kind_text(Kind kind) {
  switch (kind) {
    case Kind::kRight:
      return "right";
    case Kind::kRounded:
      return "rounded";
    case Kind::kWrong:
      return "wrong";
    case Kind::kUnlikeCases:
      return "unlike_cases";
    case Kind::kDirection:
      return "direction";
    case Kind::kShareWithoutParts:
      return "share_without_parts";
    case Kind::kNotCheckable:
      return "not_checkable";
  }
  return "";
}

bool accuses(Kind kind) {
  return kind == Kind::kWrong || kind == Kind::kUnlikeCases || kind == Kind::kDirection;
}

void put_in_order(std::vector<Finding>& findings) {
  const auto key = [](const Finding& f) { return std::tie(f.line, f.kind, f.figure, f.note); };
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.line < b.line; });
  std::vector<Finding> once;
  for (Finding& f : findings) {
    bool seen = false;
    for (auto o = once.rbegin(); !seen && o != once.rend() && o->line == f.line; ++o) {
      seen = key(*o) == key(f);
    }
    if (!seen) once.push_back(std::move(f));
  }
  findings = std::move(once);
}

std::string as_text(const std::string& file, const std::vector<Finding>& findings, bool all) {
  std::string out;
  for (const Finding& f : findings) {
    if (!all && (f.kind == Kind::kRight || f.kind == Kind::kRounded)) continue;
    out +=
        printable(fmt::format("{}:{}: {}: {}: {}", file, f.line, spoken(f.kind), f.figure, f.note));
    out += '\n';
  }
  std::vector<std::string> counts;
  for (const Kind kind : kKinds) {
    counts.push_back(fmt::format("{} {}", count(findings, kind), spoken(kind)));
  }
  return out + printable(fmt::format("{}: {}", file, join(counts, ", "))) + '\n';
}

Json as_json(const std::string& file, const std::vector<Finding>& findings) {
  Json list = Json::array(), counts = Json::object();
  for (const Kind kind : kKinds) counts[kind_text(kind)] = count(findings, kind);
  for (const Finding& f : findings) {
    list.push_back({{"line", f.line},
                    {"kind", kind_text(f.kind)},
                    {"figure", printable(f.figure)},
                    {"note", printable(f.note)}});
  }
  return {{"file", printable(file)}, {"counts", std::move(counts)}, {"findings", std::move(list)}};
}

std::string as_annotations(const std::string& file, const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& f : findings) {
    if (!accuses(f.kind) && f.kind != Kind::kShareWithoutParts) continue;
    out += fmt::format("::{} file={},line={},title={}::{}\n", accuses(f.kind) ? "error" : "warning",
                       escaped(file, true), f.line, escaped(spoken(f.kind), true),
                       escaped(f.figure + ": " + f.note, false));
  }
  return out;
}

}  // namespace nsop::audit
