#include "harness/store/backend/address.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "harness/core/error.h"

namespace nsop::store {
namespace {

constexpr const char* kHidden = "****";
constexpr const char* kSecrets[] = {"password", "sslpassword"};

constexpr std::string_view kBlanks = " \t\n\r\f\v";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), lower);
  return text;
}

std::string without_leading_blanks(const std::string& text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  return begin == std::string::npos ? "" : text.substr(begin);
}

// Characters of `SCHEME://`, whichever it is; 0 if it begins otherwise.
size_t scheme_size(const std::string& text) {
  const size_t end = text.find("://");
  if (end == std::string::npos || end == 0) return 0;
  const bool is_scheme =
      std::all_of(text.begin(), text.begin() + static_cast<ptrdiff_t>(end),
                  [](unsigned char c) { return std::isalnum(c) != 0 || c == '+' || c == '-'; });
  return is_scheme ? end + 3 : 0;
}

// Null for what libpq can't read.
std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> parsed(const std::string& text) {
  return {PQconninfoParse(text.c_str(), nullptr), PQconninfoFree};
}

// Is the word before the first `=` a setting of libpq's, in whatever case?
bool begins_with_setting(const std::string& text) {
  const size_t end = text.find('=');
  if (end == std::string::npos) return false;
  std::string name = lower_case(text.substr(0, end));
  name.erase(name.find_last_not_of(kBlanks) + 1);
  const auto known = parsed("");
  for (const PQconninfoOption* one = known.get(); one != nullptr && one->keyword != nullptr;
       ++one) {
    if (name == one->keyword) return true;
  }
  return false;
}

// Does a word `password =` stand anywhere, as after a setting that is misspelt?
bool names_a_secret(const std::string& text) {
  const std::string words = lower_case(text);
  for (size_t at = 0; (at = words.find("password", at)) != std::string::npos; ++at) {
    const size_t after = words.find_first_not_of(kBlanks, at + std::string_view("password").size());
    if (after != std::string::npos && words[after] == '=') return true;
  }
  return false;
}

// Its parts by libpq's names; empty if it can't be read.
std::map<std::string, std::string> parts_of(const std::string& address) {
  std::string text = without_leading_blanks(address);
  const size_t scheme = scheme_size(text);  // libpq wants it in small letters
  std::transform(text.begin(), text.begin() + static_cast<ptrdiff_t>(scheme), text.begin(), lower);
  const auto options = parsed(text);
  std::map<std::string, std::string> parts;
  for (const PQconninfoOption* one = options.get(); one != nullptr && one->keyword != nullptr;
       ++one) {
    if (one->val != nullptr) parts[one->keyword] = one->val;
  }
  return parts;
}

std::string part(const std::map<std::string, std::string>& parts, const std::string& name) {
  const auto found = parts.find(name);
  return found == parts.end() ? "" : found->second;
}

std::string percent_encoded(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

void hide(std::string& text, const std::string& secret) {
  if (secret.empty()) return;
  for (size_t at = 0; (at = text.find(secret, at)) != std::string::npos;
       at += std::string_view(kHidden).size()) {
    text.replace(at, secret.size(), kHidden);
  }
}

std::string quoted_value(const std::string& value) {
  std::string out = "'";
  for (const char c : value) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

}  // namespace

bool is_server(const std::string& address) {
  const std::string text = without_leading_blanks(address);
  if (text.starts_with("/") || text.starts_with("./") || text.starts_with("../")) return false;
  return scheme_size(text) > 0 || begins_with_setting(text) || names_a_secret(text);
}

std::string shown_address(const std::string& address) {
  if (!is_server(address)) return address;
  const auto parts = parts_of(address);
  if (parts.empty()) return "postgresql://" + std::string(kHidden);
  if (parts.contains("service")) return "service=" + part(parts, "service");
  std::string shown = "postgresql://";
  if (parts.contains("user")) shown += part(parts, "user") + "@";
  shown += part(parts, "host");
  if (parts.contains("port")) shown += ":" + part(parts, "port");
  return shown + "/" + part(parts, "dbname");
}

bool has_secret(const std::string& address) {
  if (!is_server(address)) return false;
  const auto parts = parts_of(address);
  return std::any_of(std::begin(kSecrets), std::end(kSecrets),
                     [&](const char* name) { return !part(parts, name).empty(); });
}

std::string connection_string(const std::string& address) {
  auto parts = parts_of(address);
  if (parts.empty()) {
    throw usage_error(
        "a PostgreSQL address that can't be read; expected "
        "postgresql://USER@HOST:PORT/DATABASE with special characters as %XX, service=NAME, or a "
        "file's path");
  }
  if (!parts.contains("connect_timeout") && std::getenv("PGCONNECT_TIMEOUT") == nullptr) {
    parts["connect_timeout"] = "10";
  }
  parts.emplace("application_name", "nsop");
  parts["client_encoding"] = "UTF8";
  std::string text;
  for (const auto& [name, value] : parts) text += name + "=" + quoted_value(value) + " ";
  return text;
}

std::string without_secrets(const std::string& text, const std::string& address) {
  std::string line = text.substr(0, text.find('\n'));
  hide(line, address);
  const auto parts = parts_of(address);
  for (const char* name : kSecrets) {
    const std::string secret = part(parts, name);
    hide(line, percent_encoded(secret));
    hide(line, secret);
  }
  return line;
}

std::string without_passwords(std::string text) {
  for (size_t at = 0; (at = text.find("://", at)) != std::string::npos;) {
    at += 3;
    const size_t end = std::min(text.find_first_of(" \t\n\"", at), text.size());
    const size_t host = text.find_last_of('@', end);
    const size_t colon = text.find(':', at);
    if (host == std::string::npos || host < at || colon > host) continue;
    text.replace(colon + 1, host - colon - 1, kHidden);
  }
  for (size_t at = 0; (at = text.find("password=", at)) != std::string::npos;) {
    at += std::string_view("password=").size();
    const bool quoted = at < text.size() && text[at] == '\'';
    const size_t end = quoted ? text.find('\'', at + 1) + 1 : text.find_first_of(" \t\n&;,", at);
    const size_t size = end == 0 ? text.size() : std::min(end, text.size());
    text.replace(at, size - at, kHidden);
  }
  return text;
}

}  // namespace nsop::store
