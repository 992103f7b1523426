// Tiny ops for the tests of the worker: `scale` is y = 2x, its variants are ways to behave.
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/registry.h"

namespace nsop::worker {
namespace {

const OpRow scale{
    {.spec =
         {.name = "scale",
          .summary = "y = 2x.",
          .params =
              {{.name = "n", .kind = ParamKind::kCount, .choices = {}, .rank = 0, .absent = {}},
               {.name = "range", .kind = ParamKind::kRange, .choices = {}, .rank = 0, .absent = {}},
               {.name = "mode",
                .kind = ParamKind::kChoice,
                .choices = {"plain", "odd"},
                .rank = 0,
                .absent = "plain"}}},
     .validate =
         [](const Case& c) {
           if (c.str("mode") == "odd" && c.integer("n") % 2 == 0) {
             throw usage_error("n: expected an odd number with mode=odd");
           }
         },
     .inputs =
         [](const Case& c) {
           const auto [lo, hi] = c.range("range");
           return std::vector<InputSpec>{{"x", {c.integer("n")}, lo, hi}};
         },
     .outputs =
         [](const Case& c) {
           return std::vector<OutputSpec>{{"y", {c.integer("n")}}};
         },
     .shape_inputs = {},
     .oracle =
         [](const Case&, std::span<const Tensor> in, std::span<TensorF64> out) {
           for (size_t i = 0; i < in[0].size(); ++i) out[0].data[i] = 2.0 * double{in[0].data()[i]};
         },
     .tolerance =
         [](const Case&) {
           return Tolerance{0, 1e-6};
         },
     .work =
         [](const Case& c) {
           const auto n = static_cast<double>(c.integer("n"));
           return Work{n, 0, 8 * n};
         }}};

// `thin`: y = x or 0, drawn anew by every operation; half of the values are kept.
const OpRow thin{{.spec = {.name = "thin",
                           .summary = "y = x or 0 by chance.",
                           .params = {{.name = "n",
                                       .kind = ParamKind::kCount,
                                       .choices = {},
                                       .rank = 0,
                                       .absent = {}}}},
                  .validate = {},
                  .inputs =
                      [](const Case& c) {
                        return std::vector<InputSpec>{{"x", {c.integer("n")}, 1, 2}};
                      },
                  .outputs =
                      [](const Case& c) {
                        return std::vector<OutputSpec>{{"y", {c.integer("n")}}};
                      },
                  .shape_inputs = {},
                  .oracle = {},
                  .oracle_given =
                      [](const Case&, std::span<const Tensor> in, std::span<const Tensor> got,
                         std::span<TensorF64> out) {
                        for (size_t i = 0; i < in[0].size(); ++i) {
                          out[0].data[i] = got[0].data()[i] == 0.0F ? 0.0 : double{in[0].data()[i]};
                        }
                      },
                  .tolerance = {},
                  .output_tolerances =
                      [](const Case&) {
                        return std::vector<Tolerance>{{0, 1e-7}};
                      },
                  .work = [](const Case&) { return Work{}; }}};

// Writes into the caller's buffer and allocates nothing.
class PlainStep : public Step {
 public:
  explicit PlainStep(const StepRequest& r) : x_(r.inputs[0].data()), y_(r.outputs[0].data()) {}
  void run() override {
    for (size_t i = 0; i < x_.size(); ++i) y_[i] = 2 * x_[i];
  }
  std::span<const float> output(size_t) const override { return y_; }
  std::string chose() const override { return "loop"; }
  size_t workspace_bytes() const override { return 64; }

 protected:
  std::span<const float> x_;
  std::span<float> y_;
};

// Returns a fresh buffer per operation, and one more allocation of 1000 bytes the first time.
class FreshStep : public PlainStep {
 public:
  using PlainStep::PlainStep;
  void run() override {
    if (!table_) table_ = std::make_unique<char[]>(1000);
    result_.reset();
    result_ = std::make_unique<float[]>(x_.size());
    for (size_t i = 0; i < x_.size(); ++i) result_[i] = 2 * x_[i];
  }
  std::span<const float> output(size_t) const override { return {result_.get(), x_.size()}; }

 private:
  std::unique_ptr<char[]> table_;
  std::unique_ptr<float[]> result_;
};

// Cheats: computes once, then returns without doing anything.
class LazyStep : public PlainStep {
 public:
  using PlainStep::PlainStep;
  void run() override {
    if (!done_) PlainStep::run();
    done_ = true;
  }

 private:
  bool done_ = false;
};

class ThrowingStep : public PlainStep {
 public:
  using PlainStep::PlainStep;
  void run() override { throw environment_error("the step broke"); }
};

// Works once, when it is loaded.
class BreakingStep : public PlainStep {
 public:
  using PlainStep::PlainStep;
  void run() override {
    if (++runs_ > 1) throw environment_error("broke when measured");
    PlainStep::run();
  }

 private:
  int runs_ = 0;
};

class ShortStep : public PlainStep {
 public:
  using PlainStep::PlainStep;
  std::span<const float> output(size_t) const override { return y_.first(y_.size() - 1); }
};

// Keeps every other value, beginning with another one each time; `kShift` makes it wrong.
template <int kShift>
class ThinningStep : public PlainStep {
 public:
  using PlainStep::PlainStep;
  void run() override {
    for (size_t i = 0; i < x_.size(); ++i) y_[i] = (i + runs_) % 2 == 0 ? x_[i] + kShift : 0.0F;
    ++runs_;
  }

 private:
  size_t runs_ = 0;
};

template <class S>
Variant variant(const char* name, Role role, const char* summary, const char* op = "scale") {
  return {.op = op,
          .name = name,
          .role = role,
          .summary = summary,
          .targets =
              [] {
                return std::vector<std::string>{"WIDE", "SCALAR"};
              },
          .unsupported =
              [](const Case&, int threads) {
                return threads > 4 ? std::string("at most 4 threads") : std::string();
              },
          .prepare = [](const StepRequest& r) -> std::unique_ptr<Step> {
            return std::make_unique<S>(r);
          }};
}

const VariantRow plain{
    variant<PlainStep>("plain", Role::kOurs, "A loop into the caller's buffer.")};
const VariantRow fresh{variant<FreshStep>("fresh", Role::kBefore, "A fresh buffer per operation.")};
const VariantRow lazy{variant<LazyStep>("lazy", Role::kPeer, "Computes once only.")};
const VariantRow throwing{variant<ThrowingStep>("throwing", Role::kPeer, "Throws.")};
const VariantRow breaking{variant<BreakingStep>("breaking", Role::kPeer, "Throws later.")};
const VariantRow thinning{
    variant<ThinningStep<0>>("thinning", Role::kOurs, "Keeps every other value.", "thin")};
const VariantRow shifting{
    variant<ThinningStep<1>>("shifting", Role::kPeer, "Keeps other values.", "thin")};
const VariantRow too_short{variant<ShortStep>("short", Role::kPeer, "Returns too little.")};

}  // namespace
}  // namespace nsop::worker
