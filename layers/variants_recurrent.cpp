// The variant `layer` of recurrent cells and of the embedding. A sequence starts from the states
// that the op is given, as it does where a network is not stateful.
#include <algorithm>

#include "layers/core/variant.h"
#include "layers/embedding.h"
#include "layers/recurrent.h"

namespace nsop::layers {
namespace {

const Recurrent& recurrent(const Layer& layer) { return dynamic_cast<const Recurrent&>(layer); }

template <class L>
Variant sequence(const char* op) {
  return layer_variant({
      .op = op,
      .make =
          [](const Case& c) {
            return std::make_unique<L>(static_cast<size_t>(c.shape("in")[2]),
                                       static_cast<size_t>(c.integer("hidden")));
          },
      .input = [](const Case& c) { return c.shape("in"); },
      .parameters = {{"w", "weight"},
                     {"u", "state_weight"},
                     {"b", "bias"},
                     {"bw", "bias"},
                     {"bu", "state_bias"}},
      .saved = {{"c_n", [](const Layer& layer) { return recurrent(layer).last_state().c; }},
                {"dh0",
                 [](const Layer& layer) { return recurrent(layer).state_gradient().hidden; }},
                {"dc0", [](const Layer& layer) { return recurrent(layer).state_gradient().cell; }}},
      .restore = {{"h0",
                   [](Layer& layer, ConstFloats h) {
                     std::ranges::copy(h, recurrent(layer).state().hidden.begin());
                   }},
                  {"c0",
                   [](Layer& layer, ConstFloats c) {
                     std::ranges::copy(c, recurrent(layer).state().cell.begin());
                   }},
                  {"dc_n",
                   [](Layer& layer, ConstFloats dc) {
                     std::ranges::copy(dc, recurrent(layer).last_cell_gradient().begin());
                   }}},
  });
}

const VariantRow lstm_row{sequence<LSTM>("lstm")};
const VariantRow gru_row{sequence<GRU>("gru")};
const VariantRow rnn_row{sequence<RNN>("rnn")};

const VariantRow embedding_row{layer_variant({
    .op = "embedding",
    .make =
        [](const Case& c) {
          return std::make_unique<Embedding>(static_cast<size_t>(c.integer("vocab")),
                                             static_cast<size_t>(c.integer("dim")));
        },
    .input = [](const Case& c) { return c.shape("n"); },
    .x = "index",
    .parameters = {{"w", "weight"}},
})};

}  // namespace
}  // namespace nsop::layers
