// optimizer_update: one update of n weights with their gradients, from given state. It has the
// formulas of PyTorch's optimizers (https://pytorch.org/docs/1.13/optim.html), and Adam's
// corrections of the tenth step. State of squares starts at 0.01 or more, as if it had seen some
// gradients. Of 16 bits are the gradients and a copy of the new weights, as the next forward pass
// wants them; the weights themselves and the state stay float32 (Micikevicius et al. 2018, Mixed
// precision training, arXiv:1710.03740). rules.h declares what the variants share with it.
#include <algorithm>
#include <array>
#include <cmath>

#include "harness/core/registry.h"
#include "reference/spec/spec.h"
#include "reference/spec/types.h"
#include "reference/training/rules.h"

namespace nsop::reference {
namespace {

constexpr std::array kRules = {"sgd",   "momentum", "nesterov", "adam",
                               "adamw", "rmsprop",  "adagrad"};
constexpr double kLeastSquare = 0.01;

constexpr const char* kCopy = "copy";  // of the weights

bool has_copy(const Case& c) { return c.str("type") != "f32"; }

bool holds_squares(const std::string& state) { return state != "momentum" && state != "m"; }

std::vector<InputSpec> inputs_of(const Case& c) {
  const auto [lo, hi] = c.range("range");
  const Shape n = c.shape("n");
  std::vector<InputSpec> inputs = {{"weight", n, lo, hi}, {"gradient", n, lo, hi}};
  for (const std::string& state : optimizer_state(optimizer_rule(c))) {
    inputs.push_back(holds_squares(state) ? InputSpec{state, n, kLeastSquare, 1}
                                          : InputSpec{state, n, lo, hi});
  }
  return inputs;
}

std::vector<OutputSpec> outputs_of(const Case& c) {
  std::vector<OutputSpec> outputs = {{"weight", c.shape("n")}};
  for (const std::string& state : optimizer_state(optimizer_rule(c))) {
    outputs.push_back({state, c.shape("n")});
  }
  if (has_copy(c)) outputs.push_back({kCopy, c.shape("n")});
  return outputs;
}

struct Element {
  double weight, first, second;
};

void adam(Element& e, double g) {
  e.first = kOptimizerBeta1 * e.first + (1 - kOptimizerBeta1) * g;
  e.second = kOptimizerBeta2 * e.second + (1 - kOptimizerBeta2) * g * g;
  const double m = e.first / (1 - std::pow(kOptimizerBeta1, kOptimizerStep));
  const double v = e.second / (1 - std::pow(kOptimizerBeta2, kOptimizerStep));
  e.weight -= kOptimizerRate * m / (std::sqrt(v) + kOptimizerEpsilon);
}

void update(OptimizerRule rule, Element& e, double g) {
  switch (rule) {
    case OptimizerRule::kSgd:
      e.weight -= kOptimizerRate * g;
      break;
    case OptimizerRule::kMomentum:
      e.first = kOptimizerMomentum * e.first + g;
      e.weight -= kOptimizerRate * e.first;
      break;
    case OptimizerRule::kNesterov:
      e.first = kOptimizerMomentum * e.first + g;
      e.weight -= kOptimizerRate * (g + kOptimizerMomentum * e.first);
      break;
    case OptimizerRule::kAdamW:
      e.weight -= kOptimizerRate * kOptimizerDecay * e.weight;
      adam(e, g);
      break;
    case OptimizerRule::kAdam:
      adam(e, g);
      break;
    case OptimizerRule::kRmsprop:
      e.first = kOptimizerAlpha * e.first + (1 - kOptimizerAlpha) * g * g;
      e.weight -= kOptimizerRate * g / (std::sqrt(e.first) + kOptimizerEpsilon);
      break;
    case OptimizerRule::kAdagrad:
      e.first += g * g;
      e.weight -= kOptimizerRate * g / (std::sqrt(e.first) + kAdagradEpsilon);
      break;
  }
}

void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const OptimizerRule rule = optimizer_rule(c);
  for (size_t i = 0; i < out[0].data.size(); ++i) {
    Element e{in[0].data()[i], in.size() > 2 ? in[2].data()[i] : 0.0,
              in.size() > 3 ? in[3].data()[i] : 0.0};
    update(rule, e, in[1].data()[i]);
    out[0].data[i] = e.weight;
    if (in.size() > 2) out[1].data[i] = e.first;
    if (in.size() > 3) out[2].data[i] = e.second;
    if (has_copy(c)) out.back().data[i] = e.weight;
  }
}

// The largest update of a weight, g and m being at most `largest`.
double largest_update(OptimizerRule rule, double largest) {
  const double adam = 1 / (1 - std::pow(kOptimizerBeta1, kOptimizerStep)) *
                      std::sqrt((1 - std::pow(kOptimizerBeta2, kOptimizerStep)) / kLeastSquare);
  switch (rule) {
    case OptimizerRule::kSgd:
      return kOptimizerRate * largest;
    case OptimizerRule::kMomentum:
      return kOptimizerRate * 1.9 * largest;
    case OptimizerRule::kNesterov:
      return kOptimizerRate * (1 + 0.9 * 1.9) * largest;
    case OptimizerRule::kAdam:
    case OptimizerRule::kAdamW:
      return kOptimizerRate * (adam + kOptimizerDecay) * largest;
    case OptimizerRule::kRmsprop:
      return kOptimizerRate * largest / std::sqrt(kOptimizerAlpha * kLeastSquare);
    case OptimizerRule::kAdagrad:
      break;
  }
  return kOptimizerRate;
}

// The new weight is rounded, and again where it shrinks first; a dozen roundings make the update.
// A momentum adds two rounded products of at most `largest`; of squares, the sum is of one sign.
std::vector<Tolerance> tolerances_of(const Case& c) {
  const OptimizerRule rule = optimizer_rule(c);
  const auto [lo, hi] = c.range("range");
  const double largest = std::max(std::fabs(lo), std::fabs(hi));
  const double moved = largest_update(rule, largest);
  std::vector<Tolerance> all = {
      {.absolute = kUnitRoundoff * (2 * (largest + moved) + 12 * moved), .relative = 0}};
  for (const std::string& state : optimizer_state(rule)) {
    all.push_back(holds_squares(state)
                      ? Tolerance{.absolute = 0, .relative = 6 * kUnitRoundoff}
                      : Tolerance{.absolute = 5 * kUnitRoundoff * largest, .relative = 0});
  }
  if (has_copy(c)) all.push_back(all[0]);
  return all;
}

// As kernels/elementwise/optimizer.h counts them.
double flops_of(OptimizerRule rule) {
  switch (rule) {
    case OptimizerRule::kSgd:
      return 2;
    case OptimizerRule::kMomentum:
      return 4;
    case OptimizerRule::kNesterov:
      return 6;
    case OptimizerRule::kAdam:
      return 12;
    case OptimizerRule::kAdamW:
      return 13;
    case OptimizerRule::kRmsprop:
      return 9;
    case OptimizerRule::kAdagrad:
      break;
  }
  return 7;
}

Work work_of(const Case& c) {
  const auto n = static_cast<double>(element_count(c.shape("n")));
  return {.flops = flops_of(optimizer_rule(c)) * n,
          .macs = 0,
          .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
}

bool is_stored_in_halves(const std::string& tensor) {
  return tensor == "gradient" || tensor == kCopy;
}

const OpRow row{with_types(
    Op{
        .spec = {.name = "optimizer_update",
                 .summary = "One update of weights by an optimizer, with its state.",
                 .params = {{.name = "rule",
                             .kind = ParamKind::kChoice,
                             .choices = {kRules.begin(), kRules.end()},
                             .absent = {}},
                            {.name = "n", .kind = ParamKind::kShape, .choices = {}, .absent = {}},
                            range_param()}},
        .validate = [](const Case& c) { require_size(c.op(), "weight", c.shape("n")); },
        .inputs = inputs_of,
        .outputs = outputs_of,
        .shape_inputs = {},
        .oracle = oracle,
        .tolerance = {},
        .output_tolerances = tolerances_of,
        .work = work_of,
    },
    is_stored_in_halves)};

}  // namespace

OptimizerRule optimizer_rule(const Case& op_case) {
  const auto at = std::ranges::find(kRules, op_case.str("rule"));
  return static_cast<OptimizerRule>(at - kRules.begin());
}

std::vector<std::string> optimizer_state(OptimizerRule rule) {
  switch (rule) {
    case OptimizerRule::kSgd:
      return {};
    case OptimizerRule::kMomentum:
    case OptimizerRule::kNesterov:
      return {"momentum"};
    case OptimizerRule::kAdam:
    case OptimizerRule::kAdamW:
      return {"m", "v"};
    case OptimizerRule::kRmsprop:
      return {"square"};
    case OptimizerRule::kAdagrad:
      break;
  }
  return {"sum"};
}

}  // namespace nsop::reference
