#include "harness/core/hash.h"

#include <openssl/evp.h>

#include <array>
#include <memory>

#include "harness/core/files.h"

namespace nsop {
namespace {

// Fetched once: EVP_sha256() is looked up again at every use.
const EVP_MD* sha256() {
  static EVP_MD* const found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return found;
}

struct Digest {
  Digest() : context(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    EVP_DigestInit_ex(context.get(), sha256(), nullptr);
  }
  void update(const void* data, size_t size) { EVP_DigestUpdate(context.get(), data, size); }
  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned int size = 0;
    EVP_DigestFinal_ex(context.get(), bytes.data(), &size);
    std::string text(2 * size, '0');
    for (size_t i = 0; i < size; ++i) {
      constexpr const char* kDigits = "0123456789abcdef";
      text[2 * i] = kDigits[bytes[i] >> 4];
      text[2 * i + 1] = kDigits[bytes[i] & 15];
    }
    return text;
  }
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context;
};

}  // namespace

std::string sha256_hex(std::string_view data) {
  Digest digest;
  digest.update(data.data(), data.size());
  return digest.hex();
}

std::string sha256_file(const std::string& path) {
  Digest digest;
  read_pieces(path, [&](std::string_view piece) { digest.update(piece.data(), piece.size()); });
  return digest.hex();
}

}  // namespace nsop
