#include "layers/apps/train/digits.h"

#include <array>
#include <string_view>

namespace nsop::layers {
namespace {

constexpr size_t kSide = 8;
constexpr size_t kWidth = 5;
constexpr size_t kHeight = 7;

// Rows from the top, five cells each.
constexpr std::array<std::string_view, 10> kGlyphs = {
    " ### #   ##  ### # ###  ##   # ### ",  // 0
    "  #   ##    #    #    #    #   ### ",  // 1
    " ### #   #    #   #   #   #   #####",  // 2
    " ### #   #    #  ##     ##   # ### ",  // 3
    "   #   ##  # # #  # #####   #    # ",  // 4
    "######    ####     #    ##   # ### ",  // 5
    "  ##  #   #    #### #   ##   # ### ",  // 6
    "#####    #   #   #   #    #    #   ",  // 7
    " ### #   ##   # ### #   ##   # ### ",  // 8
    " ### #   ##   # ####    #   #  ##  ",  // 9
};

static_assert([] {
  for (const std::string_view glyph : kGlyphs) {
    if (glyph.size() != kWidth * kHeight) return false;
  }
  return true;
}());

void draw(size_t digit, Random& random, std::vector<float>& picture) {
  picture.assign(kSide * kSide, 0);
  const size_t left = random.below(kSide - kWidth + 1);
  const size_t top = random.below(kSide - kHeight + 1);
  const double ink = random.uniform(0.6, 1);
  for (size_t i = 0; i < kWidth * kHeight; ++i) {
    const size_t cell = (top + i / kWidth) * kSide + left + i % kWidth;
    if (kGlyphs[digit][i] == '#') picture[cell] = static_cast<float>(ink);
  }
  for (int blot = 0; blot < 2; ++blot) {
    float& cell = picture[random.below(picture.size())];
    cell = static_cast<float>(ink) - cell;
  }
  for (float& cell : picture) cell += static_cast<float>(0.15 * random.normal());
}

}  // namespace

Dataset make_digits(size_t count, uint64_t seed) {
  Dataset data{{1, kSide, kSide}, {}, {}, {}};
  Random random(seed);
  std::vector<float> picture;
  for (size_t i = 0; i < count; ++i) {
    const size_t digit = i % kGlyphs.size();
    draw(digit, random, picture);
    data.examples.insert(data.examples.end(), picture.begin(), picture.end());
    data.targets.push_back(static_cast<float>(digit));
  }
  return data;
}

}  // namespace nsop::layers
