#include "harness/report/site/site_links.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/hash.h"

namespace nsop::report {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLongest = 500;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// What stands for itself in a URL (RFC 3986, unreserved) and separates its parts.
bool is_plain(char c) {
  return is_letter_or_digit(c) || std::string_view("-._~/:%+").find(c) != std::string_view::npos;
}

// The path with `%20` and the like for what a URL can't hold as it is.
std::string encoded(const std::string& path) {
  std::string out;
  for (const char c : path) {
    const bool plain = is_plain(c) && c != ':' && c != '%';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string without_slash(std::string text) {
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

}  // namespace

std::string case_id(const std::string& case_text) { return sha256_hex(case_text).substr(0, 12); }

bool is_url(const std::string& site) {
  return site.starts_with("https://") || site.starts_with("http://");
}

std::string site_address(const std::string& site, const std::string& folder) {
  if (site.empty() || (!is_url(site) && folder.empty())) return {};
  const std::string address =
      is_url(site) ? without_slash(site)
                   : encoded(without_slash(
                         fs::absolute(site).lexically_relative(fs::absolute(folder)).string()));
  for (const char c : address) {
    if (!is_plain(c)) {
      throw usage_error(fmt::format(
          "site '{}': expected a folder or a URL of letters, digits and -._~/:%+", site));
    }
  }
  if (address.size() > kLongest) {
    throw usage_error(fmt::format("site '{}': longer than {} characters", site, kLongest));
  }
  return address;
}

std::string case_address(const std::string& address, const std::string& case_text) {
  return fmt::format("{}/case/{}.html", address, case_id(case_text));
}

}  // namespace nsop::report
