// Convolutions by oneDNN. `onednn` is the fastest of all that the library can do with plain tensors
// (Winograd, direct, channels last with the reorders inside; no reorders), measured at set-up and
// named in `chose`; `onednn_direct` and `onednn_winograd` compare algorithm with algorithm;
// `onednn_blocked` starts and ends in the layouts that the library prefers, weights included.
#include "reference/peers/onednn/conv.h"

namespace nsop::reference::peers {
namespace {

struct Column {
  const char* name;
  const char* summary;
  std::vector<Way> ways;
  Layout layout;
};

const std::vector<Column>& columns() {
  static const std::vector<Column> all = {
      {"onednn",
       "convolution primitive, fastest algorithm for plain layouts",
       {Way::kAny, Way::kWinograd, Way::kPackedWinograd, Way::kChannelsLast, Way::kPlain},
       Layout::kPlain},
      {"onednn_direct",
       "convolution primitive without Winograd, plain layouts",
       {Way::kDirect, Way::kChannelsLast, Way::kPlain},
       Layout::kPlain},
      {"onednn_winograd",
       "convolution primitive by Winograd, plain layouts",
       {Way::kWinograd, Way::kPackedWinograd},
       Layout::kPlain},
      {"onednn_blocked",
       "convolution primitive in its own layouts, reorders outside the step",
       {Way::kAny, Way::kWinograd, Way::kPackedWinograd, Way::kChannelsLast},
       Layout::kOwn},
  };
  return all;
}

Variant variant(const std::string& op, const Column& column) {
  const bool can_reduce = op != "conv3d";
  return onednn_variant(
      op, column.name, column.summary,
      [column, can_reduce](const StepRequest& request) {
        return conv_program(conv_of(request.op_case, can_reduce), request, column.ways,
                            column.layout);
      },
      [column, can_reduce](const Case& c, int threads) {
        set_onednn_threads(threads);
        return conv_unsupported(conv_of(c, can_reduce), column.ways);
      });
}

const bool registered = [] {
  for (const char* op : {"conv1d", "conv2d", "conv3d"}) {
    for (const Column& column : columns()) {
      // The library has Winograd for images only.
      const bool only_winograd = column.ways.front() == Way::kWinograd;
      if (!only_winograd || std::string(op) == "conv2d") VariantRow(variant(op, column));
    }
  }
  return true;
}();

}  // namespace
}  // namespace nsop::reference::peers
