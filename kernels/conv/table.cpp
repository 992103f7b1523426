#include "kernels/conv/table.h"

#include <algorithm>
#include <array>

#include "kernels/conv/ways/rows.h"

namespace nsop::kernels {
namespace {

using Way = const ConvWay*;
using Ways = std::span<const Way>;

// The ways of a pass: Winograd's, then the others. Within each list a way is asked after the ways
// that are faster where both pay.
template <size_t kWinogradWays, size_t kDirectWays>
struct PassTable {
  std::array<Way, kWinogradWays + kDirectWays> ways = {};

  constexpr PassTable(const Way (&winograd)[kWinogradWays], const Way (&direct)[kDirectWays]) {
    std::ranges::copy(direct, std::ranges::copy(winograd, ways.begin()).out);
  }
  constexpr Ways all() const { return ways; }
  constexpr Ways direct() const { return all().subspan(kWinogradWays); }
};

constexpr PassTable kForward({&kWinogradForward, &kDilatedForward},
                             {&kPlanesForward, &kLinesForward, &kGemmForward});
constexpr PassTable kData({&kWinogradData, &kDilatedData},
                          {&kMeanData, &kFewData, &kPlanesData, &kLinesData, &kPhasesData,
                           &kPatchesData, &kColumnsData});
constexpr PassTable kWeights({&kWinogradWeights, &kDilatedWeights},
                             {&kMeanWeights, &kChannelWeights, &kPlaneWeights, &kFewWeights,
                              &kGemmWeights});

// By pass.
constexpr std::array kRule = {kForward.all(), kData.all(), kWeights.all()};
constexpr std::array kDirect = {kForward.direct(), kData.direct(), kWeights.direct()};
constexpr std::array kWinograd = {&kWinogradForward, &kWinogradData, &kWinogradWeights};
constexpr std::array kIm2col = {&kIm2colForward, &kIm2colData, &kIm2colWeights};

}  // namespace

Ways conv_ways(ConvChoice choice, ConvPass pass) {
  const auto i = static_cast<size_t>(pass);
  switch (choice) {
    case ConvChoice::kDirect:
      return kDirect[i];
    case ConvChoice::kWinograd:
      return Ways(kWinograd).subspan(i, 1);
    case ConvChoice::kIm2col:
      return Ways(kIm2col).subspan(i, 1);
    case ConvChoice::kRule:
      break;
  }
  return kRule[i];
}

const ConvWay& conv_way(ConvChoice choice, ConvPass pass, const ConvShape& shape) {
  const Ways ways = conv_ways(choice, pass);
  const auto found =
      std::ranges::find_if(ways, [&](const ConvWay* way) { return way->pays(shape); });
  return found == ways.end() ? *ways.back() : **found;
}

}  // namespace nsop::kernels
