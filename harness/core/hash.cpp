#include "harness/core/hash.h"

#include <openssl/evp.h>

#include <array>
#include <memory>

#include "harness/core/files.h"

namespace nsop {
namespace {

struct Digest {
  Digest() : context(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  }
  void update(const void* data, size_t size) { EVP_DigestUpdate(context.get(), data, size); }
  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned int size = 0;
    EVP_DigestFinal_ex(context.get(), bytes.data(), &size);
    std::string text;
    for (unsigned int i = 0; i < size; ++i) {
      constexpr const char* kDigits = "0123456789abcdef";
      text += {kDigits[bytes[i] >> 4], kDigits[bytes[i] & 15]};
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
