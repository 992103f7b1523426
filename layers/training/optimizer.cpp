#include "layers/training/optimizer.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <type_traits>

#include "harness/core/error.h"
#include "kernels/elementwise/optimizer.h"
#include "layers/core/threads.h"

namespace nsop::layers {
namespace {

constexpr std::array kNames = {"SGD", "Adam", "AdamW", "RMSprop", "AdaGrad"};

void require(bool holds, const char* what, double given, const char* expected) {
  if (holds) return;
  throw usage_error(fmt::format("optimizer: {} is {}, expected {}", what, given, expected));
}

void require_share(const char* what, double value) {
  require(value >= 0 && value < 1, what, value, "a number in [0, 1)");
}

void require_decay(double value) {
  require(value >= 0 && std::isfinite(value), "weight_decay", value, "a number of at least 0");
}

void require_eps(double value) {
  require(value > 0 && std::isfinite(value), "eps", value, "a number above 0");
}

void check(const Sgd& r) {
  require_share("momentum", r.momentum);
  require_decay(r.weight_decay);
  require(!r.nesterov || r.momentum > 0, "momentum", r.momentum, "a number above 0 with nesterov");
}

template <class AnyAdam>
requires std::is_same_v<AnyAdam, Adam> || std::is_same_v<AnyAdam, AdamW>
void check(const AnyAdam& r) {
  require_share("beta1", r.beta1);
  require_share("beta2", r.beta2);
  require_eps(r.eps);
  require_decay(r.weight_decay);
}

void check(const Rmsprop& r) {
  require_share("alpha", r.alpha);
  require_share("momentum", r.momentum);
  require_eps(r.eps);
  require_decay(r.weight_decay);
}

void check(const Adagrad& r) {
  require_eps(r.eps);
  require_decay(r.weight_decay);
}

// The names of what a rule keeps per weight, as papers call it; nullptr where there is none.
using StateNames = std::array<const char*, 2>;
StateNames state_names(const Sgd& r) { return {r.momentum > 0 ? "momentum" : nullptr, nullptr}; }
StateNames state_names(const Adam&) { return {"m", "v"}; }
StateNames state_names(const AdamW&) { return {"m", "v"}; }
StateNames state_names(const Rmsprop& r) {
  return {"square", r.momentum > 0 ? "momentum" : nullptr};
}
StateNames state_names(const Adagrad&) { return {"sum", nullptr}; }

float f(double value) { return static_cast<float>(value); }

// What the kernel is given in step number `step` (the first is 1).
kernels::SgdRule kernel_rule(const Sgd& r, double rate, double /*step*/) {
  return {f(rate), f(r.weight_decay), f(r.momentum), r.nesterov};
}

kernels::AdamRule adam_rule(const auto& r, double rate, double step) {
  kernels::AdamRule rule;
  rule.rate = f(rate / (1 - std::pow(r.beta1, step)));
  rule.root = f(1 / std::sqrt(1 - std::pow(r.beta2, step)));
  rule.beta1 = f(r.beta1);
  rule.rest1 = f(1 - r.beta1);
  rule.beta2 = f(r.beta2);
  rule.rest2 = f(1 - r.beta2);
  rule.eps = f(r.eps);
  return rule;
}

kernels::AdamRule kernel_rule(const Adam& r, double rate, double step) {
  kernels::AdamRule rule = adam_rule(r, rate, step);
  rule.weight_decay = f(r.weight_decay);
  return rule;
}

kernels::AdamRule kernel_rule(const AdamW& r, double rate, double step) {
  kernels::AdamRule rule = adam_rule(r, rate, step);
  rule.keep = f(1 - rate * r.weight_decay);
  return rule;
}

kernels::RmspropRule kernel_rule(const Rmsprop& r, double rate, double /*step*/) {
  return {f(rate), f(r.alpha), f(1 - r.alpha), f(r.eps), f(r.weight_decay), f(r.momentum)};
}

kernels::AdagradRule kernel_rule(const Adagrad& r, double rate, double /*step*/) {
  return {f(rate), f(r.eps), f(r.weight_decay)};
}

void update(const kernels::SgdRule& rule, const Parameter& p, Floats first, Floats,
            ThreadPool& thread_pool) {
  kernels::sgd_update(rule, p.gradient, p.value, first, thread_pool);
}
void update(const kernels::AdamRule& rule, const Parameter& p, Floats first, Floats second,
            ThreadPool& thread_pool) {
  kernels::adam_update(rule, p.gradient, p.value, first, second, thread_pool);
}
void update(const kernels::RmspropRule& rule, const Parameter& p, Floats first, Floats second,
            ThreadPool& thread_pool) {
  kernels::rmsprop_update(rule, p.gradient, p.value, first, second, thread_pool);
}
void update(const kernels::AdagradRule& rule, const Parameter& p, Floats first, Floats,
            ThreadPool& thread_pool) {
  kernels::adagrad_update(rule, p.gradient, p.value, first, thread_pool);
}

}  // namespace

Optimizer::Optimizer(const OptimizerRule& rule) : rule_(rule) {
  std::visit([](const auto& r) { check(r); }, rule_);
}

std::string Optimizer::name() const { return kNames[rule_.index()]; }

int64_t Optimizer::steps() const {
  return state_.empty() ? 0 : static_cast<int64_t>(state_.front().value[0]);
}

void Optimizer::init(const std::vector<Parameter>& parameters, int threads) {
  thread_pool_ = &checked_threads(threads, name());
  Arena measuring;
  plan(parameters, measuring);
  arena_ = Arena(measuring.plan());
  plan(parameters, arena_);
}

void Optimizer::plan(const std::vector<Parameter>& parameters, Arena& arena) {
  const StateNames names = std::visit([](const auto& r) { return state_names(r); }, rule_);
  slots_.clear();
  state_ = {{"optimizer.steps", {1}, arena.take(1)}};
  for (const Parameter& p : parameters) {
    std::array<Floats, 2> kept;
    for (size_t i = 0; i < kept.size() && names[i] != nullptr; ++i) {
      kept[i] = arena.take(p.value.size());
      state_.push_back({fmt::format("optimizer.{}.{}", names[i], p.name), p.shape, kept[i]});
    }
    slots_.push_back({p, kept[0], kept[1]});
  }
}

void Optimizer::step(double learning_rate) {
  if (thread_pool_ == nullptr) throw usage_error(name() + ": init() must come before step()");
  if (!(learning_rate >= 0) || !std::isfinite(learning_rate)) {
    throw usage_error(fmt::format("{}: learning rate is {}, expected a number of at least 0",
                                  name(), learning_rate));
  }
  float& count = state_.front().value[0];
  count += 1;  // stands still at 2^24, where no rule depends on it any more
  std::visit(
      [&](const auto& r) {
        const auto rule = kernel_rule(r, learning_rate, count);
        for (const Slot& s : slots_) update(rule, s.parameter, s.first, s.second, *thread_pool_);
      },
      rule_);
}

}  // namespace nsop::layers
