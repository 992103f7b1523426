// optimizer_update, loss and load_batch as the reports' "before": one plain loop per tensor
// operation, a fresh tensor for every result.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "reference/before/elementwise.h"
#include "reference/training/rules.h"

namespace nsop::reference::before {
namespace {

Floats copied(const float* x, int64_t n) { return {x, x + n}; }

Floats scaled(const Floats& x, double factor) {
  Floats y(x.size());
  for (size_t i = 0; i < x.size(); ++i) y[i] = static_cast<float>(factor) * x[i];
  return y;
}

Floats shifted(const Floats& x, double summand) {
  Floats y(x.size());
  for (size_t i = 0; i < x.size(); ++i) y[i] = x[i] + static_cast<float>(summand);
  return y;
}

template <class Fn>
Floats joined(const Floats& a, const Floats& b, Fn fn) {
  Floats y(a.size());
  for (size_t i = 0; i < a.size(); ++i) y[i] = fn(a[i], b[i]);
  return y;
}

Floats sum(const Floats& a, const Floats& b) { return joined(a, b, std::plus<float>()); }
Floats difference(const Floats& a, const Floats& b) { return joined(a, b, std::minus<float>()); }
Floats product(const Floats& a, const Floats& b) { return joined(a, b, std::multiplies<float>()); }
Floats quotient(const Floats& a, const Floats& b) { return joined(a, b, std::divides<float>()); }

Floats root(const Floats& x) {
  Floats y(x.size());
  for (size_t i = 0; i < x.size(); ++i) y[i] = std::sqrt(x[i]);
  return y;
}

Floats averaged(const Floats& state, const Floats& value, double keep) {
  return sum(scaled(state, keep), scaled(value, 1 - keep));
}

Floats moved(const Floats& weight, const Floats& direction) {
  return difference(weight, scaled(direction, kOptimizerRate));
}

void adam(const Floats& w, const Floats& g, const Floats& m, const Floats& v,
          std::vector<Floats>& out) {
  out[1] = averaged(m, g, kOptimizerBeta1);
  out[2] = averaged(v, product(g, g), kOptimizerBeta2);
  const Floats mean = scaled(out[1], 1 / (1 - std::pow(kOptimizerBeta1, kOptimizerStep)));
  const Floats square = scaled(out[2], 1 / (1 - std::pow(kOptimizerBeta2, kOptimizerStep)));
  out[0] = moved(w, quotient(mean, shifted(root(square), kOptimizerEpsilon)));
}

void update(OptimizerRule rule, const Inputs& in, int64_t n, std::vector<Floats>& out) {
  const Floats w = copied(in[0], n), g = copied(in[1], n);
  const auto state = [&](size_t i) { return copied(in[i], n); };
  switch (rule) {
    case OptimizerRule::kSgd:
      out[0] = moved(w, g);
      break;
    case OptimizerRule::kMomentum:
      out[1] = sum(scaled(state(2), kOptimizerMomentum), g);
      out[0] = moved(w, out[1]);
      break;
    case OptimizerRule::kNesterov:
      out[1] = sum(scaled(state(2), kOptimizerMomentum), g);
      out[0] = moved(w, sum(g, scaled(out[1], kOptimizerMomentum)));
      break;
    case OptimizerRule::kAdam:
      adam(w, g, state(2), state(3), out);
      break;
    case OptimizerRule::kAdamW:
      adam(scaled(w, 1 - kOptimizerRate * kOptimizerDecay), g, state(2), state(3), out);
      break;
    case OptimizerRule::kRmsprop:
      out[1] = averaged(state(2), product(g, g), kOptimizerAlpha);
      out[0] = moved(w, quotient(g, shifted(root(out[1]), kOptimizerEpsilon)));
      break;
    case OptimizerRule::kAdagrad:
      out[1] = sum(state(2), product(g, g));
      out[0] = moved(w, quotient(g, shifted(root(out[1]), kAdagradEpsilon)));
      break;
  }
}

Function bind_optimizer(const Case& c) {
  const OptimizerRule rule = optimizer_rule(c);
  const int64_t n = element_count(c.shape("n"));
  return [=](const Inputs& in, std::vector<Floats>& out) { update(rule, in, n, out); };
}

float mean(const Floats& terms) {
  double total = 0;
  for (const float term : terms) total += term;
  return static_cast<float>(total / static_cast<double>(terms.size()));
}

// x [rows,classes]: value and (softmax - one_hot) / rows
void cross_entropy(const Floats& x, const float* t, int64_t rows, std::vector<Floats>& out) {
  const int64_t classes = static_cast<int64_t>(x.size()) / rows;
  Floats probability(x.size()), one_hot(x.size()), terms(rows);
  for (int64_t r = 0; r < rows; ++r) {
    const float* logits = x.data() + r * classes;
    const float largest = *std::max_element(logits, logits + classes);
    float total = 0;
    for (int64_t i = 0; i < classes; ++i) total += std::exp(logits[i] - largest);
    for (int64_t i = 0; i < classes; ++i) {
      probability[r * classes + i] = std::exp(logits[i] - largest) / total;
    }
    const auto chosen = static_cast<int64_t>(t[r]);
    one_hot[r * classes + chosen] = 1;
    terms[r] = largest + std::log(total) - logits[chosen];
  }
  out[0] = {mean(terms)};
  out[1] = scaled(difference(probability, one_hot), 1 / static_cast<double>(rows));
}

void elementwise_loss(const std::string& kind, const Floats& x, const Floats& t,
                      std::vector<Floats>& out) {
  const double share = 1 / static_cast<double>(x.size());
  const Floats d = difference(x, t);
  if (kind == "mse") {
    out[0] = {mean(product(d, d))};
    out[1] = scaled(d, 2 * share);
    return;
  }
  Floats terms(x.size()), slopes(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    if (kind == "huber") {
      const float size = std::fabs(d[i]);
      terms[i] = size <= 1 ? d[i] * d[i] / 2 : size - 0.5F;
      slopes[i] = std::clamp(d[i], -1.0F, 1.0F);
    } else {
      terms[i] = std::max(x[i], 0.0F) - x[i] * t[i] + std::log1p(std::exp(-std::fabs(x[i])));
      slopes[i] = 1 / (1 + std::exp(-x[i])) - t[i];
    }
  }
  out[0] = {mean(terms)};
  out[1] = scaled(slopes, share);
}

Function bind_loss(const Case& c) {
  const Shape shape = c.shape("n");
  const std::string& kind = c.str("kind");
  return [=](const Inputs& in, std::vector<Floats>& out) {
    const int64_t n = element_count(shape);
    if (kind == "cross_entropy") return cross_entropy(copied(in[0], n), in[1], shape[0], out);
    elementwise_loss(kind, copied(in[0], n), copied(in[1], n), out);
  };
}

// An epoch's order, and how far it has come.
struct Order {
  std::vector<int64_t> numbers;
  size_t at = 0;
  std::mt19937 random;
};

Function bind_loader(const Case& c) {
  const Shape shape = c.shape("n");
  const int64_t each = element_count(shape) / shape[0];
  const auto batch = static_cast<size_t>(c.integer("batch"));
  const auto order = std::make_shared<Order>();
  order->numbers.resize(shape[0]);
  std::iota(order->numbers.begin(), order->numbers.end(), int64_t{0});
  order->at = order->numbers.size();
  return [=](const Inputs& in, std::vector<Floats>& out) {
    if (order->numbers.size() - order->at < batch) {
      std::shuffle(order->numbers.begin(), order->numbers.end(), order->random);
      order->at = 0;
    }
    std::vector<Floats> examples;
    Floats targets;
    for (size_t i = 0; i < batch; ++i) {
      const int64_t number = order->numbers[order->at++];
      examples.push_back(copied(in[0] + number * each, each));
      targets.push_back(in[1][number]);
    }
    Floats stacked;
    for (const Floats& example : examples) {
      stacked.insert(stacked.end(), example.begin(), example.end());
    }
    out[0] = std::move(stacked);
    out[1] = std::move(targets);
  };
}

const VariantRow optimizer_row{elementwise(
    "optimizer_update", "One plain loop per tensor operation, a fresh tensor for every result.",
    bind_optimizer)};
const VariantRow loss_row{
    elementwise("loss", "Plain loops, a fresh tensor for every result.", bind_loss)};
const VariantRow loader_row{elementwise(
    "load_batch", "A fresh vector for each example, then one for the batch.", bind_loader)};

}  // namespace
}  // namespace nsop::reference::before
