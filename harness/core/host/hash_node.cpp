// hash.h where node runs the program: by its crypto module, which is OpenSSL's, too.
// No header: what EM_JS defines is called in this file alone.
#include <emscripten.h>

#include <array>

#include "harness/core/files.h"
#include "harness/core/hash.h"

// A digest that was begun, as its number.
EM_JS(int, nsop_hash_begin, (), {
  if (!Module.nsopHashes) Module.nsopHashes = [];
  return Module.nsopHashes.push(require('crypto').createHash('sha256')) - 1;
});
EM_JS(void, nsop_hash_update, (int digest, const char* data, int size),
      { Module.nsopHashes[digest].update(HEAPU8.subarray(data, data + size)); });
// Writes 64 digits and a NUL.
EM_JS(void, nsop_hash_end, (int digest, char* hex), {
  const text = Module.nsopHashes[digest].digest('hex');
  delete Module.nsopHashes[digest];
  stringToUTF8(text, hex, 65);
});

namespace nsop {
namespace {

class Digest {
 public:
  void update(std::string_view data) {
    nsop_hash_update(number_, data.data(), static_cast<int>(data.size()));
  }
  std::string hex() const {
    std::array<char, 65> digits{};
    nsop_hash_end(number_, digits.data());
    return digits.data();
  }

 private:
  int number_ = nsop_hash_begin();
};

}  // namespace

std::string sha256_hex(std::string_view data) {
  Digest digest;
  digest.update(data);
  return digest.hex();
}

std::string sha256_file(const std::string& path) {
  Digest digest;
  read_pieces(path, [&](std::string_view piece) { digest.update(piece); });
  return digest.hex();
}

}  // namespace nsop
