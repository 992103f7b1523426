#include "kernels/conv/table.h"

#include <algorithm>
#include <array>

#include "kernels/conv/ways/rows.h"

namespace nsop::kernels {
namespace {

// Each way is asked after those that are faster where both pay. Those of Winograd come first.
constexpr std::array kForward = {&kWinogradForward, &kDilatedForward, &kPlanesForward,
                                 &kLinesForward, &kGemmForward};
constexpr std::array kData = {&kWinogradData, &kDilatedData, &kMeanData,
                              &kFewData,      &kPlanesData,  &kLinesData,
                              &kPhasesData,   &kPatchesData, &kColumnsData};
constexpr std::array kWeights = {&kWinogradWeights, &kDilatedWeights, &kMeanWeights,
                                 &kChannelWeights,  &kPlaneWeights,   &kFewWeights,
                                 &kGemmWeights};
constexpr size_t kWinogradWays = 2;  // at the head of each

// By pass.
constexpr std::array kWinograd = {&kWinogradForward, &kWinogradData, &kWinogradWeights};
constexpr std::array kIm2col = {&kIm2colForward, &kIm2colData, &kIm2colWeights};

using Ways = std::span<const ConvWay* const>;

Ways rule(ConvPass pass) {
  if (pass == ConvPass::kForward) return kForward;
  return pass == ConvPass::kData ? Ways(kData) : Ways(kWeights);
}

}  // namespace

Ways conv_ways(ConvChoice choice, ConvPass pass) {
  switch (choice) {
    case ConvChoice::kDirect:
      return rule(pass).subspan(kWinogradWays);
    case ConvChoice::kWinograd:
      return Ways(kWinograd).subspan(static_cast<size_t>(pass), 1);
    case ConvChoice::kIm2col:
      return Ways(kIm2col).subspan(static_cast<size_t>(pass), 1);
    case ConvChoice::kRule:
      break;
  }
  return rule(pass);
}

const ConvWay& conv_way(ConvChoice choice, ConvPass pass, const ConvShape& shape) {
  const Ways ways = conv_ways(choice, pass);
  const auto found =
      std::ranges::find_if(ways, [&](const ConvWay* way) { return way->pays(shape); });
  return found == ways.end() ? *ways.back() : **found;
}

}  // namespace nsop::kernels
