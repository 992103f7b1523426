#include "harness/store/backend/address.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
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

// Its parts by libpq's names; empty if it can't be read.
std::map<std::string, std::string> parts_of(const std::string& address) {
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> options(
      PQconninfoParse(address.c_str(), nullptr), PQconninfoFree);
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
  return address.starts_with("postgresql://") || address.starts_with("postgres://") ||
         address.starts_with("service=");
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
        "postgresql://USER@HOST:PORT/DATABASE with special characters as %XX, or service=NAME");
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

}  // namespace nsop::store
